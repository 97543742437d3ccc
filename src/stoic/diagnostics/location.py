"""Robust location, scale and skewness of values with outliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stoic.checks import Array

__all__ = ["MAD_OF_NORMAL", "Location", "evenly", "locate", "mad_scale", "middle"]

# The median absolute deviation of a normal distribution, relative to its standard deviation.
MAD_OF_NORMAL = 0.6744897501960817

_MIN_VALUES_FOR_SKEW = 16  # two values beyond each octile
_LARGEST = float(np.finfo(float).max)


@dataclass(frozen=True)
class Location:
    """Robust location, scale and skewness.

    ``scale`` is the median absolute deviation in units of a normal distribution's standard
    deviation; ``skew`` is the octile skewness, between −1 and 1, or None with too few values.
    """

    median: float
    scale: float
    skew: float | None


def locate(ordered: Array, unit: float = 1.0) -> Location:
    """Location of sorted values that were divided by ``unit``.

    >>> locate(np.array([1.0, 2.0, 3.0, 4.0, 1e300])).median
    3.0
    """
    median = middle(ordered)
    scale = mad_scale(np.abs(ordered - median))
    skew = _octile_skewness(ordered) if len(ordered) >= _MIN_VALUES_FOR_SKEW else None
    return Location(median * unit, min(scale * unit, _LARGEST), skew)


def middle(ordered: Array) -> float:
    """The median of sorted values, at least one."""
    half = len(ordered) // 2
    if len(ordered) % 2:
        return float(ordered[half])
    low, high = float(ordered[half - 1]), float(ordered[half])
    return low + (high - low) / 2.0


def evenly(ordered: Array, most: int) -> Array:
    """At most so many of sorted values, at equal ranks.

    >>> evenly(np.arange(101.0), 5)
    array([  0.,  25.,  50.,  75., 100.])
    """
    at = np.linspace(0, len(ordered) - 1, min(len(ordered), most)).round()
    return ordered[at.astype(np.int64)]


def mad_scale(deviations: Array) -> float:
    """Scale of absolute deviations: their median / 0.6745.

    If more than half of them are zero, the median of the others, as in
    :class:`stoic.estimators.spread.RunningSpread`.
    """
    ordered = np.sort(deviations)
    scale = middle(ordered)
    if scale == 0.0 and ordered[-1] > 0.0:
        scale = middle(ordered[ordered > 0.0])
    return min(scale / MAD_OF_NORMAL, _LARGEST)


def _octile_skewness(ordered: Array) -> float:
    """(q₇ + q₁ − 2 q₄) / (q₇ − q₁), q the octiles (Hinkley 1975); 0 if they coincide."""
    low, centre, high = np.quantile(ordered, [0.125, 0.5, 0.875])
    width = float(high - low)
    return float(((high - centre) - (centre - low)) / width) if width > 0.0 else 0.0
