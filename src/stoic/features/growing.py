"""Features on a dictionary that grows point by point."""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from stoic.checks import Array, IntArray
from stoic.features.base import Features
from stoic.features.nystrom import negligible
from stoic.features.spanning import SpanningMap
from stoic.kernels import Kernel

__all__ = ["GrowingMap", "SpannedGrowingMap"]

_MIN_REBUILD_COLUMNS = 8  # that may join one by one before all are formed again; or an eighth
_MAX_PIVOT_ERROR = 1.0 / 8.0  # of the pivot δ² itself, by its rounding error; beyond, reorder


class GrowingMap:
    """ψ(x) = L⁻¹k_D(x) with K_D = LLᵀ, for a dictionary D in order of entry.

    These features span what those of :class:`NystromMap` span, so mean and variance on them are
    the same. But one more point is one more column,

        ψ_z(x) = (k(x, z) − ψ(x)ᵀψ(z)) / δ,  δ² = k(z, z) − ‖ψ(z)‖²,

    at the cost of a product with a vector. A point whose δ² is negligible (as for
    :class:`NystromMap`) is in the dictionary, but adds no column.

    The rounding error of δ² is about ε(1 + ‖w‖²), with w = L⁻ᵀψ(z) the weights by which D predicts
    z: large where D predicts z from afar. Where δ² is not well above it, the dictionary is
    factorised again with pivoting, which keeps w small.

    Parameters
    ----------
    kernel, points
        k and the (A, d) tracked points.
    dictionary
        Row numbers.
    base
        How many points of the dictionary are factorised together, in the order given; the others
        follow one by one. By default, or where that order is not stable, the order is chosen by
        pivoting.
    """

    def __init__(
        self, kernel: Kernel, points: Array, dictionary: IntArray, *, base: int | None = None
    ) -> None:
        self.kernel = kernel
        if base is None or not self._start(points, dictionary[:base]):
            dictionary, base = self._arrange(points, dictionary)
        self.dictionary, self.base, self._together = dictionary, base, len(self.kept)
        for entry in dictionary[base:].tolist():
            self._add(points, entry)

    def onto(self, points: Array, dictionary: IntArray) -> Self:
        """The same kind of map on another dictionary of the (perhaps more) points."""
        wanted = set(dictionary.tolist())
        kept = [entry for entry in self.dictionary.tolist() if entry in wanted]
        new = sorted(wanted.difference(kept))
        entries = np.array([*kept, *new], dtype=np.int64)
        grows = len(kept) == len(self.dictionary) and len(points) == len(self.psi)
        columns = len(self.kept) + len(new) - self._together
        if not grows or columns > max(_MIN_REBUILD_COLUMNS, self._together // 8):
            return self._on(points, entries)
        twin = copy(self)
        twin.dictionary = entries
        stable = all(twin._add(points, entry) for entry in new)
        return twin if stable else self._on(points, entries)

    def restored(self, points: Array, dictionary: IntArray, base: int | None) -> Self:
        """The map of a state, the same bit by bit where the state is of this release."""
        return self._on(points, dictionary, base)

    def _on(self, points: Array, dictionary: IntArray, base: int | None = None) -> Self:
        return self.__class__(self.kernel, points, dictionary, base=base)

    def grown_from(self, other: object) -> bool:
        """Whether this map is another one with more columns."""
        return (
            isinstance(other, GrowingMap)
            and self.base == other.base
            and len(self.psi) == len(other.psi)
            and np.array_equal(self.dictionary[: len(other.dictionary)], other.dictionary)
        )

    def __call__(self, X: Array) -> Array:
        """The coordinates ψ at points, (n, r)."""
        if not len(self.kept):
            return np.zeros((len(X), 0))
        cross = self.kernel(self._pivots, X)
        psi: Array = solve_triangular(self._factor(), cross, lower=True, check_finite=False).T
        return np.ascontiguousarray(psi)

    def features(self, X: Array) -> Features:
        """The features of the tracked points."""
        psi = self.psi if len(X) == len(self.psi) else self(X)
        return Features(psi, np.eye(len(self.dictionary), psi.shape[1]))

    def _arrange(self, points: Array, entries: IntArray) -> tuple[IntArray, int]:
        """Start with as many points as have a column, each the one of largest δ² so far.

        The entries in that order, the others last, and how many have a column.
        """
        gram = self.kernel(points[entries], points[entries])
        cut = negligible(len(entries), float(np.diag(gram).max(initial=0.0)))
        rank = 0
        if len(entries):
            _, pivots, rank, _ = dpstrf(gram, tol=cut, lower=1)
            entries = entries[pivots - 1]
        while not self._start(points, entries[:rank]):
            rank -= 1
        return entries, int(rank)

    def _start(self, points: Array, entries: IntArray) -> bool:
        """Give each of the points a column, in their order; whether that is stable."""
        gram = self.kernel(points[entries], points[entries])
        self._scale = float(np.diag(gram).max(initial=0.0))
        try:
            factor = np.linalg.cholesky(gram)
        except np.linalg.LinAlgError:
            return False
        # row i of L⁻¹ is (−w, 1)/δ of the i-th point
        rows = solve_triangular(factor, np.eye(len(factor)), lower=True, check_finite=False)
        if not self._stable(float(np.einsum("ij,ij->i", rows, rows).max(initial=0.0))):
            return False
        cross = self.kernel(points[entries], points)
        psi: Array = solve_triangular(factor, cross, lower=True, check_finite=False).T
        self.psi: Array = np.ascontiguousarray(psi)
        self.kept: IntArray = entries  # what has a column
        self._pivots = points[entries]
        return True

    def _stable(self, amplification: float) -> bool:
        """Whether a pivot is known well enough, from (1 + ‖w‖²)/δ²."""
        error = float(np.finfo(float).eps) * self._scale * amplification
        return error <= _MAX_PIVOT_ERROR

    def _add(self, points: Array, entry: int) -> bool:
        """Let a point join: with a column, unless negligible; whether that was stable."""
        row, here = self.psi[entry], points[entry : entry + 1]
        prior = float(self.kernel.diag(here)[0])
        left = prior - float(row @ row)
        if left <= negligible(len(self.kept) + 1, prior):
            return True
        self._scale = max(self._scale, prior)
        if len(row):
            w = solve_triangular(self._factor(), row, lower=True, trans=1, check_finite=False)
            if not self._stable((1.0 + float(w @ w)) / left):
                return False
        column = self.kernel(points, here)[:, 0] - self.psi @ row
        self._append(points, entry, column / np.sqrt(left))
        return True

    def _append(self, points: Array, entry: int, column: Array) -> None:
        self.psi = np.hstack([self.psi, column[:, None]])
        self.kept = np.append(self.kept, entry)
        self._pivots = points[self.kept]

    def _factor(self) -> Array:
        """L, of the points that have a column."""
        return self.psi[self.kept]


class SpannedGrowingMap(GrowingMap):
    """The same features, where coordinates S of the points are known that span the kernel.

    With K = SSᵀ (see :class:`SpanningMap`), ψ(x) = Qᵀs(x) for an orthonormal basis Q of the
    dictionary's rows of S: a new direction is what orthogonalising s(z) twice leaves of it. So
    every order is stable, and ψᵀψ never exceeds the prior variance.

    Parameters
    ----------
    span
        The map that spans the kernel at the points.
    """

    def __init__(
        self,
        kernel: Kernel,
        points: Array,
        dictionary: IntArray,
        *,
        span: SpanningMap,
        base: int | None = None,
    ) -> None:
        self._span, self._S = span, span.features(points).psi
        super().__init__(kernel, points, dictionary, base=base)

    def _on(self, points: Array, dictionary: IntArray, base: int | None = None) -> Self:
        return self.__class__(self.kernel, points, dictionary, span=self._span, base=base)

    def __call__(self, X: Array) -> Array:
        """The coordinates ψ at points, (n, r)."""
        psi: Array = self._span(X) @ self._Q
        return psi

    def _arrange(self, points: Array, entries: IntArray) -> tuple[IntArray, int]:
        self._start(points, entries)
        return entries, len(entries)

    def _start(self, points: Array, entries: IntArray) -> bool:
        self._Q: Array = np.zeros((self._S.shape[1], 0))
        kept = [entry for entry in entries.tolist() if self._turn(entry) is not None]
        self.psi = self._S @ self._Q
        self.kept = np.array(kept, dtype=np.int64)
        self._pivots = points[self.kept]
        return True

    def _add(self, points: Array, entry: int) -> bool:
        direction = self._turn(entry)
        if direction is not None:
            self._append(points, entry, self._S @ direction)
        return True

    def _turn(self, entry: int) -> Array | None:
        """Let Q have the direction that a point adds, unless it is negligible."""
        s = self._S[entry]
        rest = s - self._Q @ (s @ self._Q)
        rest -= self._Q @ (rest @ self._Q)
        square = float(rest @ rest)
        if square <= negligible(self._Q.shape[1] + 1, float(s @ s)):
            return None
        direction: Array = rest / np.sqrt(square)
        self._Q = np.column_stack([self._Q, direction])
        return direction
