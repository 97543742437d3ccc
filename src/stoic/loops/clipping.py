"""Payoffs clipped by the location and scale of what was seen before, and their means after it."""

from __future__ import annotations

import math

from stoic.checks import Array
from stoic.loops.compiling import compiled_form, exact
from stoic.loops.deviations import pull, pull_numpy
from stoic.loops.streams import COUNT, LOCATION, SCALE, take_in, take_in_list

__all__ = ["absorb", "clip_payoffs"]

_MAX_DOUBLINGS = 700  # of a limit: beyond them it is no limit any more


def clip_payoffs_numpy(
    values: Array,
    counters: Array,
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

    The streams are of payoffs and of residuals; a third row of counters has the root mean square
    of the clipped residuals, and their number. A payoff may be factor·√(s² + std²·f²) from the
    centre, for the scale s of the residuals and f of the payoffs, or the amplitude if it is
    larger; with a streak of payoffs beyond it, ``insistence`` times that for each of them. Until
    there are ``few`` residuals, their scale stays as it is.
    """
    seen, left, learned = counters.tolist()
    rms, n = learned[:2]
    for i, y in enumerate(payoffs.tolist()):
        before = left[SCALE]
        limit = factor * math.hypot(before, std * max(seen[SCALE], amplitude))
        if streak:
            limit *= insistence ** min(abs(streak), _MAX_DOUBLINGS)
        residual = kept = y - centre
        if -limit <= residual <= limit:
            streak = 0
        else:
            side = 1 if residual > 0 else -1
            kept = side * limit
            streak = streak + side if streak * side >= 0 else side
        take_in_list(values[0], seen, y)
        take_in_list(values[1], left, residual)
        if left[COUNT] < few:
            left[SCALE] = before
        n += 1.0
        # √((n−1)/n rms² + c²/n) without a square that could overflow
        rms = math.hypot(rms * math.sqrt((n - 1.0) / n), kept / math.sqrt(n))
        if clipped:
            payoffs[i] = centre + kept
    counters[:] = seen, left, [rms, n, *learned[2:]]
    return streak


@compiled_form(clip_payoffs_numpy, exact)
def clip_payoffs(
    values: Array,
    counters: Array,
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
    """Take in payoffs of one arm, and clip them in place if so wished; the arm's new streak."""
    learned = counters[2]
    for i in range(len(payoffs)):
        y = payoffs[i]
        limit = factor * math.hypot(counters[1, SCALE], std * max(counters[0, SCALE], amplitude))
        if streak:
            limit *= insistence ** min(abs(streak), _MAX_DOUBLINGS)
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
        if counters[1, COUNT] < few:
            counters[1, SCALE] = scale
        n = learned[1] + 1.0
        # √((n−1)/n rms² + c²/n) without a square that could overflow
        learned[0] = math.hypot(learned[0] * math.sqrt((n - 1.0) / n), kept / math.sqrt(n))
        learned[1] = n
        if clipped:
            payoffs[i] = centre + kept
    return streak


def absorb_numpy(
    values: Array,
    counters: Array,
    clipped: bool,
    streak: int,
    centre: float,
    std: float,
    amplitude: float,
    factor: float,
    insistence: float,
    few: int,
    rows: Array,
    sums: Array,
    gain: Array,
    arm: int,
    targets: Array,
    out: Array,
) -> tuple[int, float, float]:
    """Clip the targets, all but the last, by what is known of payoffs, and :func:`pull`.

    Return the arm's new streak (see :func:`clip_payoffs`), the location that the payoffs then
    have, and the range of the deviations from it.
    """
    payoffs = targets[:-1]
    streak = clip_payoffs_numpy(
        values, counters, payoffs, clipped, streak, centre, std, amplitude, factor, insistence, few
    )
    location = float(counters[0, LOCATION])
    return streak, location, pull_numpy(rows, sums, gain, arm, targets, location, out)


@compiled_form(absorb_numpy)
def absorb(
    values: Array,
    counters: Array,
    clipped: bool,
    streak: int,
    centre: float,
    std: float,
    amplitude: float,
    factor: float,
    insistence: float,
    few: int,
    rows: Array,
    sums: Array,
    gain: Array,
    arm: int,
    targets: Array,
    out: Array,
) -> tuple[int, float, float]:
    """Clip payoffs, and pull all rows towards them; see :func:`absorb_numpy`."""
    payoffs = targets[:-1]
    streak = clip_payoffs(
        values, counters, payoffs, clipped, streak, centre, std, amplitude, factor, insistence, few
    )
    location = counters[0, LOCATION]
    return streak, location, pull(rows, sums, gain, arm, targets, location, out)
