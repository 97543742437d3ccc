"""Compiled loops of adaptive truncation: payoffs judged in the directions of V."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled

__all__ = ["clip_directions", "cut_directions", "smooth_about"]


@compiled
def _limit(
    var: float, plays: int, residual: float, function: float, factor: float, growth: float
) -> float:
    spread = math.hypot(residual, math.sqrt(var) * function)
    return float(factor * spread * float(plays) ** growth)


@compiled
def smooth_about(
    tail: Array,
    arms: IntArray,
    old: int,
    centre: Array,
    settled: Array,
    settled_count: Array,
    counts: IntArray,
    location: float,
    psi: Array,
    inverse: Array,
    var: Array,
    residual: float,
    function: float,
    factor: float,
    growth: float,
    theta: Array,
    hot: IntArray,
    far: Array,
) -> int:
    """Settle old payoffs, and smooth those that are within their limits."""
    for i in range(old):
        a = arms[i]
        limit = _limit(var[a], counts[a], residual, function, factor, growth)
        settled[a] += min(max(tail[i], centre[a] - limit), centre[a] + limit)
        settled_count[a] += 1.0
    sums = np.zeros(len(settled))
    for a in range(len(sums)):
        if counts[a]:
            sums[a] = settled[a] + (counts[a] - settled_count[a]) * centre[a] - counts[a] * location
    many = 0
    for i in range(old, len(tail)):
        off = tail[i] - centre[arms[i]]
        if abs(off) > factor * residual:  # no limit is below that
            limit = _limit(var[arms[i]], counts[arms[i]], residual, function, factor, growth)
            if abs(off) > limit:
                hot[many], far[0, many], far[1, many] = arms[i], off, limit
                many += 1
                continue
        sums[arms[i]] += off
    right = np.zeros(len(inverse))
    for a in range(len(sums)):
        if counts[a]:
            weight, row = sums[a], psi[a]
            for j in range(len(right)):
                right[j] += weight * row[j]
    np.dot(inverse, right, theta)
    return many


@compiled
def clip_directions(
    values: Array,
    vectors: Array,
    basis: Array,
    psi: Array,
    arms: IntArray,
    payoffs: Array,
    limit: Array,
    theta: Array,
) -> None:
    """Clip the payoffs' parts in each direction."""
    U = _directions(values, vectors, basis, psi, arms)
    parts = np.zeros(len(basis))
    for i in range(len(U)):
        row, most = U[i], 0.0
        for j in range(len(parts)):
            most = max(most, abs(row[j]))
        payoff, level = payoffs[i], limit[i] * most
        for j in range(len(parts)):
            parts[j] += min(max(row[j] * payoff, -level), level)
    _add_directions(values, vectors, basis, parts, theta)


@compiled
def cut_directions(
    values: Array,
    vectors: Array,
    basis: Array,
    psi: Array,
    arms: IntArray,
    payoffs: Array,
    level: float,
    theta: Array,
) -> None:
    """Leave out the payoffs' parts beyond a level."""
    U = _directions(values, vectors, basis, psi, arms)
    parts = np.zeros(len(basis))
    for i in range(len(U)):
        for j in range(len(parts)):
            part = U[i, j] * payoffs[i]
            parts[j] += part if abs(part) <= level else 0.0
    _add_directions(values, vectors, basis, parts, theta)


@compiled
def _directions(values: Array, vectors: Array, basis: Array, psi: Array, arms: IntArray) -> Array:
    """P V^{-½}ψ of some arms, as rows."""
    rows = np.empty((len(arms), psi.shape[1]))
    for i in range(len(arms)):
        rows[i] = psi[arms[i]]
    rows = _rooted(values, vectors, rows)
    across, n = basis.T, len(basis)  # (r, m), the other way round than P
    U = np.zeros((len(rows), n))
    r = len(across)
    for i in range(len(rows)):
        out = U[i]
        for k in range(0, r - 3, 4):  # by fours, so that the sums are fetched less often
            x0, x1, x2, x3 = rows[i, k], rows[i, k + 1], rows[i, k + 2], rows[i, k + 3]
            p0, p1, p2, p3 = across[k], across[k + 1], across[k + 2], across[k + 3]
            for j in range(n):
                out[j] += x0 * p0[j] + x1 * p1[j] + x2 * p2[j] + x3 * p3[j]
        for k in range(r - r % 4, r):
            x0, p0 = rows[i, k], across[k]
            for j in range(n):
                out[j] += x0 * p0[j]
    return U


@compiled
def _add_directions(
    values: Array, vectors: Array, basis: Array, parts: Array, theta: Array
) -> None:
    """Add V^{-½}Pᵀ·parts to θ."""
    total = _rooted(values, vectors, np.dot(basis.T, parts).reshape(1, -1))
    for j in range(len(theta)):
        theta[j] += total[0, j]


@compiled
def _rooted(values: Array, vectors: Array, rows: Array) -> Array:
    turned = np.dot(rows, vectors)
    for j in range(len(values)):
        root = math.sqrt(values[j])
        for i in range(len(turned)):
            turned[i, j] /= root
    product: Array = np.dot(turned, vectors.T)
    return product
