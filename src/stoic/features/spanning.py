"""Features that reproduce a kernel on a finite set of points, to rounding."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from stoic.checks import Array
from stoic.features.base import Features
from stoic.features.parts import in_parts
from stoic.kernels import Kernel

__all__ = ["SpanningMap"]

_ROUNDING = 4e-15  # of the largest prior variance: the residual that may be left out


class SpanningMap:
    """ψ(x) = L⁻¹k_P(x) for pivots P with K_P = LLᵀ that span the kernel at all points.

    A smooth kernel on points close together has a small numerical rank r: after r steps of a
    Cholesky factorisation with pivoting, the largest residual variance is below rounding. Ridge
    regression on ψ is then exact Gaussian-process regression at those points, at the cost of r
    features however many of the points are played.
    """

    def __init__(self, kernel: Kernel, pivots: Array) -> None:
        self.kernel = kernel
        self._pivots = pivots
        self._gram: Array = kernel(pivots, pivots)
        self._factor: Array = np.linalg.cholesky(self._gram).astype(float, copy=False)
        self._recent: tuple[Array, Features] | None = None  # points, and their features

    @classmethod
    def of(cls, kernel: Kernel, points: Array, most: int) -> SpanningMap | None:
        """The map that spans the points with at most ``most`` pivots, if there is one."""
        residual = kernel.diag(points)
        largest = float(residual.max(initial=0.0))
        enough = _ROUNDING * largest
        columns: Array = np.zeros((len(points), most), order="F")
        pivots: list[int] = []
        while (pivot := int(np.argmax(residual))) not in pivots and residual[pivot] > enough:
            r = len(pivots)
            if r == most or (r == most // 4 and residual[pivot] > 0.5 * largest):
                return None  # too many, or likely too many after the first quarter
            column = kernel(points, points[pivot : pivot + 1])[:, 0]
            column -= columns[:, :r] @ columns[pivot, :r]
            columns[:, r] = column / np.sqrt(residual[pivot])
            residual -= columns[:, r] ** 2
            pivots.append(pivot)
        try:
            return cls(kernel, points[pivots])
        except np.linalg.LinAlgError:  # the last pivots were rounding
            return None

    def fits(self, kernel: Kernel) -> bool:
        """Whether a kernel has the values that this map was made of."""
        alike = type(kernel) is type(self.kernel)
        return alike and np.array_equal(kernel(self._pivots, self._pivots), self._gram)

    def __call__(self, X: Array) -> Array:
        """The coordinates ψ at points, (n, r)."""
        cross = self.kernel(self._pivots, X)
        psi: Array = solve_triangular(self._factor, cross, lower=True, check_finite=False).T
        return np.ascontiguousarray(psi)

    def features(self, X: Array) -> Features:
        """The features of the tracked points; those of the last points are cached."""
        recent = self._recent
        if recent is None or not np.array_equal(recent[0], X):
            psi = self(X)
            rounding = _ROUNDING * float(self._gram.max(initial=0.0))
            # v is V⁻¹ψ of some point, hence no larger in any coordinate than Ψ is
            parts = in_parts(psi, X, rounding, np.abs(psi).max(axis=0, initial=0.0))
            features = Features(psi, np.eye(len(self._pivots)), parts)
            recent = self._recent = (X.copy(), features)
        return recent[1]
