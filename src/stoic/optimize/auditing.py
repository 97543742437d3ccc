"""Repeat a measurement now and then: only replicates distinguish noise from a rugged function.

Without replicates, what a smooth surrogate does not explain may be either. A rugged function
without noise would be averaged away, and a lucky measurement of a noisy one be taken for a fact.
"""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.optimize.history import History

__all__ = ["to_repeat"]


def to_repeat(history: History) -> Array | None:
    """The best point measured once, if replicates are due: one after n₀, 2n₀, 4n₀, … values.

    n₀ is the size of the first design. Most noisy functions have more replicates than that anyway.
    """
    due = math.floor(math.log2(max(history.successes / history.design_size, 0.5))) + 1
    if history.repeats >= due:
        return None
    points = history.points()
    order = np.argsort(-history.values(), kind="stable")
    return next((points[i] for i in order if history.measured(points[i]) == 1), None)
