"""One play on features, and the product of all features with a vector."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.blas import add_outer
from stoic.loops.compiling import compiled, compiled_form

__all__ = ["correlate", "play", "shrink", "spread"]

Parts = tuple[Array, Array, IntArray]  # anchors (Bp, r), weights (B, p, n), order (Bn,), or empty

# -- all features times a vector -------------------------------------------------------------------


def _multiply_numpy(psi: Array, parts: Parts, v: Array, out: Array) -> None:
    """Out = Ψv; ``parts`` give it with fewer operations (:class:`stoic.features.Parts`)."""
    anchors, weights, order = parts
    if len(order):
        B, p, _ = weights.shape
        out[order] = ((anchors @ v).reshape(B, 1, p) @ weights).ravel()
    else:
        np.dot(psi, v, out=out)


@compiled
def _multiply(psi: Array, parts: Parts, v: Array, out: Array) -> None:
    anchors, weights, order = parts
    if not len(order):
        np.dot(psi, v, out)
        return
    B, p, n = weights.shape
    values, here = np.dot(anchors, v), np.empty(n)
    for b in range(B):
        here[:] = 0.0
        for k in range(0, p - 3, 4):  # by fours, so that the sums are fetched less often
            x, w = values[b * p + k :], weights[b, k:]
            x0, x1, x2, x3 = x[0], x[1], x[2], x[3]
            w0, w1, w2, w3 = w[0], w[1], w[2], w[3]
            for i in range(n):
                here[i] += x0 * w0[i] + x1 * w1[i] + x2 * w2[i] + x3 * w3[i]
        for k in range(p - p % 4, p):
            value, row = values[b * p + k], weights[b, k]
            for i in range(n):
                here[i] += value * row[i]
        for i in range(n):
            out[order[b * n + i]] = here[i]


def spread_numpy(psi: Array, parts: Parts, theta: Array, out: Array) -> float:
    """Out = Ψθ; return its range, the largest less the smallest."""
    _multiply_numpy(psi, parts, theta, out)
    return float(out.max() - out.min()) if len(out) else 0.0


@compiled_form(spread_numpy)
def spread(psi: Array, parts: Parts, theta: Array, out: Array) -> float:
    """Out = Ψθ; return its range, the largest less the smallest."""
    if not len(out):
        return 0.0
    _multiply(psi, parts, theta, out)
    low, high = math.inf, -math.inf
    for a in range(len(out)):
        low = min(low, out[a])
        high = max(high, out[a])
    return high - low


# -- one play --------------------------------------------------------------------------------------


def correlate_numpy(
    psi: Array, parts: Parts, inverse: Array, arm: int, direction: Array, column: Array
) -> None:
    """Direction v = V⁻¹ψ_a and column c = Ψv: how all points move with the arm."""
    np.dot(inverse, psi[arm], out=direction)
    _multiply_numpy(psi, parts, direction, column)


@compiled_form(correlate_numpy)
def correlate(
    psi: Array, parts: Parts, inverse: Array, arm: int, direction: Array, column: Array
) -> None:
    """Direction v = V⁻¹ψ_a and column c = Ψv: how all points move with the arm."""
    np.dot(inverse, psi[arm], direction)
    _multiply(psi, parts, direction, column)


def play_numpy(
    row: Array, inverse: Array, var: Array, noise: float, lam: float, direction: Array, gain: Array
) -> tuple[float, float]:
    """One play on features: V⁻¹ and σ² in place, the gain, and ψᵀV⁻¹ψ with the largest σ².

    With ψ = ``row``, v = ``direction``, c in ``gain`` (:func:`correlate`) and d = noise + ψᵀv:
    gain = c/d, V⁻¹ −= vvᵀ/d, σ² −= λc²/d. After the play, v and c are noise/d of what they were:
    v is left so in ``direction``, and c is noise·gain.
    """
    explained = float(row @ direction)
    d = noise + explained
    if len(direction):
        add_outer(inverse.T, -1.0 / d, direction, direction)
    direction *= noise / d
    return explained, shrink(var, gain, d, lam)


@compiled_form(play_numpy)
def play(
    row: Array, inverse: Array, var: Array, noise: float, lam: float, direction: Array, gain: Array
) -> tuple[float, float]:
    """One play on features; see :func:`play_numpy`."""
    r = len(inverse)
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
        step = gain[a] * share
        left = max(var[a] - lam * step * gain[a], 0.0)
        var[a] = left
        gain[a] = step
        widest = max(widest, left)
    return explained, widest


def shrink(var: Array, gain: Array, d: float, lam: float) -> float:
    """σ² −= λc²/d and gain = c/d, for c in ``gain``; the largest σ². In NumPy alone."""
    c = gain.copy()
    gain /= d
    c *= gain
    if lam != 1.0:
        c *= lam
    var -= c
    np.maximum(var, 0.0, out=var)
    return float(var.max(initial=0.0))
