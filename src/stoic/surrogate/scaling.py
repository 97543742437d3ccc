"""Values in units of their own robust spread, so that no scale, offset or absurdity matters."""

from __future__ import annotations

import math
import sys
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
_ENOUGH = 6  # different values
_SMALL, _LARGE = 2.0**-900, 2.0**1000  # sizes of values between which arithmetic is safe as it is
_HEADROOM_BITS = 16  # by which larger values are divided: sums and differences then stay finite
_SMALLEST_UNIT = 2.0**-1000
_FEWEST_VALUES = 3  # that tell a spread: of two, either may be an outlier
_AWAY = 8.0  # spreads of many values, beyond which a first value does not set the scale
_WINDOW = 4  # times as many values as the first tell that
_NATS = 4.0  # of evidence, before a bent scale is considered


@dataclass(frozen=True)
class Scaling:
    """z = (v − centre)/unit, with far values compressed; higher is better.

    v is y·2^−``exponent``, or that bent. The exponent is 0 unless all values are so small, or one
    so large, that differences of them would not be exact or finite.

    ``centre`` is the median of the first values, which were spread over the space, and ``unit``
    the larger of their MAD and that of all values: as measurements gather at the optimum the
    latter shrinks, and honest far points would begin to look like outliers. Half of so few values
    may be lies: those that stand far off from the ones soon after them do not count. Values that
    occur again (a clock that stops at 200) count once, lest all others seem far.

    Values that span decades on the bad side (latencies from 30 to 30,000) are bent: below
    ``pivot``, the better quartile, v falls like a logarithm, in units of ``bend``. On a straight
    scale everything good would be one dot.

    >>> scaling = Scaling.of(np.array([1.0, 2.0, 3.0, 1e308]), first=4)
    >>> scaling.z(np.array([2.0, 1e308])).round(1).tolist()
    [0.0, 40.0]
    """

    centre: float
    unit: float  # 0 where all values are equal
    pivot: float = 0.0
    bend: float = 0.0  # 0 is straight
    exponent: int = 0
    known: bool = True  # whether the values tell their spread: three of them, not all equal

    @classmethod
    def of(cls, y: Array, first: int, like: Scaling | None = None) -> Scaling:
        """The scaling of values ``y``, the ``first`` of which were spread over the space.

        Straight, or bent as that of former values.
        """
        exponent, pivot, bend = _exponent(y), 0.0, 0.0
        if like is not None:
            pivot, bend = np.ldexp([like.pivot, like.bend], like.exponent - exponent).tolist()
        v = _bend(np.ldexp(y, -exponent), pivot, bend)
        early = _credible(v[:first], v[: _WINDOW * first])
        centre = float(np.median(early))
        unit = max(_spread(early), _mad(v))
        if not unit > 0.0:  # most values are the same
            gaps = np.abs(v - centre)
            positive = gaps[gaps > 0.0]
            unit = float(np.median(positive)) if positive.size else 0.0
        unit = max(unit, _SMALLEST_UNIT) if unit > 0.0 else 0.0
        known = len(y) >= _FEWEST_VALUES and unit > 0.0
        return cls(centre, unit, pivot, bend, exponent, known)

    @classmethod
    def bent(cls, y: Array, first: int) -> Scaling | None:
        """The bent scaling of values that span decades, None of those that do not.

        The first values tell: later ones gather at the optimum, and any optimum looks like
        decades from near enough. Outliers on the bad side can do so as well; only a model of all
        values knows, by its evidence with `log_slopes` added.
        """
        exponent = _exponent(y)
        pivot, bend = _decades(np.ldexp(y[:first], -exponent))
        return cls.of(y, first, cls(0.0, 1.0, pivot, bend, exponent)) if bend > 0.0 else None

    def z(self, y: Array) -> Array:
        """Values in robust units, compressed beyond ±30 and below −3, and rounded."""
        return np.round(_compressed(self.units(y))[0] * _GRID) / _GRID

    def log_slopes(self, y: Array) -> float:
        """Σ log dz/dy: what a density of z has to gain to be one of y."""
        per_value = math.log(self.unit or 1.0) + self.exponent * math.log(2.0)
        total = float(_compressed(self.units(y))[1].sum()) - len(y) * per_value
        if self.bend > 0.0:
            below = np.minimum(self._v(y), 0.0)  # log dv/dy, but for the bend
            total += float(below.sum()) - len(y) * math.log(self.bend)
        return total

    def units(self, y: Array) -> Array:
        """(v − centre)/unit: values in robust units, not compressed; 0 where all are equal."""
        if not self.unit > 0.0:
            return np.zeros(len(y))
        with np.errstate(over="ignore"):
            units: Array = (self._v(y) / 2.0 - self.centre / 2.0) / (self.unit / 2.0)
        return np.clip(units, -1e300, 1e300)

    def _v(self, y: Array) -> Array:
        with np.errstate(over="ignore"):
            return _bend(np.clip(np.ldexp(y, -self.exponent), -1e308, 1e308), self.pivot, self.bend)

    def y(self, z: float) -> float:
        """The value that a z of ordinary size stands for."""
        if z < -_BAD:
            z = -_BAD - _BAD * math.expm1(min((-_BAD - z) / _BAD, 600.0))
        v = self.centre + self.unit * z
        if self.bend > 0.0:
            v = self.pivot - self.bend * (math.expm1(min(-v, 700.0)) if v < 0.0 else -v)
        return math.ldexp(_finite(v, self.exponent), self.exponent)

    @property
    def unit_of_y(self) -> float:
        """The unit as a difference of values near the centre."""
        slope = self.bend if self.bend > 0.0 else 1.0
        return math.ldexp(_finite(self.unit * slope, self.exponent), self.exponent)


