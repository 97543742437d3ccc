"""Robust location and scale of streams of values, in bounded memory.

A stream keeps an array of two rows (its thinned values in order of arrival, and sorted) and six
counters: values kept, stride, count at which the figures are computed next, count, location,
scale.
"""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.loops.compiling import compiled_form, exact

__all__ = ["FRESH", "MAD_OF_NORMAL", "figures", "take_in", "take_in_list"]

# The median absolute deviation of a normal law, as a share of its standard deviation.
MAD_OF_NORMAL = 0.6744897501960817
KEPT, STRIDE, NEXT, COUNT, LOCATION, SCALE = range(6)
FRESH = (0.0, 1.0, 1.0, 0.0, 0.0, 0.0)  # the counters of a stream that has not begun


def take_in_numpy(values: Array, counters: Array, y: float) -> None:
    """Add one value to a stream."""
    known = counters.tolist()
    take_in_list(values, known, y)
    counters[:] = known


def take_in_list(values: Array, counters: list[float], y: float) -> None:
    """Add one value to a stream whose counters are a list, which Python reads faster."""
    kept, count = int(counters[KEPT]), counters[COUNT]
    sample, ordered = values
    if count % counters[STRIDE] == 0 and kept == len(sample):
        kept, counters[STRIDE] = (kept + 1) // 2, 2.0 * counters[STRIDE]
        sample[:kept] = sample[::2].copy()
        ordered[:kept] = np.sort(sample[:kept])
    if count % counters[STRIDE] == 0:
        at = int(ordered[:kept].searchsorted(y, "right"))
        ordered[at + 1 : kept + 1] = ordered[at:kept]
        ordered[at] = sample[kept] = y
        kept += 1
    counters[KEPT], counters[COUNT] = float(kept), count + 1.0
    if count + 1.0 >= counters[NEXT]:
        counters[LOCATION], counters[SCALE] = figures(ordered[:kept])
        counters[NEXT] = max(count + 2.0, float(int(1.05 * (count + 1.0))))


@compiled_form(take_in_numpy, exact)
def take_in(values: Array, counters: Array, y: float) -> None:
    """Add one value to a stream."""
    kept, stride, count = int(counters[KEPT]), int(counters[STRIDE]), int(counters[COUNT])
    sample, ordered = values[0], values[1]
    if count % stride == 0 and kept == len(sample):
        kept, stride = (kept + 1) // 2, 2 * stride
        sample[:kept] = sample[::2].copy()
        ordered[:kept] = np.sort(sample[:kept])
        counters[STRIDE] = stride
    if count % stride == 0:
        sample[kept] = y
        at = np.searchsorted(ordered[:kept], y, side="right")
        ordered[at + 1 : kept + 1] = ordered[at:kept].copy()
        ordered[at] = y
        kept += 1
    counters[KEPT] = kept
    counters[COUNT] = count + 1
    if count + 1 >= counters[NEXT]:
        counters[LOCATION], counters[SCALE] = figures(ordered[:kept])
        counters[NEXT] = max(count + 2, int(1.05 * (count + 1)))


@exact
def figures(values: Array) -> tuple[float, float]:
    """Location and scale of sorted values; one source for both forms."""
    n, half = len(values), len(values) // 2
    centre = values[half]
    if n % 2 == 0:
        centre = values[half - 1] + (centre - values[half - 1]) / 2.0
    scale = _middle_distance(values, centre)
    if scale == 0.0:  # more than half of the values are equal
        others = values[values != centre]
        scale = _middle_distance(others, centre) if len(others) else 0.0
    return float(centre), scale / MAD_OF_NORMAL


@exact
def _middle_distance(values: Array, centre: float) -> float:
    """The median of |v − centre| for sorted values.

    Those below the centre, read backwards, and those above it are two sorted rows of distances:
    how many of each are among the nearest half is found by halving.
    """
    n, below = len(values), int(np.searchsorted(values, centre))
    near = (n + 1) // 2  # values up to the middle
    low, high = max(0, near - (n - below)), min(near, below)
    while low < high:  # how many of them are below the centre
        half = (low + high) // 2
        if centre - values[below - 1 - half] < values[below + near - 1 - half] - centre:
            low = half + 1
        else:
            high = half
    left, right = below - low, below + near - low  # the nearest are values[left:right]
    inner = max(centre - values[left], values[right - 1] - centre)
    if n % 2:
        return float(inner)
    outer = centre - values[left - 1] if left else math.inf
    if right < n:
        outer = min(outer, values[right] - centre)
    return float(inner + (outer - inner) / 2.0)
