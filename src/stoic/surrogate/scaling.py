"""Values in units of their own robust spread, so that scale, offset and outliers do not matter."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace

import numpy as np

from stoic.checks import Array
from stoic.surrogate.compression import COMPRESSION, compressed, decades, log_compressed, mad

__all__ = ["Scaling"]


@dataclass(frozen=True)
class SpreadRule:
    """Which values set the scale; chosen on the develop set of benchmarks/robust."""

    min_values: int = 3  # from which a spread is known: of two, either may be an outlier
    max_distance: float = 8.0  # spreads of the window: a first value farther off does not count
    window: int = 4  # times the number of first values: the values that decide that
    informative: float = 1 / 3  # share of the values above the floor of a one-sided scale
    below: float = 0.05  # slope of such a scale below its floor


@dataclass(frozen=True)
class FloatLimits:
    """Sizes of values within which arithmetic is exact enough and finite."""

    small: float = 2.0**-900  # smaller values are multiplied by a power of two
    large: float = 2.0**1000  # larger ones are divided by one
    headroom_bits: int = 16  # that power: sums and differences then stay finite
    min_unit: float = 2.0**-1000
    z_grid: float = 2.0**30  # z is rounded to 1/z_grid: rounding errors of a·y + b vanish


_SPREAD = SpreadRule()
_FLOATS = FloatLimits()


@dataclass(frozen=True)
class Scaling:
    """z = (v − centre)/unit, with far values compressed; higher is better.

    v is y·2^−``exponent``, or that on a log-compressed scale. The exponent is 0 unless all values
    are so small, or one so large, that differences of them would not be exact or finite.

    ``centre`` is the median of the first values, which were spread over the space. ``unit`` is the
    larger of their MAD and that of all values. The latter shrinks as measurements gather at the
    optimum; alone, it would make regular values far away look like outliers. Half of so few values
    may be outliers: those far from the values soon after them do not count. Values that recur (a
    timeout at 200) count once, so that the others do not seem far.

    Values that span decades on the bad side (latencies from 30 to 30,000) are log-compressed:
    below ``pivot``, which the best quarter exceeds, v falls like a logarithm, in units of
    ``log_unit``, the range of that quarter. On a linear scale, all good values would be nearly
    equal. Noise in proportion to the value is about the same everywhere on the log-compressed one.
    Where the values span decades and no surrogate explains them, errors may multiply a value by
    any factor. A good value then tells much and a bad one nothing: below ``floor``, which the best
    third exceeds, a *one-sided* scale is nearly flat.

    >>> scaling = Scaling.of(np.array([1.0, 2.0, 3.0, 1e308]), first=4)
    >>> scaling.z(np.array([2.0, 1e308])).round(1).tolist()
    [0.0, 40.0]
    """

    centre: float
    unit: float  # 0 where all values are equal
    pivot: float = 0.0
    log_unit: float = 0.0  # 0 is linear
    exponent: int = 0
    known: bool = True  # whether the spread is: of three values at least, not all equal
    floor: float = -math.inf  # of v: a one-sided scale is nearly flat below it

    @classmethod
    def of(cls, y: Array, first: int, like: Scaling | None = None) -> Scaling:
        """The scaling of values ``y``, the ``first`` of which were spread over the space.

        Linear, or log-compressed as that of earlier values, ``like``.
        """
        exponent, pivot, log_unit = _exponent(y), 0.0, 0.0
        if like is not None:
            shift = like.exponent - exponent
            pivot, log_unit = np.ldexp([like.pivot, like.log_unit], shift).tolist()
        v = log_compressed(np.ldexp(y, -exponent), pivot, log_unit)
        if like is not None and like.is_one_sided:
            return cls._above_floor(v, pivot, log_unit, exponent)
        early = _credible(v[:first], v[: _SPREAD.window * first])
        centre = float(np.median(early))
        unit = max(_spread(early), mad(v))
        if not unit > 0.0:  # most values are the same
            gaps = np.abs(v - centre)
            positive = gaps[gaps > 0.0]
            unit = float(np.median(positive)) if positive.size else 0.0
        unit = max(unit, _FLOATS.min_unit) if unit > 0.0 else 0.0
        known = len(y) >= _SPREAD.min_values and unit > 0.0
        return cls(centre, unit, pivot, log_unit, exponent, known)

    @classmethod
    def log_compressed(cls, y: Array, first: int) -> Scaling | None:
        """The log-compressed scaling of values that span decades, None for other values.

        Outliers on the bad side can look like decades. Only a model of all values can distinguish
        the two, by its evidence with `log_slopes` added.
        """
        exponent = _exponent(y)
        pivot, log_unit = decades(np.ldexp(y, -exponent))
        if not log_unit > 0.0:
            return None
        return cls.of(y, first, cls(0.0, 1.0, pivot, log_unit, exponent))

    @classmethod
    def one_sided(cls, y: Array, first: int, like: Scaling) -> Scaling:
        """The one-sided scaling of values, log-compressed as ``like``."""
        return cls.of(y, first, replace(like, floor=0.0))

    @classmethod
    def _above_floor(cls, v: Array, pivot: float, log_unit: float, exponent: int) -> Scaling:
        different = np.unique(v)
        floor = float(np.quantile(different, 1.0 - _SPREAD.informative))
        above = different[different > floor] - floor
        unit = max(float(np.median(above)), _FLOATS.min_unit) if above.size else 1.0
        return cls(floor, unit, pivot, log_unit, exponent, True, floor)

    @property
    def is_one_sided(self) -> bool:
        """Whether bad values count for little."""
        return math.isfinite(self.floor)

    def z(self, y: Array) -> Array:
        """Values in robust units, compressed beyond ±30 and below −3, and rounded."""
        return np.round(compressed(self.units(y))[0] * _FLOATS.z_grid) / _FLOATS.z_grid

    def log_slopes(self, y: Array) -> float:
        """Σ log dz/dy: added to the log density of z, it gives that of y."""
        per_value = math.log(self.unit or 1.0) + self.exponent * math.log(2.0)
        total = float(compressed(self.units(y))[1].sum()) - len(y) * per_value
        if self.log_unit > 0.0:
            below = np.minimum(self._v(y), 0.0)  # log dv/dy, but for the unit
            total += float(below.sum()) - len(y) * math.log(self.log_unit)
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
            finite = np.clip(np.ldexp(y, -self.exponent), -1e308, 1e308)
            v = log_compressed(finite, self.pivot, self.log_unit)
        if self.is_one_sided:
            v = np.maximum(v, self.floor) + _SPREAD.below * np.minimum(v - self.floor, 0.0)
        return v

    def y(self, z: float) -> float:
        """The value that a z of ordinary size stands for."""
        bad = COMPRESSION.bad
        if z < -bad:
            z = -bad - bad * math.expm1(min((-bad - z) / bad, 600.0))
        v = self.centre + self.unit * z
        if v < self.floor:
            v = self.floor + (v - self.floor) / _SPREAD.below
        if self.log_unit > 0.0:
            v = self.pivot - self.log_unit * (math.expm1(min(-v, 700.0)) if v < 0.0 else -v)
        return math.ldexp(_finite(v, self.exponent), self.exponent)

    @property
    def unit_of_y(self) -> float:
        """The unit as a difference of values near the centre."""
        slope = self.log_unit if self.log_unit > 0.0 else 1.0
        return math.ldexp(_finite(self.unit * slope, self.exponent), self.exponent)


def _credible(early: Array, more: Array) -> Array:
    """The first values without those far from most of ``more``; all, if hardly any remain."""
    far = _SPREAD.max_distance * _spread(more)
    near = np.abs(early - np.median(more)) <= far
    return early[near] if near.sum() > 2 and far > 0.0 else early


def _spread(y: Array) -> float:
    """The MAD, or that of the different values, if larger."""
    different = np.unique(y)
    return max(mad(y), mad(different) if len(different) > 2 else 0.0)


def _exponent(y: Array) -> int:
    """The power of two by which values are divided, so that arithmetic with them is safe."""
    size = float(np.abs(y).max())
    if 0.0 < size < _FLOATS.small:
        return math.frexp(size)[1]
    return _FLOATS.headroom_bits if size > _FLOATS.large else 0


def _finite(value: float, exponent: int) -> float:
    """The nearest number that is finite also when multiplied by 2^exponent."""
    return math.copysign(min(abs(value), math.ldexp(sys.float_info.max, -max(exponent, 0))), value)