def _compressed(z: Array) -> tuple[Array, Array]:
    """z, nearly flat beyond ±30, like a logarithm below −3; and the logarithms of its slopes."""
    size = np.abs(z)
    far = size > _LINEAR
    rise = np.log(np.where(far, size, _LINEAR) / _LINEAR) / _REACH
    slopes = np.where(far, -np.log(np.maximum(size, 1.0)) - 2.0 * np.log(np.cosh(rise)), 0.0)
    z = np.where(far, np.copysign(_LINEAR + _REACH * np.tanh(rise), z), z)
    bad = np.minimum(z + _BAD, 0.0)  # how far below −3
    return np.maximum(z, -_BAD) - _BAD * np.log1p(-bad / _BAD), slopes - np.log1p(-bad / _BAD)


def _bend(y: Array, pivot: float, bend: float) -> Array:
    """y, or v(y): v = (y − pivot)/bend above the pivot, −log(1 + (pivot − y)/bend) below."""
    if not bend > 0.0:
        return y
    with np.errstate(over="ignore"):
        below = (pivot / 2.0 - y / 2.0) / (bend / 2.0)
    below = np.clip(below, -1e300, 1e300)
    v: Array = np.where(below > 0.0, -np.log1p(np.maximum(below, 0.0)), -below)
    return v


def _decades(y: Array) -> tuple[float, float]:
    """Pivot and bend under which the values are most plausible, (0, 0) where that is straight.

    Compares the densities of Student-t laws with two degrees of freedom.
    """
    y = np.unique(y)
    spread = _mad(y)
    if len(y) < _ENOUGH or not 0.0 < spread < 1e300:
        return 0.0, 0.0
    pivot = float(np.quantile(y, 0.75))
    straight = _plausible(y) + len(y) * math.log(spread)
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
    with np.errstate(over="ignore"):
        u = np.clip((v - np.median(v)) / scale, -1e100, 1e100)
    return -len(v) * math.log(scale) - 1.5 * float(np.log1p(u * u / 2.0).sum())


def _credible(early: Array, more: Array) -> Array:
    """The first values but for those far from most of ``more``; all, if hardly any were left."""
    far = _AWAY * _spread(more)
    near = np.abs(early - np.median(more)) <= far
    return early[near] if near.sum() > 2 and far > 0.0 else early


def _spread(y: Array) -> float:
    """The MAD, or that of the different values, if larger."""
    different = np.unique(y)
    return max(_mad(y), _mad(different) if len(different) > 2 else 0.0)


def _mad(y: Array) -> float:
    return _CONSISTENT * float(np.median(np.abs(y - np.median(y))))


def _exponent(y: Array) -> int:
    """The power of two by which values are divided, so that arithmetic with them is safe."""
    size = float(np.abs(y).max())
    if 0.0 < size < _SMALL:
        return math.frexp(size)[1]
    return _HEADROOM_BITS if size > _LARGE else 0


def _finite(value: float, exponent: int) -> float:
    """The nearest number that is finite also when multiplied by 2^exponent."""
    return math.copysign(min(abs(value), math.ldexp(sys.float_info.max, -max(exponent, 0))), value)
