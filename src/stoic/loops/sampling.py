"""Which arms a dictionary still samples, by one random variate for each arm."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled_form

__all__ = ["outlive"]


def outlive_numpy(
    variates: Array, limits: Array, q: float, out: float, held: IntArray
) -> tuple[int, int]:
    """Set variates beyond q·limits to ``out``; how many are left, of all and of those held."""
    variates[variates > q * limits] = out
    inside = variates < out
    return int(np.count_nonzero(inside)), int(np.count_nonzero(inside[held]))


@compiled_form(outlive_numpy)
def outlive(
    variates: Array, limits: Array, q: float, out: float, held: IntArray
) -> tuple[int, int]:
    """Set variates beyond q·limits to ``out``; how many are left, of all and of those held."""
    inside = kept = 0
    for a in range(len(variates)):
        if variates[a] < out:
            if variates[a] <= q * limits[a]:
                inside += 1
            else:
                variates[a] = out
    for i in range(len(held)):
        if variates[held[i]] < out:
            kept += 1
    return inside, kept
