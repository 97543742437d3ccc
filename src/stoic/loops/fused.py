"""The same passes as compiled loops; see :mod:`stoic.loops.plain` for what they do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stoic.checks import Array, IntArray

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


def _compiling(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, error_model="numpy", **options)(function)
        except RuntimeError:  # there is no folder to keep the code in
            return njit(error_model="numpy", **options)(function)

    return compiled


# Sums in any order, so that they can be made of several at a time; NaN and ∞ stay what they are.
_compiled = _compiling(fastmath={"reassoc", "contract", "nsz"})
# Where the order matters. (What a function calls is compiled in its caller's manner.)
_exact = _compiling()

_FEW = 24  # rows that are sorted by exchanges
_BLOCK = 64  # columns whose rows the nearest cache holds


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


@_compiled
def _medians(rows: Array, out: Array) -> None:
    """The median of each column, by exchanges without a branch, a block of columns at a time."""
    n = len(rows)
    block = np.empty((n, _BLOCK))
    for start in range(0, len(out), _BLOCK):
        size = min(_BLOCK, len(out) - start)
        for i in range(n):
            for a in range(size):
                block[i, a] = rows[i, start + a]
        for turn in range(n):
            for i in range(turn % 2, n - 1, 2):
                lower, upper = block[i], block[i + 1]
                for a in range(size):
                    x, y = lower[a], upper[a]
                    lower[a] = x if x < y else y
                    upper[a] = y if x < y else x
        for a in range(size):
            middle = block[n // 2, a]
            out[start + a] = middle if n % 2 else 0.5 * (block[n // 2 - 1, a] + middle)


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


@_compiled
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


@_exact
def turn(values: Array, vectors: Array, z: Array) -> None:
    """Decompose a matrix after a rank-one step, in place.

    The new eigenvalues are the roots of 1 + Σ z²/(d − μ), one between any two of the old. Vectors
    are made from weights for which these roots are exact, so that they are orthogonal to rounding
    (Gu & Eisenstat, *A stable and efficient algorithm for the rank-one modification of the
    symmetric eigenproblem*, SIAM J. Matrix Anal. Appl. 1994).
    """
    chosen = _deflated(values, vectors, z)
    n, r = len(chosen), len(values)
    d, squares = values[chosen], z[chosen] ** 2
    gaps, found = np.empty((n, n)), np.empty(n)  # gaps[k, j] = d_j − μ_k
    for k in range(n):
        found[k] = _root_between(d, squares, k, gaps[k])
    rotation, weights = np.empty((n, n)), np.empty(n)
    for i in range(n):
        product = -gaps[i, i]
        for k in range(n):
            if k != i:
                product *= -gaps[k, i] / (d[k] - d[i])
        weights[i] = math.copysign(math.sqrt(abs(product)), z[chosen[i]])
    for k in range(n):
        square = 0.0
        for j in range(n):
            entry = weights[j] / gaps[k, j]
            rotation[j, k] = entry
            square += entry * entry
        for j in range(n):
            rotation[j, k] /= math.sqrt(square)
    turned = np.dot(np.ascontiguousarray(vectors[:, chosen]), rotation)
    for j in range(n):
        values[chosen[j]] = found[j]
        for a in range(r):
            vectors[a, chosen[j]] = turned[a, j]
    order = np.argsort(values, kind="mergesort")
    values[:], vectors[:] = values[order], vectors[:, order]


@_exact
def _deflated(values: Array, vectors: Array, z: Array) -> IntArray:
    """The eigenvectors that the step turns; of equal eigenvalues, all of z goes to one."""
    r, norm = len(values), math.sqrt((z * z).sum())
    small = 1e-15 * (max(abs(values[0]), abs(values[r - 1])) + norm * norm) if r else 0.0
    chosen, n = np.empty(r, dtype=np.int64), 0
    for i in range(r):
        if abs(z[i]) * norm <= small:
            continue
        if n:
            j = chosen[n - 1]
            length = math.hypot(z[i], z[j])
            c, s = z[i] / length, z[j] / length
            if (values[i] - values[j]) * abs(c * s) <= small:
                for a in range(r):
                    x, y = vectors[a, j], vectors[a, i]
                    vectors[a, j], vectors[a, i] = c * x - s * y, s * x + c * y
                low, high = values[j], values[i]
                values[j], values[i] = c * c * low + s * s * high, s * s * low + c * c * high
                z[i], z[j] = length, 0.0
                n -= 1
        chosen[n] = i
        n += 1
    return chosen[:n]


@_exact
def _root_between(d: Array, squares: Array, k: int, gaps: Array) -> float:
    """The root μ of 1 + Σ squares/(d − μ) next above d_k; d − μ goes to ``gaps``.

    μ is found as an offset from the nearer end of its interval, so that no gap loses its digits.
    """
    n = len(d)
    width = d[k + 1] - d[k] if k + 1 < n else squares.sum()
    value = 1.0
    for j in range(n):
        value += squares[j] / ((d[j] - d[k]) - 0.5 * width)
    origin, low, high = d[k], 0.0, 0.5 * width
    if value < 0.0:
        low, high = 0.5 * width, width
        if k + 1 < n:
            origin, low, high = d[k + 1], -0.5 * width, 0.0
    x = 0.5 * (low + high)
    for _ in range(100):
        below = above = below_slope = above_slope = 0.0
        for j in range(n):
            gap = (d[j] - origin) - x
            term = squares[j] / gap
            if j <= k:
                below += term
                below_slope += term / gap
            else:
                above += term
                above_slope += term / gap
        value = 1.0 + below + above
        if abs(value) <= 2e-15 * n * (1.0 + abs(below) + abs(above)):
            break
        if value < 0.0:
            low = x
        else:
            high = x
        step = -value / (below_slope + above_slope)
        if k + 1 < n:  # as if by the two nearest poles alone, each with its side's slope
            left, right = (d[k] - origin) - x, (d[k + 1] - origin) - x
            a = (left + right) * value - left * right * (below_slope + above_slope)
            b = left * right * value
            c = value - left * below_slope - right * above_slope
            root = math.sqrt(max(a * a - 4.0 * b * c, 0.0))
            step = 2.0 * b / (a + root) if a > 0.0 or c == 0.0 else (a - root) / (2.0 * c)
        new = x + step
        if not low < new < high:
            new = 0.5 * (low + high)
        if new == x:
            break
        x = new
    for j in range(n):
        gaps[j] = (d[j] - origin) - x
    return float(origin + x)
