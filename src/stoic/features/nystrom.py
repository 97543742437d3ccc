"""Nyström features on a dictionary of points.

Williams & Seeger, *Using the Nyström method to speed up kernel machines*, 2001; as in
chowdhury2019 §5.1 (b) and calandriello2019 §3.1.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.features.base import Features
from stoic.kernels import Kernel
from stoic.loops import turn

__all__ = ["NystromMap", "draw_dictionary", "negligible"]

# In units of ε: an eigenvalue above is known to about a tenth, in small dictionaries too.
_MIN_ROUNDINGS = 16
_MAX_JOINED = 32  # points that join a dictionary before it is decomposed again


def negligible(points: int, scale: float) -> float:
    """The eigenvalue or pivot of K_D up to which it is rounding alone, mε·scale.

    For a dictionary of m points; ``scale`` is the largest eigenvalue or variance. Every larger
    one counts: however small, it may predict points far from the dictionary.
    """
    return max(points, _MIN_ROUNDINGS) * float(np.finfo(float).eps) * scale


class NystromMap:
    """φ(x) = (K_D^½)⁺ k_D(x) for a dictionary D, with the symmetric root.

    Where coordinates S of the points are known that span the kernel, K = SSᵀ (see
    :class:`SpanningMap`), pass them as ``span``: a dictionary of more points than S has columns
    is then decomposed through S_DᵀS_D, and no kernel is evaluated.

    Points that join such a dictionary turn its eigenvectors, which takes a fraction of the time
    of a new decomposition.

    Departures from print: the pseudo-inverse drops the eigenvalues that are rounding alone, see
    :func:`negligible`. What is dropped stays in the residual variance.

    Parameters
    ----------
    kernel, points
        k and the (A, d) tracked points.
    dictionary
        Row numbers.
    span
        S, if known.
    grows
        Whether points will often join the dictionary, so that S is used from the start.
    base
        How many points of the dictionary are decomposed together through S, while the others
        join one by one; −1 to decompose without S. By default, all, or the faster way.
    before
        A map whose kernel values can be taken over.
    """

    def __init__(
        self,
        kernel: Kernel,
        points: Array,
        dictionary: IntArray,
        *,
        span: Array | None = None,
        grows: bool = False,
        base: int | None = None,
        before: NystromMap | None = None,
    ) -> None:
        self.kernel, self._span, self._grows = kernel, span, grows
        self.dictionary, self._points = dictionary, points[dictionary]
        if base is None:
            through = span is not None and (grows or len(dictionary) > span.shape[1])
            base = len(dictionary) if through else -1
        self.base = base
        self._cross = self._columns(points, before) if span is None else np.zeros((0, 0))
        self._eigen: tuple[Array, Array] | None = None  # of S_DᵀS_D
        if span is not None and base >= 0:
            first = span[dictionary[: self.base]]
            values, vectors = np.linalg.eigh(first.T @ first)
            self._eigen = values, np.ascontiguousarray(vectors)
            self._join(dictionary[self.base :].tolist())
        else:
            values, vectors = np.linalg.eigh(self._gram(dictionary))
            kept = values > negligible(len(values), float(values.max(initial=0.0)))
            self.basis: Array = vectors[:, kept]
            self._projector: Array = self.basis / np.sqrt(values[kept])

    def onto(self, points: Array, dictionary: IntArray) -> NystromMap:
        """The same kind of map on another dictionary of the (perhaps more) points."""
        here = set(self.dictionary.tolist())
        new = [entry for entry in dictionary.tolist() if entry not in here]
        joined = len(here) + len(new)
        if self._eigen is None or joined != len(dictionary) or joined > self.base + _MAX_JOINED:
            return self._anew(points, dictionary, before=self)
        twin = copy(self)
        twin.dictionary = np.array([*self.dictionary.tolist(), *new], dtype=np.int64)
        twin._points = points[twin.dictionary]
        twin._eigen = self._eigen[0].copy(), self._eigen[1].copy()
        twin._join(new)
        return twin

    def restored(self, points: Array, dictionary: IntArray, base: int | None) -> NystromMap:
        """The map of a state, the same bit by bit; early states do not have the base."""
        if base is None:
            through = self._span is not None and len(dictionary) > self._span.shape[1]
            base = len(dictionary) if through else -1
        return self._anew(points, dictionary, base=base)

    def _anew(self, points: Array, dictionary: IntArray, **how: Any) -> NystromMap:
        how |= {"span": self._span, "grows": self._grows}
        return NystromMap(self.kernel, points, dictionary, **how)

    def _join(self, entries: list[int]) -> None:
        """Let points join what S_DᵀS_D is made of; P and what gives ψ follow from it.

        An eigenvalue is measured as ‖S_D q‖², since in S_DᵀS_D small ones drown in rounding.
        """
        assert self._span is not None
        assert self._eigen is not None
        for entry in entries:
            turn(*self._eigen, self._span[entry])
        image = self._span[self.dictionary] @ self._eigen[1]
        squares = np.einsum("ij,ij->j", image, image)
        kept = squares > negligible(len(image), float(squares.max(initial=0.0)))
        norms = np.sqrt(squares[kept])
        self._rotation: Array = self._eigen[1][:, kept]
        self.basis = _orthonormal(image[:, kept])
        self._projector = self.basis / norms

    def __call__(self, X: Array) -> Array:
        """The coordinates ψ at points, (n, r)."""
        if not len(self.dictionary):
            return np.zeros((len(X), 0))
        psi: Array = self.kernel(X, self._points) @ self._projector
        return psi

    def features(self, X: Array) -> Features:
        """The features of the tracked points."""
        if self._span is not None:
            if self._eigen is not None:
                return Features(self._span @ self._rotation, self.basis)
            rotation = self._span[self.dictionary].T @ self._projector
            return Features(self._span @ rotation, self.basis)
        if len(X) == len(self._cross):
            return Features(self._cross @ self._projector, self.basis)
        return Features(self(X), self.basis)

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


def _orthonormal(columns: Array) -> Array:
    """Orthogonalise nearly orthogonal columns, each against the later ones, which are larger.

    Of eigenvectors, those of small eigenvalues are off by those of large ones.
    """
    basis, upper = np.linalg.qr(columns[:, ::-1])
    turned: Array = (basis * np.where(np.diag(upper) < 0.0, -1.0, 1.0))[:, ::-1]
    return turned


def draw_dictionary(
    probability: Array, counts: IntArray, rng: np.random.Generator, *, per_play: bool
) -> IntArray:
    """The distinct points that enter the dictionary, in ascending order.

    "Include each past play of a with probability p" keeps the point a with probability
    1 − (1 − p)^{n_a}: one draw for each distinct point, for any count. With
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
