"""Nyström features on a dictionary of points.

Williams & Seeger, *Using the Nyström method to speed up kernel machines*, 2001; as in
chowdhury2019 §5.1 (b) and calandriello2019 §3.1.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, IntArray
from stoic.features.base import Features
from stoic.kernels import Kernel

__all__ = ["RANK_TOLERANCE", "NystromMap", "draw_dictionary"]

# Eigenvalues of K_D below this share of the largest count as zero in the pseudo-inverse: an
# eigenvector is known to about 1e-16/share, so smaller ones would be rounding noise. Directions
# that matter beside λ are kept all the same.
RANK_TOLERANCE = 1e-8
RIDGE_TOLERANCE = 1e-3


class NystromMap:
    """φ(x) = (K_D^½)⁺ k_D(x) for a dictionary D, with the symmetric root.

    Where coordinates S of the points are known that span the kernel, K = SSᵀ (see
    :class:`SpanningMap`), pass them as ``span``: a dictionary of more points than S has columns
    is then decomposed through S_DᵀS_D, and no kernel is evaluated.

    Departures from print: the pseudo-inverse drops eigenvalues below 1e-8 of the largest or
    1e-3 λ, whichever is less. What is dropped stays in the residual variance, but a mean on a
    full dictionary of a very smooth kernel differs from the exact one by about its root.
    """

    def __init__(
        self,
        kernel: Kernel,
        points: Array,
        dictionary: IntArray,
        lam: float,
        *,
        span: Array | None = None,
        before: NystromMap | None = None,
    ) -> None:
        self.kernel = kernel
        self.dictionary = dictionary
        self._lam = lam
        self._points = points[dictionary]
        self._span = span
        self._cross = self._columns(points, before) if span is None else np.zeros((0, 0))
        if span is not None and len(dictionary) > span.shape[1]:
            root = span[dictionary]
            values, vectors = self._kept(*np.linalg.eigh(root.T @ root))
            self.basis: Array = root @ (vectors / np.sqrt(values))
            self._rotation: Array | None = vectors
        else:
            values, self.basis = self._kept(*np.linalg.eigh(self._gram(dictionary)))
            self._rotation = None
        self._projector: Array = self.basis / np.sqrt(values)

    def onto(self, points: Array, dictionary: IntArray) -> NystromMap:
        """The same kind of map on another dictionary of the (perhaps more) points."""
        return NystromMap(self.kernel, points, dictionary, self._lam, span=self._span, before=self)

    def __call__(self, X: Array) -> Array:
        """The coordinates ψ at points, (n, r)."""
        if not len(self.dictionary):
            return np.zeros((len(X), 0))
        psi: Array = self.kernel(X, self._points) @ self._projector
        return psi

    def features(self, X: Array) -> Features:
        """The features of the tracked points."""
        if self._span is not None:
            rotation = self._rotation
            if rotation is None:
                rotation = self._span[self.dictionary].T @ self._projector
            return Features(self._span @ rotation, self.basis)
        if len(X) == len(self._cross):
            return Features(self._cross @ self._projector, self.basis)
        return Features(self(X), self.basis)

    def _kept(self, values: Array, vectors: Array) -> tuple[Array, Array]:
        """The eigenvalues that count as positive, and their vectors."""
        largest = float(values.max(initial=0.0))
        cut = min(RANK_TOLERANCE * largest, RIDGE_TOLERANCE * self._lam)
        kept = values > max(cut, 1e-14 * len(values) * largest)
        return values[kept], vectors[:, kept]

    def _gram(self, dictionary: IntArray) -> Array:
        """K_D."""
        if self._span is None:
            return self._cross[dictionary]
        rows = self._span[dictionary]
        gram: Array = rows @ rows.T
        return gram

    def _columns(self, points: Array, before: NystromMap | None) -> Array:
        """k(·, D) at the tracked points; what the map ``before`` has is taken from there."""
        cross: Array = np.zeros((len(points), len(self.dictionary)), order="F")
        new = np.ones(len(self.dictionary), dtype=bool)
        if before is not None and len(before._cross) == len(points):
            _, here, there = np.intersect1d(self.dictionary, before.dictionary, True, True)
            cross[:, here] = before._cross[:, there]
            new[here] = False
        if new.any():
            cross[:, new] = self.kernel(points, self._points[new])
        return cross


def draw_dictionary(
    probability: Array, counts: IntArray, rng: np.random.Generator, *, per_play: bool
) -> IntArray:
    """The distinct points that enter the dictionary, in ascending order.

    "Include each past play of a with probability p" keeps the point a with probability
    1 − (1 − p)^{n_a}: one draw for each distinct point, whatever its count. With
    ``per_play=False`` a point is kept with probability p itself.

    Draws are made for all tracked points, so that they depend on the round alone.
    """
    p = np.clip(probability, 0.0, 1.0)
    kept = p
    if per_play:
        below = np.minimum(p, 1.0 - 1e-16)  # a sure play stays sure to rounding
        kept = np.where(p >= 1.0, 1.0, -np.expm1(counts * np.log1p(-below)))
    drawn = rng.random(len(counts)) < kept
    return np.flatnonzero(drawn & (counts > 0)).astype(np.int64)
