"""Robust location and scale of streams, and payoffs clipped by them, as compiled loops.

See :mod:`stoic.loops.plain_spreads` for what they do.
"""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.loops.compiling import exact

__all__ = ["FRESH", "MAD_OF_NORMAL", "clip_payoffs", "figures", "take_in"]

# The median absolute deviation of a normal law, as a share of its standard deviation.
MAD_OF_NORMAL = 0.6744897501960817
KEPT, STRIDE, NEXT, COUNT, LOCATION, SCALE = range(6)
FRESH = (0.0, 1.0, 1.0, 0.0, 0.0, 0.0)  # the marks of a stream that has not begun
MOST = 700  # doublings of a limit: beyond them it is no limit any more


@exact
def take_in(values: Array, marks: Array, y: float) -> None:
    """Let a stream have one more value."""
    kept, stride, count = int(marks[KEPT]), int(marks[STRIDE]), int(marks[COUNT])
    sample, ordered = values[0], values[1]
    if count % stride == 0 and kept == len(sample):
        kept, stride = (kept + 1) // 2, 2 * stride
        sample[:kept] = sample[::2].copy()
        ordered[:kept] = np.sort(sample[:kept])
        marks[STRIDE] = stride
    if count % stride == 0:
        sample[kept] = y
        place = np.searchsorted(ordered[:kept], y, side="right")
        ordered[place + 1 : kept + 1] = ordered[place:kept].copy()
        ordered[place] = y
        kept += 1
    marks[KEPT] = kept
    marks[COUNT] = count + 1
    if count + 1 >= marks[NEXT]:
        marks[LOCATION], marks[SCALE] = figures(ordered[:kept])
        marks[NEXT] = max(count + 2, int(1.05 * (count + 1)))


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
    while low < high:  # of them, how many lie below the centre
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


@exact
def clip_payoffs(
    values: Array,
    marks: Array,
    payoffs: Array,
    clipped: bool,
    streak: int,
    centre: float,
    std: float,
    amplitude: float,
    factor: float,
    insistence: float,
    few: int,
) -> int:
    """Take in payoffs of one arm, and clip them in place if so wished."""
    learned = marks[2]
    for i in range(len(payoffs)):
        y = payoffs[i]
        limit = factor * math.hypot(marks[1, SCALE], std * max(marks[0, SCALE], amplitude))
        if streak:
            limit *= insistence ** min(abs(streak), MOST)
        residual = kept = y - centre
        if -limit <= residual <= limit:
            streak = 0
        else:
            side = 1 if residual > 0 else -1
            kept = side * limit
            streak = streak + side if streak * side >= 0 else side
        take_in(values[0], marks[0], y)
        scale = marks[1, SCALE]
        take_in(values[1], marks[1], residual)
        if marks[1, COUNT] < few:
            marks[1, SCALE] = scale
        n = learned[1] + 1.0
        # √((n−1)/n rms² + c²/n) without a square that could overflow
        learned[0] = math.hypot(learned[0] * math.sqrt((n - 1.0) / n), kept / math.sqrt(n))
        learned[1] = n
        if clipped:
            payoffs[i] = centre + kept
    return streak
