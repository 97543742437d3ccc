"""Compare the averages of two contenders once, after a number of blocks fixed in advance.

Each block measures both contenders once, in random order. The difference Δ of the averages, or
their ratio ρ, is tested by the values that the sum of the paired differences

    T(θ) = Σ_j (a_j − θ·b_j),    Δ: a = x − y, b = 1;    ρ: a = x, b = y

takes when their signs change, where y_j and x_j are the values of the two in block j. Those of a
subset S of blocks change the sum to at least T(θ) exactly where θ ≥ Σ_S a / Σ_S b. So the bounds of
the interval are order statistics of these quotients of all subsets (Hartigan's typical values),
and a ratio is above 1 where the difference is above 0.

If both are alike but for Δ, the test is exact, whatever the noise is; an outlier makes the interval
wide. Otherwise it is approximate, as Student's is. With fewer than five blocks no such interval is
possible, so it is Student's. Where a typical run matters, use
:func:`stoic.comparison.blocked.shift_between`: outliers hardly move it.

References
----------
Hartigan, *Using subsample values as typical values*, JASA 1969. Fisher, *The design of
experiments*, 1935, §21.
"""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.comparison.blocked import MIN_BLOCKS, Shift, student
from stoic.randomness import generator

__all__ = ["mean_difference", "mean_ratio"]

_MAX_EXACT_BLOCKS = 12  # all 2ⁿ subsets; of more, so many random ones as 2¹²


def mean_difference(old: Array, new: Array, level: float = 0.9) -> Shift:
    """The average of ``new`` less that of ``old``, from the values of both in each block.

    A value of −∞ is a run that failed: an average that includes it is less than all others.

    >>> old, new = np.array([9.0, 11.0, 10.0, 12.0, 8.0, 10.0]), np.array([7.0, 9, 9, 9, 7, 7])
    >>> found = mean_difference(old, new)
    >>> found.value, found.interval, found.above
    (-2.0, (-3.0, -1.0), 0.0078125)
    """
    kept = ~(np.isinf(old) & np.isinf(new))
    old, new = old[kept], new[kept]
    unit = _unit(old, new)
    old, new = old / unit, new / unit
    found = _quotient(new - old, np.ones(len(old)), level)
    low, high = found.interval
    return Shift(unit * found.value, (unit * low, unit * high), found.above, found.blocks)


def mean_ratio(old: Array, new: Array, level: float = 0.9) -> Shift:
    """The average of ``new`` divided by that of ``old``; all values are positive.

    ``above`` is the confidence that the ratio is above 1.

    >>> old, new = np.array([9.0, 11.0, 10.0, 12.0, 8.0, 10.0]), np.array([7.0, 9, 9, 9, 7, 7])
    >>> found = mean_ratio(old, new)
    >>> found.value, [round(end, 3) for end in found.interval]
    (0.8, [0.737, 0.875])
    """
    unit = _unit(old, new)
    return _quotient(new / unit, old / unit, level, at=1.0)


def _quotient(a: Array, b: Array, level: float, at: float = 0.0) -> Shift:
    """Σa / Σb with its interval, and the confidence that it is above ``at``."""
    n, alpha = len(a), (1.0 - level) / 2.0
    failed = not np.isfinite(a).all()
    value = math.nan if failed or not n else float(a.sum() / b.sum())
    if n < MIN_BLOCKS:
        return _of_few(a, b, alpha, at)
    chosen = _subsets(n)
    with np.errstate(invalid="ignore"):
        sums = np.where(chosen, a, 0.0).sum(axis=1)
        quotients = sums / (chosen @ b)
    both = np.isnan(quotients)  # a subset in which each has failed once
    least = np.sort(np.where(both, -np.inf, quotients))
    most = np.sort(np.where(both, np.inf, quotients))
    total = len(quotients) + 1  # and the empty subset, which changes nothing
    rank = math.floor(alpha * total * (1.0 + 1e-12)) - 1  # of the first bound that is kept
    upper = (1 + int((least <= at).sum())) / total
    lower = (1 + int((most >= at).sum())) / total
    interval = float(least[rank]), float(most[len(most) - 1 - rank])
    return Shift(value, interval, (1.0 - upper + lower) / 2.0, n)


def _of_few(a: Array, b: Array, alpha: float, at: float) -> Shift:
    """Student's interval of few blocks; that of a ratio takes the other average as known."""
    known = np.isfinite(a)
    scale = float(b.mean()) if len(b) else 1.0
    found = student(at * b, a, known, alpha)
    low, high = found.interval
    ends = at + low / scale, at + high / scale
    return Shift(at + found.value / scale, ends, found.above, found.blocks)


def _subsets(n: int) -> Array:
    """Subsets of the blocks but the empty one: rows of 0 and 1."""
    if n <= _MAX_EXACT_BLOCKS:
        return np.asarray((np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1, dtype=float)
    drawn = generator(0, n).random((2**_MAX_EXACT_BLOCKS, n)) < 0.5
    return np.asarray(drawn[drawn.any(axis=1)], dtype=float)


def _unit(old: Array, new: Array) -> float:
    """A power of two near the largest value, in which sums are finite."""
    values = np.abs(np.concatenate([old, new]))
    known = values[np.isfinite(values)]
    largest = float(known.max()) if known.size else 0.0
    return 2.0 ** max(math.frexp(largest)[1], -1000) if largest else 1.0
