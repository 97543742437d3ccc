"""The same passes as compiled loops; see :mod:`stoic.loops.plain` for what they do."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from stoic.checks import Array, IntArray

__all__ = ["deviate", "highest", "late_play", "norm", "play", "pull"]

# Sums in any order, so that they can be made of several at a time; NaN and ∞ stay what they are.
_compiled = njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})

_FEW = 16  # values that are sorted by insertion


@_compiled
def play(
    psi: Array, inverse: Array, var: Array, arm: int, noise: float, lam: float, gain: Array
) -> tuple[float, float]:
    """One play on features."""
    r = len(inverse)
    row = psi[arm]
    v = np.dot(inverse, row)
    explained = 0.0
    for i in range(r):
        explained += row[i] * v[i]
    share = 1.0 / (noise + explained)
    for i in range(r):
        step = v[i] * share
        for j in range(r):
            inverse[i, j] -= step * v[j]
    np.dot(psi, v, gain)
    return explained, _shrink(var, gain, share, lam * share)


@_compiled
def late_play(
    covariance: Array, recent: Array, late: int, var: Array, arm: int, noise: float, gain: Array
) -> tuple[float, float]:
    """One play on a covariance that lags."""
    A = len(gain)
    for a in range(arm):
        gain[a] = covariance[arm, a]
    for a in range(arm, A):
        gain[a] = covariance[a, arm]
    for k in range(late):
        column = recent[:, k]
        own = column[arm]
        for a in range(A):
            gain[a] -= own * column[a]
    own = max(gain[arm], 0.0)
    share = 1.0 / (noise + own)
    column, root = recent[:, late], math.sqrt(share)
    for a in range(A):
        column[a] = root * gain[a]
    return own, _shrink(var, gain, share, share)


@_compiled
def _shrink(var: Array, gain: Array, share: float, factor: float) -> float:
    widest = 0.0
    for a in range(len(var)):
        left = max(var[a] - factor * gain[a] * gain[a], 0.0)
        var[a] = left
        gain[a] *= share
        widest = max(widest, left)
    return widest


@_compiled
def pull(rows: Array, sums: Array, gain: Array, arm: int, targets: Array) -> None:
    """Add the targets to the arm's sums and pull all rows towards them."""
    for i in range(sums.shape[1]):
        sums[arm, i] += targets[i]
    for i in range(len(rows)):
        row = rows[i]
        step = targets[i] - row[arm]
        for a in range(len(gain)):
            row[a] += step * gain[a]


@_compiled
def deviate(rows: Array, location: float, out: Array) -> float:
    """Median of the rows less a location, and how far that ranges."""
    if not len(out):
        return 0.0
    columns = len(rows) - 1
    if columns == 1:
        for a in range(len(out)):
            out[a] = rows[0, a]
    else:
        values = np.empty(columns)
        for a in range(len(out)):
            for i in range(columns):
                values[i] = rows[i, a]
            out[a] = _median(values)
    low, high = math.inf, -math.inf
    for a in range(len(out)):
        here = out[a] - location * rows[columns, a]
        out[a] = here
        low = min(low, here)
        high = max(high, here)
    return high - low


@_compiled
def _median(values: Array) -> float:
    n = len(values)
    if n > _FEW:
        return float(np.median(values))
    for i in range(1, n):
        value, j = values[i], i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value
    half = n // 2
    return float(values[half] if n % 2 else 0.5 * (values[half - 1] + values[half]))


@_compiled
def norm(gain: Array, counts: IntArray, p: float) -> float:
    """The p-norm of the gains of all plays."""
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


@_compiled
def highest(deviation: Array, var: Array, width: float) -> int:
    """The arm of the highest bound."""
    index = np.empty(len(var))
    for a in range(len(var)):
        index[a] = deviation[a] + width * math.sqrt(var[a])
    best, most = 0, -math.inf
    for a in range(len(index)):
        if index[a] > most:
            best, most = a, index[a]
    return best
