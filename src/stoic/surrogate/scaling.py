"""Values in units of their own robust spread, so that no scale, offset or absurdity matters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array

__all__ = ["Scaling"]

_CONSISTENT = 1.4826  # MAD to standard deviation, for normal values
_LINEAR = 30.0  # |z| up to which nothing is compressed for its size
_REACH = 10.0  # by how much more |z| can grow, however absurd the value
_BAD = 3.0  # below -3, bad values are compressed: how bad is bad matters little
_GRID = 2.0**30  # z is rounded to 1/_GRID: rounding errors of a·y + b vanish
_BENDS = (0.1, 0.03, 0.01, 0.003, 0.001)  # of the values' spread
_LONE = 10.0  # spreads from the median: values farther off do not count
_ENOUGH = 8  # different values
_NATS = 4.0  # of evidence, before values are seen on a bent scale


@dataclass(frozen=True)
class Scaling:
    """z = (v − centre)/unit, with far values compressed; higher is better. v is y, or y bent.

    ``centre`` is the median of the first values, which were spread over the space, and ``unit``
    the larger of their MAD and that of all values: as measurements gather at the optimum the
    latter shrinks, and honest far points would begin to look like outliers. Values that occur
    again (a clock that stops at 200) count once, lest all others seem far.

    Values that span decades on the bad side (latencies from 30 to 30,000) are bent: below
    ``pivot``, the better quartile, v falls like a logarithm, in units of ``bend``. On a straight
    scale everything good would be one dot.

    >>> scaling = Scaling.of(np.array([1.0, 2.0, 3.0, 1e308]), first=4)
    >>> scaling.z(np.array([2.5, 1e308])).round(1).tolist()
    [0.0, 40.0]
    """

    centre: float
    unit: float
    pivot: float = 0.0
    bend: float = 0.0  # 0 is straight

    @classmethod
    def of(cls, y: Array, first: int) -> Scaling:
        """The scaling of values ``y``, the ``first`` of which were spread over the space.

        Whether and how they are bent changes only when their number has doubled.
        """
        doubled = 2 ** int(math.log2(len(y)))
        pivot, bend = _bent(y[: max(first, doubled)])
        y = _bend(y, pivot, bend)
        early = y[:first]
        centre = 4.0 * float(np.median(early / 4.0))  # a quarter, lest sums overflow
        different = np.unique(early)
        unit = max(_mad(early), _mad(different) if len(different) > 2 else 0.0, _mad(y))
        if not unit > 0.0:  # most values are the same
            with np.errstate(over="ignore"):
                gaps = np.abs(y / 4.0 - centre / 4.0)
            positive = gaps[gaps > 0.0]
            unit = 4.0 * float(np.median(positive)) if positive.size else 1.0
        unit = min(max(unit, 1e-300), 1.7e308)
        return cls(centre, unit, pivot, bend)

    def bends_as(self, other: Scaling) -> bool:
        """Whether values are bent in the same way."""
        return (self.pivot, self.bend) == (other.pivot, other.bend)

    def z(self, y: Array) -> Array:
        """Values in robust units, compressed beyond ±30 and below −3, and rounded."""
        v = _bend(y, self.pivot, self.bend)
        with np.errstate(over="ignore"):
            z = (v / 2.0 - self.centre / 2.0) / (self.unit / 2.0)
        z = np.clip(z, -1e300, 1e300)
        size = np.abs(z)
        far = size > _LINEAR
        grown = _LINEAR + _REACH * np.tanh(np.log(np.where(far, size, _LINEAR) / _LINEAR) / _REACH)
        z = np.where(far, np.copysign(grown, z), z)
        bad = np.minimum(z + _BAD, 0.0)  # how far below -3
        z = np.maximum(z, -_BAD) - _BAD * np.log1p(-bad / _BAD)
        return np.round(z * _GRID) / _GRID

    def y(self, z: float) -> float:
        """The value that a z of ordinary size stands for."""
        if z < -_BAD:
            z = -_BAD - _BAD * math.expm1(min((-_BAD - z) / _BAD, 600.0))
        v = self.centre + self.unit * z
        if self.bend > 0.0:
            v = self.pivot - self.bend * (math.expm1(min(-v, 700.0)) if v < 0.0 else -v)
        return _finite(v)


def _bend(y: Array, pivot: float, bend: float) -> Array:
    """y, or v(y): v = (y − pivot)/bend above the pivot, −log(1 + (pivot − y)/bend) below."""
    if not bend > 0.0:
        return y
    with np.errstate(over="ignore"):
        below = (pivot / 2.0 - y / 2.0) / (bend / 2.0)
    below = np.clip(below, -1e300, 1e300)
    v: Array = np.where(below > 0.0, -np.log1p(np.maximum(below, 0.0)), -below)
    return v


def _bent(y: Array) -> tuple[float, float]:
    """Pivot and bend under which the values are most plausible, or (0, 0) for none.

    Compares the densities of Student-t laws with two degrees of freedom, without outliers, of
    which there are as many with any bend.
    """
    spread = _mad(y)
    if not 0.0 < spread < 1e300:
        return 0.0, 0.0
    y = np.unique(y[np.abs(y / 4.0 - np.median(y / 4.0)) <= _LONE / 4.0 * spread])
    if len(y) < _ENOUGH or not (spread := _mad(y)) > 0.0:
        return 0.0, 0.0
    pivot = 4.0 * float(np.quantile(y / 4.0, 0.75))
    straight = _plausible(y / spread)
    worth = []
    for share in _BENDS:
        v = _bend(y, pivot, share * spread)
        slopes = float(np.minimum(v, 0.0).sum()) - len(y) * math.log(share)  # log dv/d(y/spread)
        worth.append(_plausible(v) + slopes - straight)
    best = int(np.argmax(worth))
    return (pivot, _BENDS[best] * spread) if worth[best] > _NATS else (0.0, 0.0)


def _plausible(v: Array) -> float:
    """The logarithm of the density of values, up to a constant of their number."""
    scale = _mad(v)
    if not scale > 0.0:
        return -math.inf
    u = np.clip((v - np.median(v)) / scale, -1e100, 1e100)
    return -len(v) * math.log(scale) - 1.5 * float(np.log1p(u * u / 2.0).sum())


def _mad(y: Array) -> float:
    quarter = y / 4.0
    return 4.0 * _CONSISTENT * float(np.median(np.abs(quarter - np.median(quarter))))


def _finite(value: float) -> float:
    return math.copysign(min(abs(value), 1.7e308), value)
