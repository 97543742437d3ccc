r"""Compare two contenders once, after a number of blocks that was fixed in advance.

Each block measures both contenders once, in random order. If both are alike, then which of the two
values of a block belongs to which contender is a fair coin, whatever the values are: drift,
autocorrelation and outliers do not matter. So a statistic is compared with the values that it takes
when the two values of any blocks change places:

    T(Δ)   = Σ_j [ψ_j(x_j − Δ) − ψ_j(b_j)],
    ψ_j(y) = clip(d/h_j, ±1) / (1 + max(|d| − h_j, 0)²/(ν s²)),    d = y − (L_j + H_j)/2,
    h_j    = max((H_j − L_j)/2, κ s),

where b_j and x_j are the values of the two in block j, and Δ is a difference to be tested. L_j and
H_j are the medians of the lower and of the higher values of block j and its neighbours: where the
contenders differ by much, these are the contenders. s is the median distance from them. None of
these depends on which value is whose. The score ψ is 1 or −1 for values near the two medians, and
decreases for outliers beyond them. A failed run has the largest score: it counts as a clear loss.

The interval is about the Δ with T(Δ) = 0, up to where one is rejected at (1 − level)/2 on either
side. With fewer than five blocks no such interval is possible; it is then Student's, of the mean
difference.

Use this where one looks once. Where one looks after each block, use
:func:`stoic.comparison.compare`.

References
----------
Fisher, *The design of experiments*, 1935, §21. Maritz, *A note on exact robust confidence intervals
for location*, Biometrika 1979.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr, stdtrit

from stoic.checks import Array
from stoic.diagnostics.location import MAD_OF_NORMAL

__all__ = ["MIN_BLOCKS", "Shift", "shift_between", "student"]

MIN_BLOCKS = 5  # for an interval of 90% by exchanges: 2⁻⁵ is below 5%, 2⁻⁴ above
_MAX_EXACT_BLOCKS = 12  # all 2ⁿ exchanges; of more, the normal distribution with their variance
# Chosen with the finals of benchmarks/core/verdicts.py, seeds 0–599
_DEGREES_OF_FREEDOM = 5.0  # ν, by which the scores of outliers decrease
_CORE = 2.0  # κ, of the scale: differences from the middle up to which scores grow
_NEAR = 7  # blocks of which L and H are medians
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
    """The difference for which the statistic is 0; NaN where no block has both values."""
    interval: tuple[float, float]
    """Infinite ends are unknown; both are ∞ (−∞) if one contender failed and never the other."""
    above: float
    """The confidence that the difference is above 0: 1 less the one-sided p-value, of which the
    part that is due to ties counts half."""
    blocks: int
    """Blocks of which at least one contender has a value."""


def shift_between(old: Array, new: Array, level: float = 0.9) -> Shift:
    """The difference ``new − old`` from the values of both in each block.

    A value of −∞ is a run that failed: it is less than all others.

    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.normal(10.0, 0.2, 8), rng.normal(9.0, 0.2, 8)
    >>> old[2] = 500.0
    >>> found = shift_between(old, new)
    >>> [round(end, 2) for end in found.interval], found.blocks
    ([-1.18, -0.87], 8)
    """
    kept = ~(np.isinf(old) & np.isinf(new))
    old, new = old[kept], new[kept]
    both = np.isfinite(old) & np.isfinite(new)
    n = len(old)
    alpha = (1.0 - level) / 2.0
    if n < MIN_BLOCKS:
        return student(old, new, both, alpha)
    unit = _unit(old[both], new[both])
    old, new = old / unit, new / unit
    statistic = _Statistic(old, new)
    upper, lower = (float(p[0]) for p in statistic.tails(np.zeros(1)))
    certain = (1.0 - upper + lower) / 2.0
    if not both.any():
        ends = math.inf if upper <= alpha else -math.inf, -math.inf if lower <= alpha else math.inf
        return Shift(math.nan, ends, certain, n)
    differences = new[both] - old[both]
    size = float(max(np.abs(old[both]).max(), np.abs(new[both]).max()))
    value = _root(statistic, differences)
    low = _end(statistic, differences, value, alpha, size)
    high = -_end(_Statistic(new, old), -differences, -value, alpha, size)
    return Shift(unit * value, (unit * low, unit * high), certain, n)


def student(old: Array, new: Array, both: Flags, alpha: float) -> Shift:
    """Student's interval of few differences; a failed run leaves it without ends.

    ``both`` says which blocks have both values; each end has an error of ``alpha``.
    """
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
    """T(Δ) and how many exchanges give as much."""

    def __init__(self, old: Array, new: Array) -> None:
        self._old, self._new = old, new
        n, count = len(old), min(_NEAR, len(old))
        first = np.clip(np.arange(n) - _NEAR // 2, 0, n - count)
        self._near = first[:, None] + np.arange(count)  # each block and its neighbours
        self._signs = _signs(n) if n <= _MAX_EXACT_BLOCKS else None

    def terms(self, shifts: Array) -> Array:
        """The terms of T for each Δ: a row for each."""
        old = np.broadcast_to(self._old, (len(shifts), len(self._old)))
        new = self._new - shifts[:, None]
        both = np.stack([old, new])
        failed = np.asarray(np.isinf(both).any(axis=0))
        with np.errstate(all="ignore"):
            scores = self._scores(np.where(np.isinf(both), np.nan, both), failed)
        terms = np.where(np.isfinite(scores), scores, 0.0)
        worst = np.where(np.isinf(new), np.sign(new), -np.sign(old))
        return np.where(failed, 2.0 * worst, terms[1] - terms[0])

    def _scores(self, known: Array, failed: Flags) -> Array:
        """ψ of the values of both."""
        low = np.where(failed, np.nan, np.minimum(*known))
        high = np.where(failed, np.nanmax(known, axis=0), np.maximum(*known))
        lows, highs = (_medians(ends[:, self._near]) for ends in (low, high))
        away = np.concatenate([np.abs(low - lows), np.abs(high - highs)], axis=1)
        scale = _medians(away)[:, None] / MAD_OF_NORMAL
        half = np.maximum((highs - lows) / 2.0, _CORE * scale)
        d = known - (lows + highs) / 2.0
        core = np.where(half > 0.0, np.clip(d / half, -1.0, 1.0), np.sign(d))
        beyond = np.where(scale > 0.0, np.maximum(np.abs(d) - half, 0.0) / scale, 0.0)
        return np.asarray(core / (1.0 + beyond * beyond / _DEGREES_OF_FREEDOM))

    def tails(self, shifts: Array) -> tuple[Array, Array]:
        """The shares of all exchanges that give at least T(Δ), and at most T(Δ)."""
        terms = self.terms(shifts)
        total = terms.sum(axis=1)
        if self._signs is None:
            std = np.sqrt((terms * terms).sum(axis=1))
            upper = ndtr(-total / np.where(std > 0.0, std, 1.0))
            return upper, 1.0 - upper
        others = terms @ self._signs.T
        slack = _TINY * (1.0 + np.abs(terms).sum(axis=1))[:, None]
        above = (others >= total[:, None] - slack).mean(axis=1)
        below = (others <= total[:, None] + slack).mean(axis=1)
        return np.asarray(above), np.asarray(below)


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
        rejected = np.flatnonzero(statistic.tails(grid)[0][:-1] <= alpha)
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
        size = np.abs(statistic.terms(grid).sum(axis=1))
        least = np.flatnonzero(size <= size.min() + _TINY)
        at = int(least[len(least) // 2])
        left, right = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
        grid = np.unique(np.append(np.linspace(left, right, _POINTS), grid[least]))
    size = np.abs(statistic.terms(grid).sum(axis=1))
    least = np.flatnonzero(size <= size.min() + _TINY)
    return float(grid[least].mean())


def _medians(values: Array) -> Array:
    """Medians along the last axis of the values that are known; 0 where none is."""
    known = ~np.isnan(values)
    counts = known.sum(axis=-1)
    ordered = np.sort(np.where(known, values, np.inf), axis=-1)
    low, high = np.maximum(counts - 1, 0) // 2, counts // 2
    high = np.minimum(high, values.shape[-1] - 1)
    pair = [np.take_along_axis(ordered, i[..., None], -1)[..., 0] for i in (low, high)]
    return np.asarray(np.where(counts > 0, (pair[0] + pair[1]) / 2.0, 0.0))


def _signs(n: int) -> Array:
    return np.asarray(1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1))


def _unit(old: Array, new: Array) -> float:
    """A unit in which sums of the values are finite."""
    largest = float(max(np.abs(old).max(), np.abs(new).max())) if old.size else 1.0
    return largest if largest > 1e290 or 0.0 < largest < 1e-290 else 1.0
