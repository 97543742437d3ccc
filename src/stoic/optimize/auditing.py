"""Repeat a measurement now and then: only replicates distinguish noise from a rugged function.

Without replicates, what a smooth surrogate does not explain may be either. A rugged function
without noise would be averaged away, and a lucky measurement of a noisy one be taken for a fact.
"""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.optimize.history import History
from stoic.surrogate.replicates import replicate_errors

__all__ = ["to_repeat"]


_SHARE = 1.0 / 8.0  # of measurements that are repeats; noisy functions have more of them anyway


def to_repeat(history: History) -> Array | None:
    """The best point measured once, if a replicate is due.

    An eighth of the measurements are to be repeats, none within the first design. As long as all
    replicates are exactly equal, one is enough after n₀, 2n₀, 4n₀, … values, n₀ being the size of
    that design.
    """
    points, n0 = history.points(), history.design_size
    due = math.floor(math.log2(max(history.successes / n0, 0.5))) + 1
    with np.errstate(over="ignore"):  # that values differ matters, not by how much
        noisy = bool(replicate_errors(points, history.values()).any())
    if noisy:
        due = max(due, math.floor(_SHARE * history.successes))
    if history.repeats >= due:
        return None
    order = np.argsort(-history.values(), kind="stable")
    return next((points[i] for i in order if history.measured(points[i]) == 1), None)
