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


@dataclass(frozen=True)
class Scaling:
    """z = (y − centre)/unit, with far values compressed; higher is better.

    ``centre`` is the median of the first values, which were spread over the space, and ``unit``
    the larger of their MAD and that of all values: as measurements gather at the optimum the
    latter shrinks, and honest far points would begin to look like outliers.

    >>> scaling = Scaling.of(np.array([1.0, 2.0, 3.0, 1e308]), first=4)
    >>> scaling.z(np.array([2.5, 1e308])).round(1).tolist()
    [0.0, 40.0]
    """

    centre: float
    unit: float

    @classmethod
    def of(cls, y: Array, first: int) -> Scaling:
        """The scaling of values ``y``, the ``first`` of which were spread over the space."""
        early = y[:first]
        centre = 4.0 * float(np.median(early / 4.0))  # a quarter, lest sums overflow
        unit = max(_mad(early), _mad(y))
        if not unit > 0.0:  # most values are the same
            with np.errstate(over="ignore"):
                gaps = np.abs(y / 4.0 - centre / 4.0)
            positive = gaps[gaps > 0.0]
            unit = 4.0 * float(np.median(positive)) if positive.size else 1.0
        unit = min(max(unit, 1e-300), 1.7e308)
        return cls(centre, unit)

    def z(self, y: Array) -> Array:
        """Values in robust units, compressed beyond ±30 and below −3, and rounded."""
        with np.errstate(over="ignore"):
            z = (y / 2.0 - self.centre / 2.0) / (self.unit / 2.0)
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
        return _finite(self.centre + self.unit * z)


def _mad(y: Array) -> float:
    quarter = y / 4.0
    return 4.0 * _CONSISTENT * float(np.median(np.abs(quarter - np.median(quarter))))


def _finite(value: float) -> float:
    return math.copysign(min(abs(value), 1.7e308), value)
