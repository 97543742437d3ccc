"""The Cholesky factor of the covariance of all plays, which grows by one row with every play."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput
from stoic.kernels import Kernel
from stoic.posterior.base import agree

__all__ = ["Coordinate", "Factor", "cholesky"]


class Coordinate(NamedTuple):
    """What one play adds to every point: w(x) = (k(x, a) − W(x)·W(a)) / l, l² = ν + σ²(a)."""

    arm: int  # a
    row: Array  # W(a) before the play
    noise: float  # ν
    var: float  # σ²(a) before the play
    pivot: float  # l

    @property
    def share(self) -> float:
        """σ(a) / l, by which the play moved its own arm: |w(x)| ≤ share · σ(x) for all x."""
        return math.sqrt(self.var) / self.pivot


class Factor:
    """L with L Lᵀ = K + diag(ν) over the plays, each of which is one coordinate.

    The row of a point x is W(x) = L⁻¹ k(plays, x), and σ²(x) = k(x, x) − ‖W(x)‖².

    Notation: k coordinates.

    Parameters
    ----------
    kernel, points
        k(·, ·) and the (A, d) points.
    lam
        λ, the noise of a single play.
    """

    def __init__(self, kernel: Kernel, points: Array, lam: float) -> None:
        self.kernel, self.points, self._lam = kernel, points, lam
        self._max_prior = float(kernel.diag(points).max())
        self._size = 0
        self._L: Array = np.zeros((0, 0), order="F")  # with ones on the unused diagonal
        self._noise: Array = np.zeros(0)
        self._arms: IntArray = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return self._size

    @property
    def capacity(self) -> int:
        """The coordinates that there is room for."""
        return len(self._L)

    @property
    def arms(self) -> IntArray:
        """The arm of each coordinate."""
        return self._arms[: self._size]

    @property
    def noise(self) -> Array:
        """ν of each coordinate."""
        return self._noise[: self._size]

    @property
    def matrix(self) -> Array:
        """L."""
        return self._L[: self._size, : self._size]

    @property
    def min_noise(self) -> float:
        """The smallest ν."""
        return float(self.noise.min()) if self._size else self._lam

    @property
    def logdet(self) -> float:
        """Ln det(I + diag(ν)⁻¹ K)."""
        return float((2.0 * np.log(self.matrix.diagonal()) - np.log(self.noise)).sum())

    @property
    def relative_error(self) -> float:
        """The largest relative error of a row W, as a vector, by backward error analysis.

        Rounding changes k(plays, x) = L W by no more than k^{3/2} units of ‖L_τ‖‖W‖, and
        ‖L⁻¹‖ ≤ ν^{-1/2} for the smallest noise ν.
        """
        share = math.sqrt(1.0 + self._max_prior / self.min_noise)
        return 2.0**-52 * math.pow(self._size + 4, 1.5) * share

    # -- changes ------------------------------------------------------------------------------

    @staticmethod
    def room(size: int) -> int:
        """The capacity for ``size`` coordinates; a step function of it alone."""
        return max(64, -(-size // 128) * 128)

    def grow(self, size: int) -> None:
        """Make room for ``size`` coordinates."""
        room = self.room(size)
        used = min(self.capacity, room)
        L = np.zeros((room, room), order="F")
        L[:used, :used] = self._L[:used, :used]
        L.flat[used * (room + 1) :: room + 1] = 1.0
        self._L = L
        self._noise = np.concatenate([self._noise[:used], np.zeros(room - used)])
        self._arms = np.concatenate([self._arms[:used], np.zeros(room - used, dtype=np.int64)])

    def append(self, new: Coordinate) -> None:
        """Add a coordinate, for which there is room."""
        k = self._size
        self._L[k, :k], self._L[k, k] = new.row, new.pivot
        self._noise[k], self._arms[k] = new.noise, new.arm
        self._size = k + 1

    def replace(self, arms: IntArray, noise: Array, L: Array) -> None:
        """Take other coordinates instead of all present ones."""
        k = self._size = len(arms)
        self._L = np.zeros((0, 0), order="F")
        self.grow(k)
        self._L[:k, :k], self._noise[:k], self._arms[:k] = L, noise, arms

    # -- rows ---------------------------------------------------------------------------------

    def solve(self, values: Array, *, transposed: bool = False) -> Array:
        """L⁻¹ (or L⁻ᵀ) applied to values per coordinate, (k,) or (k, j)."""
        if not values.size:
            return values
        padded = np.zeros((self.capacity, values[:1].size), order="F")
        padded[: self._size] = values.reshape(self._size, -1)
        solved, _ = dtrtrs(self._L, padded, lower=1, trans=int(transposed), overwrite_b=1)
        solution: Array = solved[: self._size].reshape(values.shape)
        return solution

    def rows_at(self, X: Array) -> Array:
        """W at any points, by a solve."""
        return self.solve(self.kernel(X, self.points[self.arms]).T).T

    def rows_of(self, arms: IntArray) -> Array:
        """W at some arms, by a solve."""
        return self.rows_at(self.points[arms])

    def coordinate(self, new: Coordinate, arms: IntArray, rows: Array) -> Array:
        """W of a new coordinate at some arms, whose rows before it are given."""
        w: Array = self.kernel(self.points[arms], self.points[new.arm : new.arm + 1])[:, 0]
        w -= rows @ new.row
        w /= new.pivot
        return w

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless L is the factor of the plays."""
        L, points = self.matrix, self.points[self.arms]
        gram = self.kernel(points, points) + np.diag(self.noise)
        unit = float(np.abs(gram).max())
        agree("the noise", np.minimum(self.noise, self._lam), self.noise, 0.0)  # λ/n for n plays
        agree("the factor", L @ L.T, gram, unit)
        agree("the factor", np.triu(L, 1), 0.0, unit)
        pivots = L.diagonal()
        agree("the pivots", np.maximum(pivots, 0.999 * np.sqrt(self.noise)), pivots, unit)


def cholesky(K: Array, noise: Array) -> Array:
    """The lower Cholesky factor of K + diag(noise)."""
    for share in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
        # K is positive semi-definite only up to rounding, which matters where the noise is tiny
        B = K.copy(order="F")
        B.flat[:: len(B) + 1] += noise + share * np.trace(K)
        factor, failed = dpotrf(B, lower=1, clean=1, overwrite_a=1)
        if not failed:
            done: Array = factor
            return done
    raise InvalidInput("expected a positive semi-definite kernel, got one that is not")
