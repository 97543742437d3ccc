"""How many values lie too far for the bulk, and whether they stand apart from it.

Two questions that are often mixed up. *Far* is a value beyond five robust standard deviations
of its side: a normal law has one in three million there, an exponential one in three hundred, a
Cauchy law one in twenty-five on each side. *Apart* is a group of values behind a gap that no
tail explains: in a tail of index 1/ξ the logarithmic spacings i·log(y₍ᵢ₎/y₍ᵢ₊₁₎), i counted
from the farthest value, are independent and exponential with mean ξ (Rényi), hence a spacing over
the mean of the K spacings below it exceeds x with probability (1 + x/K)^−K. Nor does any law
whose density falls on the way out explain a gap with m + 1 values in as short a stretch behind
it: the chance is at most 2^−m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.diagnostics.location import MAD_OF_NORMAL, mad_scale, middle
from stoic.diagnostics.tails import spread_ties

__all__ = ["Outliers", "find_outliers"]

FAR = 5.0  # robust standard deviations
_BULK = 3.0  # robust standard deviations that are never apart
_FEWEST = 10
_LEVEL = 0.01  # of a false gap, on either side


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

    Outliers are None where the values are fewer than ten.

    >>> bulk = np.linspace(-1, 1, 100)
    >>> seen, rest = find_outliers(np.append(bulk, [1e9, 2e9]))
    >>> round(seen.apart_above, 3), len(rest)
    (0.02, 100)
    """
    n = len(ordered)
    if n < _FEWEST:
        return None, ordered
    below, above = _apart(ordered)
    rest = ordered[below : n - above]
    centre = middle(rest)
    scale = mad_scale(np.abs(rest - centre))
    if scale == 0.0:
        far_below = far_above = 0
    else:
        far_below = int((centre - ordered > _reach(centre - rest, scale)).sum())
        far_above = int((ordered - centre > _reach(rest - centre, scale)).sum())
    far_below, far_above = max(far_below, below), max(far_above, above)
    far = far_below + far_above
    shares = (far_below / n, far_above / n, below / n, above / n)
    return Outliers(far / n, _share_interval(far, n), *shares), rest


def _reach(side: Array, scale: float) -> float:
    """How far from the centre a side's values may lie: five of its own deviations.

    A side's deviation is at most twice the whole's, so that many outliers can't widen it much.
    """
    own = middle(np.sort(side[side >= 0.0])) / MAD_OF_NORMAL
    return FAR * (min(own, 2.0 * scale) if own > 0.0 else scale)


def _apart(ordered: Array) -> tuple[int, int]:
    """How many of the lowest and highest values stand apart."""
    centre = middle(ordered)
    scale = mad_scale(np.abs(ordered - centre))
    if scale == 0.0:
        return 0, 0
    sides = centre - ordered[ordered <= centre], (ordered[ordered >= centre] - centre)[::-1]
    below, above = (_behind_a_gap(side, _BULK * scale) for side in sides)
    return below, above


def _behind_a_gap(side: Array, bulk: float) -> int:
    """How many of a side's deviations, farthest first, lie behind the innermost gap."""
    far = min(int((side > bulk).sum()), len(side) - _FEWEST)
    if far <= 0:
        return 0
    side = np.maximum(spread_ties(side[::-1])[::-1], 0.0)  # rounding leaves gaps everywhere
    chance = np.minimum(_in_a_tail(side, far, bulk), _in_one_hump(side, far))
    found = np.flatnonzero(chance + np.log(len(side)) < np.log(_LEVEL / 4.0))
    return int(found[-1]) + 1 if len(found) else 0


def _in_a_tail(side: Array, far: int, bulk: float) -> Array:
    """Log of the chance of each gap in a power tail; gaps count from the bulk's edge."""
    size = len(side)
    logs = np.log(np.maximum(side, side[side > 0.0].min()))
    total = np.concatenate([[0.0], np.cumsum(np.arange(1, size) * (logs[:-1] - logs[1:]))])
    i = np.arange(1, far + 1)
    gaps = i * (logs[i - 1] - np.maximum(logs[i], np.log(bulk)))
    K = np.maximum((size - i) // 3, 1)
    means = (total[np.minimum(i + K, size - 1)] - total[i]) / K
    usable = (K >= _FEWEST // 2) & (means > 0.0)
    ratios = np.divide(gaps, means, out=np.zeros_like(gaps), where=usable)
    return np.asarray(-K * np.log1p(ratios / K))


def _in_one_hump(side: Array, far: int) -> Array:
    """Log of the chance of each gap where the density falls on the way out."""
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
