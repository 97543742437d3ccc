"""Features on a dictionary that grows point by point."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from stoic.checks import Array, IntArray
from stoic.features.base import Features
from stoic.features.nystrom import RANK_TOLERANCE, RIDGE_TOLERANCE
from stoic.kernels import Kernel

__all__ = ["GrowingMap"]

_FEW = 8  # columns that are added one by one, or an eighth of the dictionary


class GrowingMap:
    """ψ(x) = L⁻¹k_D(x) with K_D = LLᵀ, for a dictionary D in order of entry.

    These features span what those of :class:`NystromMap` span, so mean and variance on them are
    the same. But one more point is one more column,

        ψ_z(x) = (k(x, z) − ψ(x)ᵀψ(z)) / δ,  δ² = k(z, z) − ‖ψ(z)‖²,

    at the cost of a product with a vector. A point whose δ² is negligible (as for
    :class:`NystromMap`) is in the dictionary, but adds no column.

    Parameters
    ----------
    kernel, points
        k and the (A, d) tracked points.
    dictionary
        Row numbers.
    lam
        λ, by which it is judged what is negligible.
    span
        Coordinates S of the points with K = SSᵀ, if known.
    base
        How many points of the dictionary are decomposed together; the others follow one by one.
        By default, all.
    """

    def __init__(
        self,
        kernel: Kernel,
        points: Array,
        dictionary: IntArray,
        lam: float,
        *,
        span: Array | None = None,
        base: int | None = None,
    ) -> None:
        self.kernel, self.dictionary, self._lam, self._span = kernel, dictionary, lam, span
        self.base = len(dictionary) if base is None else base
        self.psi: Array = np.zeros((len(points), 0))
        self.kept: IntArray = np.zeros(0, dtype=np.int64)  # what has a column
        self._pivots = points[self.kept]
        self._together(points, dictionary[: self.base])
        for entry in dictionary[self.base :].tolist():
            self._add(points, entry)

    def onto(self, points: Array, dictionary: IntArray) -> GrowingMap:
        """The same kind of map on another dictionary of the (perhaps more) points."""
        wanted = set(dictionary.tolist())
        kept = [entry for entry in self.dictionary.tolist() if entry in wanted]
        new = sorted(wanted.difference(kept))
        entries = np.array([*kept, *new], dtype=np.int64)
        grows = len(kept) == len(self.dictionary) and len(points) == len(self.psi)
        if not grows or len(entries) - self.base > max(_FEW, self.base // 8):
            return GrowingMap(self.kernel, points, entries, self._lam, span=self._span)
        twin = GrowingMap.__new__(GrowingMap)
        twin.__dict__.update(self.__dict__)
        twin.dictionary = entries
        for entry in new:
            twin._add(points, entry)
        return twin

    def restored(self, points: Array, dictionary: IntArray, base: int | None) -> GrowingMap:
        """The map of a state, the same bit by bit."""
        return GrowingMap(self.kernel, points, dictionary, self._lam, span=self._span, base=base)

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
        factor, cross = self.psi[self.kept], self.kernel(self._pivots, X)
        psi: Array = solve_triangular(factor, cross, lower=True, check_finite=False).T
        return np.ascontiguousarray(psi)

    def features(self, X: Array) -> Features:
        """The features of the tracked points."""
        psi = self.psi if len(X) == len(self.psi) else self(X)
        return Features(psi, np.eye(len(self.dictionary), psi.shape[1]))

    def _together(self, points: Array, entries: IntArray) -> None:
        """Add several points by one factorisation, or one by one where some are negligible."""
        cross = self._columns(points, entries)
        try:
            factor = np.linalg.cholesky(cross[entries])
        except np.linalg.LinAlgError:
            factor = np.zeros((0, 0))
        if len(factor) < len(entries) or any(
            d * d <= self._negligible(points, z)
            for d, z in zip(np.diag(factor).tolist(), entries.tolist(), strict=True)
        ):
            for entry in entries.tolist():
                self._add(points, entry)
            return
        psi = solve_triangular(factor, cross.T, lower=True, check_finite=False).T
        self.psi, self.kept, self._pivots = np.ascontiguousarray(psi), entries, points[entries]

    def _add(self, points: Array, entry: int) -> None:
        row = self.psi[entry]
        column = self._columns(points, np.array([entry]))[:, 0]
        left = float(column[entry]) - float(row @ row)
        if left <= self._negligible(points, entry):
            return
        column -= self.psi @ row
        column /= np.sqrt(left)
        self.psi = np.hstack([self.psi, column[:, None]])
        self.kept = np.append(self.kept, entry)
        self._pivots = points[self.kept]

    def _columns(self, points: Array, entries: IntArray) -> Array:
        """k(·, entries) at the tracked points."""
        if self._span is None:
            return self.kernel(points, points[entries])
        columns: Array = self._span @ self._span[entries].T
        return columns

    def _negligible(self, points: Array, entry: int) -> float:
        prior = float(self.kernel.diag(points[entry : entry + 1])[0])
        return max(min(RANK_TOLERANCE * prior, RIDGE_TOLERANCE * self._lam), 1e-12 * prior)
