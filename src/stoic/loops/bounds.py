"""The arm of the highest upper confidence bound."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.loops.compiling import compiled_form

__all__ = ["highest"]


def highest_numpy(deviation: Array, var: Array, width: float) -> int:
    """Return argmax of deviation + width·σ, the first of equals."""
    index = np.sqrt(var)
    index *= width
    index += deviation
    return int(index.argmax())


@compiled_form(highest_numpy)
def highest(deviation: Array, var: Array, width: float) -> int:
    """Return argmax of deviation + width·σ, the first of equals."""
    index = np.empty(len(var))
    for a in range(len(var)):
        index[a] = deviation[a] + width * math.sqrt(var[a])
    best, most = 0, -math.inf
    for a in range(len(index)):
        if index[a] > most:
            best, most = a, index[a]
    return best
