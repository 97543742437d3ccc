r"""Compare two contenders once, after a number of measurements that was fixed in advance.

Each block measures both contenders equally often, in random order. If both are alike, then which of
the values of a block belong to which contender is a fair draw, whatever the values are: drift,
autocorrelation and outliers do not matter. So a statistic is compared with the values that it takes
when the values of any blocks change hands:

    T(Δ)   = Σ_i [ψ(x_i − Δ) − ψ(b_i)],
    ψ(y)   = clip(d/h, ±1) / (1 + max(|d| − h, 0)²/(ν s²)),    d = y − (L + H)/2,
    h      = max((H − L)/2, κ s),

where b_i and x_i are the values of the two, and Δ is a difference to be tested. L and H are the
medians of the lower and of the higher half of the values of a block and its neighbours: where the
contenders differ by much, these are the contenders. Of an even number of values the median is the
one nearer to the other half, as outliers are on the far side. s is the median distance from them.
None of these depends on which value is whose. The score ψ is 1 or −1 for values near the two
medians, and decreases for outliers beyond them. A failed run has a score of −3: it counts as a
clear loss.

The interval is about the Δ with T(Δ) = 0, up to where one is rejected at (1 − level)/2 on either
side; it excludes 0 only where 0 itself is rejected. Where the blocks have too few arrangements, no
such interval is possible; it is then Student's, of the mean difference.

Use this where one looks once. Where one looks after each block, use
:func:`stoic.comparison.compare`.

References
----------
Fisher, *The design of experiments*, 1935, §21. Maritz, *A note on exact robust confidence intervals
for location*, Biometrika 1979.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from stoic.checks import Array
from stoic.comparison.arrangements import arrangements, count_arrangements
from stoic.diagnostics.location import MAD_OF_NORMAL

__all__ = ["Shift", "can_decide", "one_sided_p", "shift_between", "student", "upper_tail"]

# Chosen with the finals of benchmarks/core/verdicts.py, seeds 0–599
_DEGREES_OF_FREEDOM = 5.0  # ν, by which the scores of outliers decrease
_CORE = 2.0  # κ, of the scale: differences from the middle up to which scores grow
_NEAR = 7  # measurements of each, at least, of which L and H are medians
_FAILED = -3.0  # the score of a failed run
_POINTS = 65  # of a grid; each round narrows a bound to one of its cells
_ROUNDS = 6
_FAR = 3.0  # ranges of the differences by which the grid exceeds them
Flags = npt.NDArray[np.bool_]

_ROUNDING = 1e-9  # of the largest value: smaller differences are none
_TINY = 1e-12  # of a statistic: rounding


@dataclass(frozen=True)
class Shift:
    """By how much the values of one contender exceed those of the other."""

    value: float
    """The difference for which the statistic is 0; NaN where one of the two has no value."""
    interval: tuple[float, float]
    """Infinite ends are unknown; both are ∞ (−∞) if one contender failed and never the other."""
    above: float
    """The confidence that the difference is above 0: 1 less the one-sided p-value, of which the
    part that is due to ties counts half."""
    blocks: int
    """Measurements of each of the two."""


def can_decide(sizes: Sequence[int], alpha: float) -> bool:
    """Whether blocks with so many measurements of each can have a p-value of at most ``alpha``."""
    return count_arrangements(sizes) * alpha * (1.0 + _TINY) >= 1.0


def shift_between(
    old: Array, new: Array, level: float = 0.9, sizes: Sequence[int] | None = None
) -> Shift:
    """The difference ``new − old`` from the values of both.

    ``sizes`` has the measurements of each in every block, in order; by default each block has one.
    A value of −∞ is a run that failed: it is less than all others.

    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.normal(10.0, 0.2, 8), rng.normal(9.0, 0.2, 8)
    >>> old[2] = 500.0
    >>> found = shift_between(old, new, sizes=[4, 4])
    >>> [round(end, 2) for end in found.interval], found.blocks
    ([-1.16, -0.92], 8)
    """
    sizes = [1] * len(old) if sizes is None else list(sizes)
    n = len(old)
    alpha = (1.0 - level) / 2.0
    if not can_decide(sizes, alpha):
        return student(old, new, alpha)
    known = np.isfinite(old), np.isfinite(new)
    unit = _unit(old[known[0]], new[known[1]])
    old, new = old / unit, new / unit
    statistic = _Statistic(old, new, sizes)
    upper, lower = (float(p[0]) for p in statistic.tails(np.zeros(1)))
    certain = (1.0 - upper + lower) / 2.0
    differences = statistic.differences()
    above, below = (p <= alpha * (1.0 + _TINY) for p in (upper, lower))  # 0 is rejected
    if not len(differences):
        ends = math.inf if above else -math.inf, -math.inf if below else math.inf
        return Shift(math.nan, ends, certain, n)
    size = float(max(np.abs(old[known[0]]).max(), np.abs(new[known[1]]).max()))
    value = _root(statistic, differences)
    low = _end(statistic, differences, value, alpha, size)
    high = -_end(_Statistic(new, old, sizes), -differences, -value, alpha, size)
    low, high = low if above else min(low, 0.0), high if below else max(high, 0.0)
    return Shift(unit * value, (unit * low, unit * high), certain, n)


def one_sided_p(old: Array, new: Array, sizes: Sequence[int]) -> Array:
    """For each row of values of both, the p-value of the hypothesis that new ones are not above."""
    return upper_tail(_terms(old, new, sizes), arrangements(tuple(sizes)))


def student(old: Array, new: Array, alpha: float) -> Shift:
    """Student's interval of few paired differences; a failed run leaves it without ends.

    Each end has an error of ``alpha``.
    """
    both = np.isfinite(old) & np.isfinite(new)
    blocks, m = len(old), int(both.sum())
    with np.errstate(over="ignore"):
        d = np.clip(new[both] - old[both], -1e307, 1e307)
    value = float(np.median(d)) if m else math.nan
    if m < 3 or m < blocks:  # two differences may agree by chance
        return Shift(value, (-math.inf, math.inf), 0.5, blocks)
    unit = float(np.abs(d).max()) or 1.0
    mean, error = float((d / unit).mean()), float((d / unit).std(ddof=1)) / math.sqrt(m)
    half = float(stdtrit(m - 1, 1.0 - alpha)) * error
    certain = float(stdtr(m - 1, mean / error)) if error else (1.0 + np.sign(mean)) / 2.0
    return Shift(unit * mean, (unit * (mean - half), unit * (mean + half)), float(certain), m)


class _Statistic:
    """T(Δ) and how many arrangements give as much."""

    def __init__(self, old: Array, new: Array, sizes: Sequence[int]) -> None:
        self._old, self._new, self._sizes = old, new, tuple(sizes)
        self._arrangements = arrangements(self._sizes)

    def terms(self, shifts: Array) -> Array:
        """The scores of all values, less the mean of their block: a row for each Δ."""
        old = np.broadcast_to(self._old, (len(shifts), len(self._old)))
        return _terms(old, self._new - shifts[:, None], self._sizes)

    def totals(self, shifts: Array) -> Array:
        """T for each Δ."""
        return np.asarray(self.terms(shifts) @ self._arrangements[0])

    def tails(self, shifts: Array) -> tuple[Array, Array]:
        """The shares of all arrangements that give at least T(Δ), and at most T(Δ)."""
        terms = self.terms(shifts)
        return upper_tail(terms, self._arrangements), upper_tail(-terms, self._arrangements)

    def differences(self) -> Array:
        """Of all known values of the two in each block."""
        found, first = [], 0
        for size in self._sizes:
            block = slice(first, first + size)
            with np.errstate(invalid="ignore"):
                each = (self._new[block, None] - self._old[block]).ravel()
            found.append(each[np.isfinite(each)])
            first += size
        return np.concatenate(found)


def upper_tail(terms: Array, ways: Array) -> Array:
    """The share of arrangements that give at least the sum of the first: for each row."""
    others = terms @ ways.T
    slack = _TINY * (1.0 + np.abs(terms).sum(axis=1))[:, None]
    return np.asarray((others >= others[:, :1] - slack).mean(axis=1))


def _terms(old: Array, new: Array, sizes: Sequence[int]) -> Array:
    """ψ of the values of both, less its mean in the block, for each row."""
    n = old.shape[1]
    low, high = (np.empty_like(new) for _ in range(2))
    ends = np.cumsum(sizes)
    for end, size in zip(ends, sizes, strict=True):
        block = slice(end - size, end)
        ordered = np.sort(np.concatenate([old[:, block], new[:, block]], axis=1), axis=1)
        low[:, block], high[:, block] = ordered[:, :size], ordered[:, size:]
    low, high = (np.where(np.isinf(half), np.nan, half) for half in (low, high))
    lows, highs = (np.empty_like(low) for _ in range(2))
    for end, size, near in zip(ends, sizes, _near(sizes), strict=True):
        block = slice(end - size, end)
        lows[:, block] = _middle(low[:, near])[1][:, None]
        highs[:, block] = _middle(high[:, near])[0][:, None]
    away = np.concatenate([np.abs(low - lows), np.abs(high - highs)], axis=1)
    scale = np.nan_to_num(sum(_middle(away)) / 2.0)[:, None] / MAD_OF_NORMAL
    values = np.concatenate([old, new], axis=1)
    found = _scores(values, np.tile(lows, 2), np.tile(highs, 2), scale)
    for end, size in zip(ends, sizes, strict=True):
        block = np.r_[end - size : end, n + end - size : n + end]
        found[:, block] -= found[:, block].mean(axis=1, keepdims=True)
    return found


def _scores(values: Array, lows: Array, highs: Array, scale: Array) -> Array:
    """ψ, where −∞ is a failed run, and NaN a median of failed runs alone."""
    with np.errstate(all="ignore"):
        half = np.maximum((highs - lows) / 2.0, _CORE * scale)
        d = values - (lows + highs) / 2.0
        core = np.where(half > 0.0, np.clip(d / half, -1.0, 1.0), np.sign(d))
        beyond = np.where(scale > 0.0, np.maximum(np.abs(d) - half, 0.0) / scale, 0.0)
        scores = core / (1.0 + beyond * beyond / _DEGREES_OF_FREEDOM)
    scores = np.where(np.isnan(scores), 1.0, scores)  # better than all that failed
    return np.where(np.isinf(values) & (values < 0.0), _FAILED, scores)


def _near(sizes: Sequence[int]) -> list[slice]:
    """For each block, the measurements of it and its neighbours: whole blocks."""
    ends = [0, *np.cumsum(sizes).tolist()]
    found = []
    for i in range(len(sizes)):
        first, last = i, i + 1
        while ends[last] - ends[first] < _NEAR and (first > 0 or last < len(sizes)):
            if last < len(sizes):
                last += 1
            if first > 0 and ends[last] - ends[first] < _NEAR:
                first -= 1
        found.append(slice(ends[first], ends[last]))
    return found


def _end(
    statistic: _Statistic, differences: Array, value: float, alpha: float, size: float
) -> float:
    """The lowest Δ from which on up to ``value`` none is rejected for being too low.

    ``size`` is that of the largest value, to which rounding is relative.
    """
    low, high = float(differences.min()), float(differences.max())
    far = min(low, value) - _FAR * max(high - low, _ROUNDING * size, 1e-300)
    grid = np.concatenate([np.quantile(differences, np.linspace(0.0, 1.0, _POINTS)), [far, 0.0]])
    grid = np.append(np.unique(grid[(grid < value) & (grid >= far)]), value)
    left = right = value
    for _ in range(_ROUNDS):
        rejected = np.flatnonzero(statistic.tails(grid)[0][:-1] <= alpha * (1.0 + _TINY))
        if not len(rejected):
            return -math.inf if grid[0] == far else float(grid[0])
        last = int(rejected[-1])
        left, right = grid[last], grid[last + 1]
        if right - left <= _TINY * max(abs(left), abs(right)):
            break
        grid = np.linspace(left, right, _POINTS)
    return float(right)


def _root(statistic: _Statistic, differences: Array) -> float:
    """The Δ for which T is nearest to 0, the middle one where there are several."""
    ordered = np.sort(differences)
    halves = (ordered[1:] + ordered[:-1]) / 2.0
    grid = np.sort(np.concatenate([ordered, halves]))
    for _ in range(2):
        size = np.abs(statistic.totals(grid))
        least = np.flatnonzero(size <= size.min() + _TINY)
        at = int(least[len(least) // 2])
        left, right = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
        grid = np.unique(np.append(np.linspace(left, right, _POINTS), grid[least]))
    size = np.abs(statistic.totals(grid))
    least = np.flatnonzero(size <= size.min() + _TINY)
    return float(grid[least].mean())


def _middle(values: Array) -> tuple[Array, Array]:
    """The two middle values along the last axis of those that are known; NaN where none is."""
    known = ~np.isnan(values)
    counts = known.sum(axis=-1)
    ordered = np.sort(np.where(known, values, np.inf), axis=-1)
    low, high = np.maximum(counts - 1, 0) // 2, counts // 2
    high = np.minimum(high, values.shape[-1] - 1)
    pair = (np.take_along_axis(ordered, i[..., None], -1)[..., 0] for i in (low, high))
    first, second = (np.where(counts > 0, middle, np.nan) for middle in pair)
    return first, second


def _unit(old: Array, new: Array) -> float:
    """A unit in which sums of the values are finite."""
    largest = float(np.abs(np.concatenate([old, new])).max(initial=0.0))
    return largest if largest > 1e290 or 0.0 < largest < 1e-290 else 1.0
