"""The same passes as compiled loops; see :mod:`stoic.loops.plain` for what they do."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled
from stoic.loops.spreads import LOCATION, clip_payoffs, take_in
from stoic.loops.truncating import clip_directions, cut_directions, smooth_about
from stoic.loops.turning import turn

__all__ = [
    "absorb",
    "clip_directions",
    "clip_payoffs",
    "cut_directions",
    "deviate",
    "highest",
    "interpolate",
    "late_play",
    "norm",
    "outlive",
    "play",
    "pull",
    "smooth_about",
    "spread",
    "take_in",
    "turn",
]

_FEW = 24  # rows that are sorted by exchanges
_BLOCK = 64  # columns whose rows the nearest cache holds


@compiled
def play(
    psi: Array,
    parts: tuple[Array, Array, IntArray],
    inverse: Array,
    var: Array,
    arm: int,
    noise: float,
    lam: float,
    again: bool,
    direction: Array,
    column: Array,
    gain: Array,
) -> tuple[float, float]:
    """One play on features."""
    r = len(inverse)
    row = psi[arm]
    if not again:
        np.dot(inverse, row, direction)
        _multiply(psi, parts, direction, column)
    explained = 0.0
    for i in range(r):
        explained += row[i] * direction[i]
    share = 1.0 / (noise + explained)
    for i in range(r):
        step = direction[i] * share
        for j in range(r):
            inverse[i, j] -= step * direction[j]
    for i in range(r):
        direction[i] *= noise * share
    widest = 0.0
    for a in range(len(var)):
        step = column[a] * share
        left = max(var[a] - lam * step * column[a], 0.0)
        var[a] = left
        gain[a] = step
        column[a] = noise * step
        widest = max(widest, left)
    return explained, widest


@compiled
def _multiply(psi: Array, parts: tuple[Array, Array, IntArray], x: Array, out: Array) -> None:
    anchors, weights, order = parts
    if not len(order):
        np.dot(psi, x, out)
        return
    B, p, n = weights.shape
    values, here = np.dot(anchors, x), np.empty(n)
    for b in range(B):
        here[:] = 0.0
        for k in range(0, p - 3, 4):  # by fours, so that the sums are fetched less often
            v, w = values[b * p + k :], weights[b, k:]
            v0, v1, v2, v3 = v[0], v[1], v[2], v[3]
            w0, w1, w2, w3 = w[0], w[1], w[2], w[3]
            for i in range(n):
                here[i] += v0 * w0[i] + v1 * w1[i] + v2 * w2[i] + v3 * w3[i]
        for k in range(p - p % 4, p):
            value, row = values[b * p + k], weights[b, k]
            for i in range(n):
                here[i] += value * row[i]
        for i in range(n):
            out[order[b * n + i]] = here[i]


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
    widest = 0.0
    for a in range(A):
        left = max(var[a] - share * gain[a] * gain[a], 0.0)
        var[a] = left
        gain[a] *= share
        widest = max(widest, left)
    return own, widest


@compiled
def absorb(
    values: Array,
    marks: Array,
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
    """Clip payoffs, and pull all rows towards them."""
    payoffs = targets[:-1]
    streak = clip_payoffs(
        values, marks, payoffs, clipped, streak, centre, std, amplitude, factor, insistence, few
    )
    location = marks[0, LOCATION]
    return streak, location, pull(rows, sums, gain, arm, targets, location, out)


@compiled
def pull(
    rows: Array,
    sums: Array,
    gain: Array,
    arm: int,
    targets: Array,
    location: float,
    out: Array,
) -> float:
    """Add the targets to the arm's sums, and pull all rows towards them."""
    for i in range(sums.shape[1]):
        sums[arm, i] += targets[i]
    for i in range(len(rows)):
        row = rows[i]
        step = targets[i] - row[arm]
        for a in range(len(gain)):
            row[a] += step * gain[a]
    reach: float = deviate(rows, location, out)
    return reach


@compiled
def deviate(rows: Array, location: float, out: Array) -> float:
    """Median of the rows less a location, and how far that ranges."""
    if not len(out):
        return 0.0
    columns = len(rows) - 1
    if columns == 1:
        for a in range(len(out)):
            out[a] = rows[0, a]
    elif columns == 5:
        _medians_of_five(rows, out)
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
def _medians_of_five(rows: Array, out: Array) -> None:
    """The same for five rows: the least and the greatest of four drop out."""
    v, w, x, y, z = rows[0], rows[1], rows[2], rows[3], rows[4]
    for a in range(len(out)):
        low = max(min(v[a], w[a]), min(x[a], y[a]))
        high = min(max(v[a], w[a]), max(x[a], y[a]))
        out[a] = max(min(z[a], low), min(max(z[a], low), high))


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
    if p == 2.0:  # as good as always without a thought for what is too small to square
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
def spread(psi: Array, parts: tuple[Array, Array, IntArray], theta: Array, out: Array) -> float:
    """Out = Ψθ, and how far that ranges."""
    if not len(out):
        return 0.0
    _multiply(psi, parts, theta, out)
    low, high = math.inf, -math.inf
    for a in range(len(out)):
        low = min(low, out[a])
        high = max(high, out[a])
    return high - low


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
