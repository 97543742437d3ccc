"""Products with features, made faster: a part's values follow from those of a few points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular

from stoic.checks import Array, IntArray

__all__ = ["NO_PARTS", "Parts", "in_parts", "partition"]

_MAX_SHARE_READ = 0.75  # of the numbers in Ψ, by a product in parts; or else Ψ itself is used


class Parts(NamedTuple):
    """A form of Ψ that gives Ψv from fewer numbers than Ψ has.

    Of B parts with n points each, p are anchors: Ψ's other rows are combinations of theirs, so
    Ψv follows from its values at the anchors. Where it is empty, Ψ itself is used.
    """

    anchors: Array  # (B·p, r), rows of Ψ
    weights: Array  # (B, p, n)
    order: IntArray  # (B·n,) row numbers; the last part is filled with copies


NO_PARTS = Parts(np.zeros((0, 0)), np.zeros((0, 0, 0)), np.zeros(0, dtype=np.int64))


def in_parts(psi: Array, points: Array, rounding: float, bound: Array) -> Parts:
    """Parts of neighbours for which Ψv is exact, where they save something.

    ``bound`` is how large v can be in each coordinate. Where it is smaller, a coordinate needs
    fewer digits: rows are combined such that the error of Ψ·bound is at most ``rounding``.
    """
    A, r = psi.shape
    if not 0 < 4 * r <= A:
        return NO_PARTS
    order = partition(points, -(-A // (A // (2 * r))))  # about 2r each, and hardly any filler
    scaled = psi * bound
    found: list[tuple[IntArray, Array]] = []  # anchors of each part, and weights
    for rows in order:
        anchors, weights = _interpolation(scaled[rows], rounding)
        if len(anchors) * (order.size + order.shape[0] * r) > _MAX_SHARE_READ * psi.size:
            return NO_PARTS
        found.append((rows[anchors], weights))
    p = max(len(anchors) for anchors, _ in found)
    chosen = np.array([np.resize(anchors, p) for anchors, _ in found])  # filled with copies
    weights = np.zeros((len(order), p, order.shape[1]))
    for whole, (_, own) in zip(weights, found, strict=True):
        whole[: len(own)] = own
    return Parts(psi[chosen.ravel()], weights, order.ravel())


def _interpolation(rows: Array, rounding: float) -> tuple[IntArray, Array]:
    """Few of the rows, and the (p, n) weights that combine all rows of them."""
    R, pivots = qr(rows.T, mode="r", pivoting=True, check_finite=False)
    p = max(int(np.count_nonzero(np.abs(np.diag(R)) > rounding)), 1)
    weights = np.zeros((p, len(rows)))
    weights[:, pivots[:p]] = np.eye(p)
    weights[:, pivots[p:]] = solve_triangular(R[:p, :p], R[:p, p:], check_finite=False)
    return pivots[:p], weights


def partition(points: Array, size: int) -> IntArray:
    """Row numbers in blocks of ``size`` neighbours: halved along the widest side, again and again.

    >>> partition(np.array([[0.0], [9.0], [1.0], [8.0]]), 2).tolist()
    [[0, 2], [1, 3]]
    """
    size = min(size, len(points))
    count = -(-len(points) // size)
    blocks = np.empty((count, size), dtype=np.int64)
    todo = [(np.arange(len(points)), 0, count)]
    while todo:
        rows, first, many = todo.pop()
        if many == 1:
            rows.sort()
            blocks[first] = np.concatenate([rows, np.full(size - len(rows), rows[0])])
            continue
        half = many // 2
        inside = points[rows]
        widest = int(np.argmax(np.ptp(inside, axis=0)))
        order = np.argpartition(inside[:, widest], half * size)
        todo.append((rows[order[: half * size]], first, half))
        todo.append((rows[order[half * size :]], first + half, many - half))
    return blocks
