"""The p-norm of the gains of all plays, as contextual truncation levels need it."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled_form

__all__ = ["norm"]


def norm_numpy(gain: Array, counts: IntArray, p: float) -> float:
    """Return (Σ n_a |gain_a|^p)^{1/p}, without a power that could overflow or vanish."""
    weights = np.abs(gain)
    largest = float(weights.max(initial=0.0))
    if largest == 0.0:
        return 0.0
    weights /= largest
    h: float = largest * float((counts * weights**p).sum()) ** (1.0 / p)
    return h


@compiled_form(norm_numpy)
def norm(gain: Array, counts: IntArray, p: float) -> float:
    """Return (Σ n_a |gain_a|^p)^{1/p}, without a power that could overflow or vanish."""
    if p == 2.0:  # nearly always large enough to be squared as it is
        total = 0.0
        for a in range(len(gain)):
            total += counts[a] * gain[a] * gain[a]
        if total > 1e-200:
            return math.sqrt(total)
    largest = 0.0
    for a in range(len(gain)):
        if counts[a]:
            largest = max(largest, abs(gain[a]))
    if largest == 0.0:
        return 0.0
    total = 0.0
    for a in range(len(gain)):
        if counts[a]:
            share = abs(gain[a]) / largest
            total += counts[a] * (share * share if p == 2.0 else share**p)
    h: float = largest * total ** (1.0 / p)
    return h
