"""Very many arms in blocks of neighbours, each with a few anchors that stand for all of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtrs

from stoic.checks import Array, IntArray
from stoic.features.parts import partition
from stoic.kernels import Kernel, Product, Scaled, Sum
from stoic.kernels.stationary import Stationary

__all__ = ["Blocks"]

_ENOUGH = 1e-9  # residual variance, as a share of the prior's, beyond which anchors add nothing


class Blocks:
    """A partition of points, and how f at any point follows from f at its block's anchors.

    For each point x of a block with anchors Z there are weights c(x), those of interpolation
    under the prior, with

        Var(f(x) − c(x)ᵀ f(Z)) ≤ ρ(x)²,

    under the prior and hence, since variances only fall, under any posterior. Whatever further
    plays do to f(x) thus follows from what they do to f(Z), up to ρ.

    Notation: B blocks of n points (the last one filled with copies of its first point),
    p anchors each.

    Parameters
    ----------
    kernel, points
        k and the (A, d) points.
    size
        n, the points of a block.
    anchors
        p, the most anchors of a block: chosen greedily, each where the residual is largest.
    """

    def __init__(self, kernel: Kernel, points: Array, size: int, anchors: int) -> None:
        self.arms = partition(points, size)  # (B, n) row numbers
        count, n = self.arms.shape
        p = min(anchors, n)
        self.prior: Array = kernel.diag(points)[self.arms]  # (B, n)
        self.anchors: IntArray = np.zeros((count, p), dtype=np.int64)  # (B, p) row numbers
        # c(x), with 24 bits: ρ² has room for 1e-12 (1 + ‖c‖₁)² of the prior variance
        self.weights: NDArray[np.float32] = np.zeros((count, n, p), dtype=np.float32)
        residual = np.zeros((count, n))
        for b, arms in enumerate(self.arms):
            chosen, self.weights[b], residual[b] = _interpolation(
                kernel, points[arms], self.prior[b], p
            )
            self.anchors[b] = arms[chosen]
        self.rho: Array = np.sqrt(residual)  # (B, n)
        self.widest: Array = self.rho.max(axis=1)  # largest ρ
        self.pad = len(points) - (count - 1) * n  # where copies begin, in the last block
        self.gross: Array = np.abs(self.weights).sum(axis=2, dtype=float).max(axis=1)  # max ‖c‖₁
        self._kernel = kernel
        self._boxes = (
            (points[self.arms].min(axis=1), points[self.arms].max(axis=1))
            if _fades(kernel)
            else None
        )

    def __len__(self) -> int:
        return len(self.arms)

    def nearest(self, point: Array) -> Array:
        """For each block, a bound on k(x, point) over its points x."""
        if self._boxes is None:
            furthest: Array = np.sqrt(self.prior.max(axis=1) * self._kernel.diag(point[None]))
            return furthest
        inside = np.clip(point, *self._boxes)
        values: Array = self._kernel(inside, point[None])[:, 0]
        return values * (1.0 + 1e-12)  # what rounding may have taken


def _interpolation(kernel: Kernel, X: Array, prior: Array, p: int) -> tuple[IntArray, Array, Array]:
    """Anchors of one block, the weights of all its points, and the residual variances.

    A Cholesky factor G of the block's covariance with pivots where the residual is largest:
    with G_Z its rows at the anchors, c = G G_Z⁻¹.
    """
    G = np.zeros((len(X), p), order="F")
    left, chosen, used = prior.copy(), np.zeros(p, dtype=np.int64), 0
    enough = _ENOUGH * prior.max()
    for j in range(p):
        pivot = int(np.argmax(left))
        if left[pivot] <= enough:
            break
        column = kernel(X, X[pivot : pivot + 1])[:, 0] - G[:, :j] @ G[pivot, :j]
        G[:, j] = column / np.sqrt(left[pivot])
        left = np.maximum(left - G[:, j] ** 2, 0.0)
        left[pivot] = 0.0
        chosen[j], used = pivot, j + 1
    weights = np.zeros((len(X), p))
    if used:
        solved, _ = dtrtrs(G[chosen[:used], :used], G[:, :used].T, lower=1, trans=1)
        weights[:, :used] = solved.T
    # what rounding may have done to an interpolation with these weights
    slack = 1e-12 * prior.max() * (1.0 + np.abs(weights).sum(axis=1)) ** 2
    return chosen, weights, left + slack


def _fades(kernel: Kernel) -> bool:
    """Whether k(x, z) ≥ 0 never grows with the distance along any coordinate."""
    if isinstance(kernel, Scaled | Sum | Product):
        return all(_fades(part) for part in kernel.parameters().values() if _is_kernel(part))
    return isinstance(kernel, Stationary)


def _is_kernel(part: object) -> bool:
    return isinstance(part, Kernel)
