"""Payoffs clipped by the location and scale of what was seen before."""

from __future__ import annotations

import math

from stoic.checks import Array
from stoic.loops.compiling import compiled_form, exact
from stoic.loops.streams import COUNT, SCALE, take_in, take_in_list

__all__ = ["clip_payoffs"]

_LIMIT_GROWTH = 2.0  # of an arm's limit, with each payoff in a row beyond it
_MAX_DOUBLINGS = 700  # of a limit: beyond them it is no limit any more
_MIN_RESIDUALS = 20  # before their scale is taken from them: twice the payoffs of a warm-up


def clip_payoffs_numpy(
    values: Array,
    counters: Array,
    payoffs: Array,
    streak: int,
    centre: float,
    std: float,
    amplitude: float,
    factor: float,
) -> int:
    """Take in payoffs of one arm, and clip them in place; return the arm's new streak.

    The streams are of payoffs and of residuals; a third row of counters has the root mean square
    of the clipped residuals, and their number. A payoff may be factor·√(s² + std²·f²) from the
    centre, for the scale s of the residuals and f of the payoffs, or the amplitude if it is
    larger; a streak of n payoffs beyond it doubles the limit n times. Until there are enough
    residuals, their scale stays as it is.
    """
    seen, left, learned = counters.tolist()
    rms, n = learned[:2]
    for i, y in enumerate(payoffs.tolist()):
        before = left[SCALE]
        limit = factor * math.hypot(before, std * max(seen[SCALE], amplitude))
        if streak:
            limit *= _LIMIT_GROWTH ** min(abs(streak), _MAX_DOUBLINGS)
        residual = kept = y - centre
        if -limit <= residual <= limit:
            streak = 0
        else:
            side = 1 if residual > 0 else -1
            kept = side * limit
            streak = streak + side if streak * side >= 0 else side
        take_in_list(values[0], seen, y)
        take_in_list(values[1], left, residual)
        if left[COUNT] < _MIN_RESIDUALS:
            left[SCALE] = before
        n += 1.0
        # √((n−1)/n rms² + c²/n) without a square that could overflow
        rms = math.hypot(rms * math.sqrt((n - 1.0) / n), kept / math.sqrt(n))
        payoffs[i] = centre + kept
    counters[:] = seen, left, [rms, n, *learned[2:]]
    return streak


@compiled_form(clip_payoffs_numpy, exact)
def clip_payoffs(
    values: Array,
    counters: Array,
    payoffs: Array,
    streak: int,
    centre: float,
    std: float,
    amplitude: float,
    factor: float,
) -> int:
    """Take in payoffs of one arm, and clip them in place; return the arm's new streak."""
    learned = counters[2]
    for i in range(len(payoffs)):
        y = payoffs[i]
        limit = factor * math.hypot(counters[1, SCALE], std * max(counters[0, SCALE], amplitude))
        if streak:
            limit *= _LIMIT_GROWTH ** min(abs(streak), _MAX_DOUBLINGS)
        residual = kept = y - centre
        if -limit <= residual <= limit:
            streak = 0
        else:
            side = 1 if residual > 0 else -1
            kept = side * limit
            streak = streak + side if streak * side >= 0 else side
        take_in(values[0], counters[0], y)
        scale = counters[1, SCALE]
        take_in(values[1], counters[1], residual)
        if counters[1, COUNT] < _MIN_RESIDUALS:
            counters[1, SCALE] = scale
        n = learned[1] + 1.0
        # √((n−1)/n rms² + c²/n) without a square that could overflow
        learned[0] = math.hypot(learned[0] * math.sqrt((n - 1.0) / n), kept / math.sqrt(n))
        learned[1] = n
        payoffs[i] = centre + kept
    return streak
