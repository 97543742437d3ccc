"""The eigenvectors of a symmetric matrix after a rank-one step.

Gu & Eisenstat, *A stable and efficient algorithm for the rank-one modification of the symmetric
eigenproblem*, SIAM J. Matrix Anal. Appl. 1994.
"""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled, compiled_form, exact

__all__ = ["turn"]


def turn_numpy(values: Array, vectors: Array, row: Array) -> None:
    """Decompose Q diag(values) Qᵀ + ψψᵀ, for Q = ``vectors`` and ψ = ``row``, in place."""
    z = vectors.T @ row
    found, rotation = np.linalg.eigh(np.diag(values) + np.outer(z, z))
    values[:], vectors[:] = found, vectors @ rotation


@compiled_form(turn_numpy, exact)
def turn(values: Array, vectors: Array, row: Array) -> None:
    """Decompose a matrix after a rank-one step, in place.

    The new eigenvalues are the roots of 1 + Σ z²/(d − μ), one between any two of the old. Vectors
    are made from weights for which these roots are exact, so that they are orthogonal to rounding.
    """
    z = np.dot(vectors.T, row)
    chosen = _deflated(values, vectors, z)
    n, r = len(chosen), len(values)
    d, squares = values[chosen], z[chosen] ** 2
    gaps, found = np.empty((n, n)), np.empty(n)  # gaps[k, j] = d_j − μ_k
    for k in range(n):
        found[k] = _root_between(d, squares, k, gaps[k])
    weights = np.empty(n)
    for i in range(n):
        weights[i] = -gaps[i, i]
    for k in range(n):  # the product over k, of all weights at once
        for i in range(k):
            weights[i] *= -gaps[k, i] / (d[k] - d[i])
        for i in range(k + 1, n):
            weights[i] *= -gaps[k, i] / (d[k] - d[i])
    for i in range(n):
        weights[i] = math.copysign(math.sqrt(abs(weights[i])), z[chosen[i]])
    for k in range(n):  # gaps become the new vectors, as rows
        square = 0.0
        for j in range(n):
            gaps[k, j] = weights[j] / gaps[k, j]
            square += gaps[k, j] * gaps[k, j]
        norm = math.sqrt(square)
        for j in range(n):
            gaps[k, j] /= norm
    turned = np.dot(vectors if n == r else np.ascontiguousarray(vectors[:, chosen]), gaps.T)
    for a in range(r):
        for j in range(n):
            vectors[a, chosen[j]] = turned[a, j]
    for j in range(n):
        values[chosen[j]] = found[j]
    for i in range(1, r):
        if values[i] < values[i - 1]:
            order = np.argsort(values, kind="mergesort")
            values[:], vectors[:] = values[order], vectors[:, order]
            break


@exact
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


@exact
def _root_between(d: Array, squares: Array, k: int, gaps: Array) -> float:
    """The root μ of 1 + Σ squares/(d − μ) next above d_k; d − μ goes to ``gaps``.

    μ is found as an offset from the nearer end of its interval, so that no gap loses its digits.
    """
    n = len(d)
    width = d[k + 1] - d[k] if k + 1 < n else squares.sum()
    for j in range(n):
        gaps[j] = d[j] - d[k]
    value = 1.0 + _poles(gaps, squares, 0.5 * width)[0]
    origin, low, high = d[k], 0.0, 0.5 * width
    if value < 0.0:
        low, high = 0.5 * width, width
        if k + 1 < n:
            origin, low, high = d[k + 1], -0.5 * width, 0.0
            for j in range(n):
                gaps[j] = d[j] - origin
    left_gaps, left_squares = gaps[: k + 1], squares[: k + 1]
    right_gaps, right_squares = gaps[k + 1 :], squares[k + 1 :]
    x = 0.5 * (low + high)
    for _ in range(100):
        below, below_slope = _poles(left_gaps, left_squares, x)
        above, above_slope = _poles(right_gaps, right_squares, x)
        value = 1.0 + below + above
        if abs(value) <= 2e-15 * n * (1.0 + abs(below) + abs(above)):
            break
        if value < 0.0:
            low = x
        else:
            high = x
        step = -value / (below_slope + above_slope)
        if k + 1 < n:  # as if by the two nearest poles alone, each with its side's slope
            left, right = gaps[k] - x, gaps[k + 1] - x
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
        gaps[j] -= x
    return float(origin + x)


@compiled
def _poles(gaps: Array, squares: Array, x: float) -> tuple[float, float]:
    """Σ squares/(gaps − x) and its slope; in any order, since the roots found are made exact."""
    total = slope = 0.0
    for j in range(len(gaps)):
        share = 1.0 / (gaps[j] - x)
        term = squares[j] * share
        total += term
        slope += term * share
    return total, slope
