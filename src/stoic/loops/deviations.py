"""Means of all arms after a payoff, and their deviations from a location."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.loops.blas import add_outer
from stoic.loops.compiling import compiled_form
from stoic.loops.medians import median_of_rows, medians

__all__ = ["deviate", "pull"]


def deviate_numpy(rows: Array, location: float, out: Array) -> float:
    """Out = median of all rows but the last − location·last; return its range."""
    np.multiply(rows[-1], -location, out=out)
    out += median_of_rows(rows[:-1])
    return float(out.max() - out.min()) if len(out) else 0.0


@compiled_form(deviate_numpy)
def deviate(rows: Array, location: float, out: Array) -> float:
    """Out = median of all rows but the last − location·last; return its range."""
    if not len(out):
        return 0.0
    columns = len(rows) - 1
    medians(rows[:columns], out)
    low, high = math.inf, -math.inf
    for a in range(len(out)):
        here = out[a] - location * rows[columns, a]
        out[a] = here
        low = min(low, here)
        high = max(high, here)
    return high - low


def pull_numpy(
    rows: Array, sums: Array, gain: Array, arm: int, payoffs: Array, location: float, out: Array
) -> float:
    """Add payoffs, one for each row but the last, to the arm's sums, and pull all rows.

    Rows += (targets − rows[:, arm]) gainᵀ, in place, where the targets are the payoffs, and one
    for the last row; then :func:`deviate`.
    """
    targets = np.ones(len(rows))
    targets[:-1] = payoffs
    sums[arm] += payoffs
    add_outer(rows.T, 1.0, gain, targets - rows[:, arm])
    return deviate_numpy(rows, location, out)


@compiled_form(pull_numpy)
def pull(
    rows: Array, sums: Array, gain: Array, arm: int, payoffs: Array, location: float, out: Array
) -> float:
    """Pull all rows towards the payoffs of one arm; see :func:`pull_numpy`."""
    columns = len(payoffs)
    for i in range(columns):
        sums[arm, i] += payoffs[i]
    for i in range(columns + 1):
        row = rows[i]
        step = (payoffs[i] if i < columns else 1.0) - row[arm]
        for a in range(len(gain)):
            row[a] += step * gain[a]
    return deviate(rows, location, out)
