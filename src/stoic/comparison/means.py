"""Compare the averages of two contenders once, after a number of measurements fixed in advance.

Each block measures both contenders equally often, in random order. The difference Δ of the
averages, or their ratio ρ, is tested by the values that the sum

    T(θ) = Σ_i (x_i − θ·b_i),    Δ: b = 1;    ρ: b = y,

takes when values of a block change hands (Δ: Σ_i (x_i − Δ) − Σ_i y_i), where y_i and x_i are the
values of the two. If those of P change hands with those of Q, equally many in each block, T(θ) does
not become larger exactly where θ is at most the difference (the ratio) of the averages over P and
Q. So the bounds of the interval are order statistics of these differences (Hartigan's typical
values), and a ratio is above 1 where the difference is above 0.

If both are alike but for Δ, the test is exact, whatever the noise is; an outlier makes the interval
wide. Otherwise it is approximate, as Student's is. Where the blocks have too few arrangements, no
such interval is possible, so it is Student's. Where a typical run matters, use
:func:`stoic.comparison.blocked.shift_between`: outliers hardly move it.

References
----------
Hartigan, *Using subsample values as typical values*, JASA 1969. Fisher, *The design of
experiments*, 1935, §21.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from stoic.checks import Array
from stoic.comparison.arrangements import arrangements
from stoic.comparison.blocked import Shift, can_decide, student

__all__ = ["mean_difference", "mean_ratio"]

_SLACK = 1e-12  # of a rank: rounding


def mean_difference(
    old: Array, new: Array, level: float = 0.9, sizes: Sequence[int] | None = None
) -> Shift:
    """The average of ``new`` less that of ``old``, from the values of both.

    ``sizes`` has the measurements of each in every block, in order; by default each block has one.
    A value of −∞ is a run that failed: an average that includes it is less than all others.

    >>> old, new = np.array([9.0, 11.0, 10.0, 12.0, 8.0, 10.0]), np.array([7.0, 9, 9, 9, 7, 7])
    >>> found = mean_difference(old, new)
    >>> found.value, found.interval, found.above
    (-2.0, (-3.0, -1.0), 0.0078125)
    """
    unit = _unit(old, new)
    old, new = old / unit, new / unit
    alpha = (1.0 - level) / 2.0
    if not can_decide(_ones(old, sizes), alpha):
        return _scaled(student(old, new, alpha), unit)
    gave, took = _exchanged(old, sizes)
    with np.errstate(invalid="ignore"):
        each = (_sums(gave, new) - _sums(took, old)) / gave.sum(axis=1)
    failed = not (np.isfinite(old).all() and np.isfinite(new).all())
    value = math.nan if failed else float(new.mean() - old.mean())
    return _scaled(_of_typical(each, value, len(old), alpha, at=0.0), unit)


def mean_ratio(
    old: Array, new: Array, level: float = 0.9, sizes: Sequence[int] | None = None
) -> Shift:
    """The average of ``new`` divided by that of ``old``; all values are positive.

    ``above`` is the confidence that the ratio is above 1.

    >>> old, new = np.array([9.0, 11.0, 10.0, 12.0, 8.0, 10.0]), np.array([7.0, 9, 9, 9, 7, 7])
    >>> found = mean_ratio(old, new)
    >>> found.value, [round(end, 3) for end in found.interval]
    (0.8, [0.737, 0.875])
    """
    unit = _unit(old, new)
    old, new = old / unit, new / unit
    alpha = (1.0 - level) / 2.0
    if not can_decide(_ones(old, sizes), alpha):  # the average of the old ones counts as known
        found, scale = student(old, new, alpha), float(old.mean()) if len(old) else 1.0
        low, high = found.interval
        ends = 1.0 + low / scale, 1.0 + high / scale
        return Shift(1.0 + found.value / scale, ends, found.above, found.blocks)
    gave, took = _exchanged(old, sizes)
    each = _sums(gave, new) / _sums(took, old)
    return _of_typical(each, float(new.sum() / old.sum()), len(old), alpha, at=1.0)


def _of_typical(each: Array, value: float, n: int, alpha: float, *, at: float) -> Shift:
    """An interval by the typical values of all exchanges, and the confidence to be above ``at``."""
    both = np.isnan(each)  # an exchange in which each has failed
    least = np.sort(np.where(both, -np.inf, each))
    most = np.sort(np.where(both, np.inf, each))
    total = len(each) + 1  # and to exchange nothing
    rank = math.floor(alpha * total * (1.0 + _SLACK)) - 1  # of the first bound that is kept
    upper = (1 + int((least <= at).sum())) / total
    lower = (1 + int((most >= at).sum())) / total
    interval = float(least[rank]), float(most[len(most) - 1 - rank])
    return Shift(value, interval, (1.0 - upper + lower) / 2.0, n)


def _exchanged(old: Array, sizes: Sequence[int] | None) -> tuple[Array, Array]:
    """Which of the new and of the old values change hands: rows of 0 and 1, none all 0."""
    n = len(old)
    ways = arrangements(tuple(_ones(old, sizes)))
    ways = ways[(ways != ways[0]).any(axis=1)]
    return (ways[:, n:] < 0.0).astype(float), (ways[:, :n] > 0.0).astype(float)


def _sums(chosen: Array, values: Array) -> Array:
    """Sums of the chosen values, in which −∞ may be."""
    return np.asarray(np.where(chosen > 0.0, values, 0.0).sum(axis=1))


def _ones(old: Array, sizes: Sequence[int] | None) -> list[int]:
    return [1] * len(old) if sizes is None else list(sizes)


def _scaled(found: Shift, unit: float) -> Shift:
    low, high = found.interval
    return Shift(unit * found.value, (unit * low, unit * high), found.above, found.blocks)


def _unit(old: Array, new: Array) -> float:
    """A power of two near the largest value, in which sums are finite."""
    values = np.abs(np.concatenate([old, new]))
    known = values[np.isfinite(values)]
    largest = float(known.max()) if known.size else 0.0
    return 2.0 ** max(math.frexp(largest)[1], -1000) if largest else 1.0
