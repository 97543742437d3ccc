"""Robust location and scale of streams, and payoffs clipped by them, in Python.

What a stream has left behind is an array of (its thinned values as they came, the same sorted), and
six marks: values kept, stride, count at which the figures are worked out next, count, location,
scale.
"""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.loops.spreads import (
    COUNT,
    KEPT,
    LOCATION,
    MOST,
    NEXT,
    SCALE,
    STRIDE,
    figures,
)

__all__ = ["clip_payoffs", "take_in"]


def take_in(values: Array, marks: Array, y: float) -> None:
    """Let a stream have one more value."""
    known = marks.tolist()
    _take_in(values, known, y)
    marks[:] = known


def _take_in(values: Array, marks: list[float], y: float) -> None:
    kept, count = int(marks[KEPT]), marks[COUNT]
    sample, ordered = values
    if count % marks[STRIDE] == 0 and kept == len(sample):
        kept, marks[STRIDE] = (kept + 1) // 2, 2.0 * marks[STRIDE]
        sample[:kept] = sample[::2].copy()
        ordered[:kept] = np.sort(sample[:kept])
    if count % marks[STRIDE] == 0:
        place = int(ordered[:kept].searchsorted(y, "right"))
        ordered[place + 1 : kept + 1] = ordered[place:kept]
        ordered[place] = sample[kept] = y
        kept += 1
    marks[KEPT], marks[COUNT] = float(kept), count + 1.0
    if count + 1.0 >= marks[NEXT]:
        marks[LOCATION], marks[SCALE] = figures(ordered[:kept])
        marks[NEXT] = max(count + 2.0, float(int(1.05 * (count + 1.0))))


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
    """Take in payoffs of one arm, and clip them in place if so wished; the arm's new streak.

    The streams are of payoffs and of residuals; a third row of marks has the root mean square of
    the clipped residuals, and their number. A payoff may be factor·√(s² + std²·f²) from the
    centre, for the scale s of the residuals and f of the payoffs, or the amplitude if it is
    larger; with a streak of payoffs beyond it, ``insistence`` times that for each of them. Until
    there are ``few`` residuals, their scale stays as it is.
    """
    seen, left, learned = marks.tolist()
    rms, n = learned[:2]
    for i, y in enumerate(payoffs.tolist()):
        before = left[SCALE]
        limit = factor * math.hypot(before, std * max(seen[SCALE], amplitude))
        if streak:
            limit *= insistence ** min(abs(streak), MOST)
        residual = kept = y - centre
        if -limit <= residual <= limit:
            streak = 0
        else:
            side = 1 if residual > 0 else -1
            kept = side * limit
            streak = streak + side if streak * side >= 0 else side
        _take_in(values[0], seen, y)
        _take_in(values[1], left, residual)
        if left[COUNT] < few:
            left[SCALE] = before
        n += 1.0
        # √((n−1)/n rms² + c²/n) without a square that could overflow
        rms = math.hypot(rms * math.sqrt((n - 1.0) / n), kept / math.sqrt(n))
        if clipped:
            payoffs[i] = centre + kept
    marks[:] = seen, left, [rms, n, *learned[2:]]
    return streak
