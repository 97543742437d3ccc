"""Payoffs clipped or cut in the directions of V, for adaptive truncation."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops.compiling import compiled, compiled_form

__all__ = ["clip_directions", "cut_directions"]


def clip_directions_numpy(
    values: Array,
    vectors: Array,
    basis: Array,
    psi: Array,
    arms: IntArray,
    payoffs: Array,
    limit: Array,
    theta: Array,
) -> None:
    """Theta += V^{-½}Σ of the payoffs' parts in each direction, clipped.

    With V = Q diag(values) Qᵀ and u = P V^{-½}ψ of each payoff y, its parts are u_i y. They are
    clipped where the heaviest direction, of the largest |u_i|, allows ±limit.
    """
    U = _rooted_numpy(values, vectors, psi[arms]) @ basis.T
    level = limit[:, None] * np.abs(U).max(axis=1, initial=0.0, keepdims=True)
    parts = np.clip(U * payoffs[:, None], -level, level).sum(axis=0)
    theta += _rooted_numpy(values, vectors, parts @ basis)


@compiled_form(clip_directions_numpy)
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
    """Add payoffs clipped in each direction; see :func:`clip_directions_numpy`."""
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


def cut_directions_numpy(
    values: Array,
    vectors: Array,
    basis: Array,
    psi: Array,
    arms: IntArray,
    payoffs: Array,
    level: float,
    theta: Array,
) -> None:
    """Do as :func:`clip_directions`, with parts beyond the level left out."""
    parts = _rooted_numpy(values, vectors, psi[arms]) @ basis.T * payoffs[:, None]
    inside = np.where(np.abs(parts) <= level, parts, 0.0).sum(axis=0)
    theta += _rooted_numpy(values, vectors, inside @ basis)


@compiled_form(cut_directions_numpy)
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
    """Add payoffs cut in each direction; see :func:`cut_directions_numpy`."""
    U = _directions(values, vectors, basis, psi, arms)
    parts = np.zeros(len(basis))
    for i in range(len(U)):
        for j in range(len(parts)):
            part = U[i, j] * payoffs[i]
            parts[j] += part if abs(part) <= level else 0.0
    _add_directions(values, vectors, basis, parts, theta)


def _rooted_numpy(values: Array, vectors: Array, rows: Array) -> Array:
    """Rows·V^{-½}."""
    turned: Array = (rows @ vectors / np.sqrt(values)) @ vectors.T
    return turned


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
