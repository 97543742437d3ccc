"""Very many arms in blocks of neighbours, each with a few anchors that represent all of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtrs

from stoic.checks import Array, IntArray
from stoic.features.parts import partition
from stoic.kernels import Kernel, Product, Scaled, Sum
from stoic.kernels.stationary import Stationary

__all__ = ["Blocks"]

_MIN_RESIDUAL = 1e-9  # share of the prior variance below which further anchors add nothing


class Blocks:
    """A partition of points, and how f at any point follows from f at its block's anchors.

    For each point x of a block with anchors Z there are weights c(x), those of interpolation
    under the prior, with

        Var(f(x) − c(x)ᵀ f(Z)) ≤ ρ(x)²,

    under the prior and hence, since variances only fall, under any posterior. So the effect of
    further plays on f(x) follows from their effect on f(Z), up to ρ.

    Notation: B blocks of n points (the last one filled with copies of its first point),
    p anchors each. A *position* is an index into the B·n points, block after block.

    Parameters
    ----------
    kernel, points
        k and the (A, d) points.
    size
        n, the points of a block.
    anchors
        p, the largest number of anchors of a block: chosen greedily, each where the residual
        is largest.
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
        self.copies_from = len(points) - (count - 1) * n  # first copy in the last block
        # (B,) max ‖c‖₁
        self.max_weight: Array = np.abs(self.weights).sum(axis=2, dtype=float).max(axis=1)
        self._kernel = kernel
        self._boxes = (
            (points[self.arms].min(axis=1), points[self.arms].max(axis=1))
            if _decreases(kernel)
            else None
        )

    def __len__(self) -> int:
        return len(self.arms)

    def arms_at(self, positions: IntArray) -> IntArray:
        """The row numbers of the points at some positions."""
        arms: IntArray = self.arms.reshape(-1)[positions]
        return arms

    def block_of(self, positions: IntArray) -> IntArray:
        """The block of each of some positions."""
        block: IntArray = positions // self.arms.shape[1]
        return block

    def max_kernel(self, point: Array) -> Array:
        """For each block, an upper bound on k(x, point) over its points x."""
        if self._boxes is None:
            bound: Array = np.sqrt(self.prior.max(axis=1) * self._kernel.diag(point[None]))
            return bound
        nearest = np.clip(point, *self._boxes)
        values: Array = self._kernel(nearest, point[None])[:, 0]
        return values * (1.0 + 1e-12)  # accounts for rounding


def _interpolation(kernel: Kernel, X: Array, prior: Array, p: int) -> tuple[IntArray, Array, Array]:
    """Anchors of one block, the weights of all its points, and the residual variances.

    A Cholesky factor G of the block's covariance with pivots where the residual is largest:
    with G_Z its rows at the anchors, c = G G_Z⁻¹.
    """
    G = np.zeros((len(X), p), order="F")
    residual, chosen, used = prior.copy(), np.zeros(p, dtype=np.int64), 0
    enough = _MIN_RESIDUAL * prior.max()
    for j in range(p):
        pivot = int(np.argmax(residual))
        if residual[pivot] <= enough:
            break
        column = kernel(X, X[pivot : pivot + 1])[:, 0] - G[:, :j] @ G[pivot, :j]
        G[:, j] = column / np.sqrt(residual[pivot])
        residual = np.maximum(residual - G[:, j] ** 2, 0.0)
        residual[pivot] = 0.0
        chosen[j], used = pivot, j + 1
    weights = np.zeros((len(X), p))
    if used:
        solved, _ = dtrtrs(G[chosen[:used], :used], G[:, :used].T, lower=1, trans=1)
        weights[:, :used] = solved.T
    # a bound on what rounding does to an interpolation with these weights
    rounding = 1e-12 * prior.max() * (1.0 + np.abs(weights).sum(axis=1)) ** 2
    return chosen, weights, residual + rounding


def _decreases(kernel: Kernel) -> bool:
    """Whether k(x, z) ≥ 0 never grows with the distance along any coordinate."""
    if isinstance(kernel, Scaled | Sum | Product):
        parts = [part for part in kernel.parameters().values() if isinstance(part, Kernel)]
        return all(_decreases(part) for part in parts)
    return isinstance(kernel, Stationary)
