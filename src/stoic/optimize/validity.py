"""Keep candidates valid under the constraints of their space."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.spaces import Space

__all__ = ["kept", "replaced", "retreated"]

_HALVINGS = 6  # of the way back to a valid point: the end is within 1/64 of the boundary


def kept(space: Space, U: Array) -> Array:
    """The valid ones of some points."""
    return U[space.allows(U)] if space.valid else U


def replaced(space: Space, U: Array, others: Array) -> Array:
    """Points of which each invalid one is replaced by the other point of its row."""
    return np.where(space.allows(U)[:, None], U, others) if space.valid else U


def retreated(space: Space, starts: Array, ends: Array) -> Array:
    """Ends of local searches; invalid ones go back towards their valid starts.

    Many optima are on the boundary of a constraint, so an end is taken near the boundary.
    """
    if not space.valid:
        return ends
    bad = np.flatnonzero(~space.allows(ends))
    result = ends.copy()
    result[bad] = starts[bad]
    inside, outside = np.zeros((len(bad), 1)), np.ones((len(bad), 1))
    for _ in range(_HALVINGS if len(bad) else 0):
        middle = (inside + outside) / 2.0
        points = space.snap(starts[bad] + middle * (ends[bad] - starts[bad]))
        good = space.allows(points)[:, None]
        result[bad] = np.where(good, points, result[bad])
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
    return result
