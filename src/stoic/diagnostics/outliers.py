"""Outliers: values far from the bulk, and groups of values that stand apart from it.

These are two different things. A value is *far* if it is beyond five robust standard deviations of
its side: a normal distribution has one such value in three million, an exponential one in three
hundred, a Cauchy distribution one in twenty-five on each side. A group of values stands *apart* if
no tail explains the gap before it. In a tail of index 1/ξ the logarithmic spacings
i·log(y₍ᵢ₎/y₍ᵢ₊₁₎), i counted from the farthest value, are independent and exponential with mean ξ
(Rényi). A spacing over the mean of the K spacings below it therefore exceeds x with probability
(1 + x/K)^−K. A unimodal density does not explain the gap either if m + 1 values follow it within
the length of the gap: the probability is at most 2^−m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.diagnostics.location import MAD_OF_NORMAL, mad_scale, middle
from stoic.diagnostics.tails import spread_ties

__all__ = ["Outliers", "find_outliers"]

FAR_DEVIATIONS = 5.0  # robust standard deviations; values beyond are far
_BULK_DEVIATIONS = 3.0  # robust standard deviations; values within never stand apart
_MIN_VALUES = 10
_FALSE_GAP_PROBABILITY = 0.01  # on either side


@dataclass(frozen=True)
class Outliers:
    """Shares of far values, and of those that stand apart, by side.

    ``interval`` is the 95 % interval of ``share`` (Clopper & Pearson).
    """

    share: float
    interval: tuple[float, float]
    below: float
    above: float
    apart_below: float
    apart_above: float

    @property
    def apart(self) -> float:
        """The share of values that stand apart."""
        return self.apart_below + self.apart_above


def find_outliers(ordered: Array) -> tuple[Outliers | None, Array]:
    """Outliers of sorted values, and the values that do not stand apart.

    Outliers are None with fewer than ten values.

    >>> bulk = np.linspace(-1, 1, 100)
    >>> seen, rest = find_outliers(np.append(bulk, [1e9, 2e9]))
    >>> round(seen.apart_above, 3), len(rest)
    (0.02, 100)
    """
    n = len(ordered)
    if n < _MIN_VALUES:
        return None, ordered
    below, above = _apart(ordered)
    rest = ordered[below : n - above]
    centre = middle(rest)
    scale = mad_scale(np.abs(rest - centre))
    if scale == 0.0:
        far_below = far_above = 0
    else:
        far_below = int((centre - ordered > _far_threshold(centre - rest, scale)).sum())
        far_above = int((ordered - centre > _far_threshold(rest - centre, scale)).sum())
    far_below, far_above = max(far_below, below), max(far_above, above)
    far = far_below + far_above
    shares = (far_below / n, far_above / n, below / n, above / n)
    return Outliers(far / n, _share_interval(far, n), *shares), rest


def _far_threshold(side: Array, scale: float) -> float:
    """The distance from the centre beyond which a side's values are far.

    It is five deviations of the side. A side's deviation is at most twice the overall one, so that
    many outliers can't increase it much.
    """
    own = middle(np.sort(side[side >= 0.0])) / MAD_OF_NORMAL
    return FAR_DEVIATIONS * (min(own, 2.0 * scale) if own > 0.0 else scale)


def _apart(ordered: Array) -> tuple[int, int]:
    """The numbers of the lowest and of the highest values that stand apart."""
    centre = middle(ordered)
    scale = mad_scale(np.abs(ordered - centre))
    if scale == 0.0:
        return 0, 0
    sides = centre - ordered[ordered <= centre], (ordered[ordered >= centre] - centre)[::-1]
    below, above = (_count_behind_gap(side, _BULK_DEVIATIONS * scale) for side in sides)
    return below, above


def _count_behind_gap(side: Array, bulk: float) -> int:
    """The number of a side's deviations, farthest first, beyond the innermost gap."""
    far = min(int((side > bulk).sum()), len(side) - _MIN_VALUES)
    if far <= 0:
        return 0
    side = np.maximum(spread_ties(side[::-1])[::-1], 0.0)  # rounding leaves gaps everywhere
    chance = np.minimum(_log_chance_in_tail(side, far, bulk), _log_chance_if_unimodal(side, far))
    found = np.flatnonzero(chance + np.log(len(side)) < np.log(_FALSE_GAP_PROBABILITY / 4.0))
    return int(found[-1]) + 1 if len(found) else 0


def _log_chance_in_tail(side: Array, far: int, bulk: float) -> Array:
    """Log probability of each gap in a power tail; gaps are measured from the edge of the bulk."""
    size = len(side)
    logs = np.log(np.maximum(side, side[side > 0.0].min()))
    total = np.concatenate([[0.0], np.cumsum(np.arange(1, size) * (logs[:-1] - logs[1:]))])
    i = np.arange(1, far + 1)
    gaps = i * (logs[i - 1] - np.maximum(logs[i], np.log(bulk)))
    K = np.maximum((size - i) // 3, 1)
    means = (total[np.minimum(i + K, size - 1)] - total[i]) / K
    usable = (K >= _MIN_VALUES // 2) & (means > 0.0)
    ratios = np.divide(gaps, means, out=np.zeros_like(gaps), where=usable)
    return np.asarray(-K * np.log1p(ratios / K))


def _log_chance_if_unimodal(side: Array, far: int) -> Array:
    """Log probability of each gap if the density decreases away from the centre."""
    outwards = side[::-1]
    first = len(side) - np.arange(1, far + 1)  # of the values behind the gap
    widths = outwards[first] - outwards[first - 1]
    behind = np.searchsorted(outwards, outwards[first] + widths, side="right") - first - 1
    return np.asarray(-np.log(2.0) * behind)


def _share_interval(count: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (Clopper & Pearson 1934).

    >>> [round(end, 3) for end in _share_interval(2, 100)]
    [0.002, 0.07]
    """
    from scipy.special import betaincinv

    low = float(betaincinv(count, n - count + 1, 0.025)) if count else 0.0
    high = float(betaincinv(count + 1, n - count, 0.975)) if count < n else 1.0
    return low, high
