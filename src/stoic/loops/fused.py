"""The same passes as compiled loops; see :mod:`stoic.loops.plain` for what they do."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled
from stoic.loops.turning import turn

__all__ = [
    "deviate",
    "highest",
    "interpolate",
    "late_play",
    "norm",
    "outlive",
    "play",
    "pull",
    "turn",
]

_FEW = 24  # rows that are sorted by exchanges
_BLOCK = 64  # columns whose rows the nearest cache holds


@compiled
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


@compiled
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


@compiled
def _shrink(var: Array, gain: Array, share: float, factor: float) -> float:
    widest = 0.0
    for a in range(len(var)):
        left = max(var[a] - factor * gain[a] * gain[a], 0.0)
        var[a] = left
        gain[a] *= share
        widest = max(widest, left)
    return widest


@compiled
def pull(rows: Array, sums: Array, gain: Array, arm: int, targets: Array) -> None:
    """Add the targets to the arm's sums and pull all rows towards them."""
    for i in range(sums.shape[1]):
        sums[arm, i] += targets[i]
    for i in range(len(rows)):
        row = rows[i]
        step = targets[i] - row[arm]
        for a in range(len(gain)):
            row[a] += step * gain[a]


@compiled
def deviate(rows: Array, location: float, out: Array) -> float:
    """Median of the rows less a location, and how far that ranges."""
    if not len(out):
        return 0.0
    columns = len(rows) - 1
    if columns == 1:
        for a in range(len(out)):
            out[a] = rows[0, a]
    elif columns <= _FEW:
        _medians(rows[:columns], out)
    else:
        for a in range(len(out)):
            out[a] = np.median(rows[:columns, a])
    low, high = math.inf, -math.inf
    for a in range(len(out)):
        here = out[a] - location * rows[columns, a]
        out[a] = here
        low = min(low, here)
        high = max(high, here)
    return high - low


@compiled
def _medians(rows: Array, out: Array) -> None:
    """The median of each column, by exchanges without a branch, a block of columns at a time."""
    n = len(rows)
    block = np.empty((n, _BLOCK))
    for start in range(0, len(out), _BLOCK):
        size = min(_BLOCK, len(out) - start)
        for i in range(n):
            for a in range(size):
                block[i, a] = rows[i, start + a]
        for sweep in range(n):
            for i in range(sweep % 2, n - 1, 2):
                lower, upper = block[i], block[i + 1]
                for a in range(size):
                    x, y = lower[a], upper[a]
                    lower[a] = x if x < y else y
                    upper[a] = y if x < y else x
        for a in range(size):
            middle = block[n // 2, a]
            out[start + a] = middle if n % 2 else 0.5 * (block[n // 2 - 1, a] + middle)


@compiled
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


@compiled
def outlive(
    variates: Array, limits: Array, q: float, out: float, held: IntArray
) -> tuple[int, int]:
    """Drop variates beyond their limits, and count the others."""
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


@compiled
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


@compiled
def interpolate(
    weights: NDArray[np.float32],
    anchors: Array,
    offset: Array,
    location: float,
    since: Array,
    stamp: IntArray,
    rho: Array,
    slack: Array,
    values: Array,
    doubts: Array,
) -> None:
    """Fill in what follows from the anchors of some blocks, and how far off it may be."""
    count, n, p = weights.shape
    for b in range(count):
        anchor = anchors[b]
        for i in range(n):
            weight = weights[b, i]
            value = 0.0
            for j in range(p):
                value += weight[j] * anchor[j]
            values[b, i] = value + offset[0, b, i] - location * offset[1, b, i]
            doubts[b, i] = since[stamp[b, i]] * rho[b, i] + slack[b]
