"""Means and variances of any points, computed on request from the plays, and exact."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, IntArray
from stoic.kernels import Kernel
from stoic.many_arms.factor import Factor
from stoic.many_arms.played import PlayedArms

__all__ = ["Figures"]

_POINTS_PER_PASS = 2048  # so that a pass over all points needs little memory


class Figures:
    """Means and variances from the factor of the plays: of one arm, of all, of any points.

    Parameters
    ----------
    kernel, points, lam
        k, the (A, d) points and λ.
    """

    def __init__(self, kernel: Kernel, points: Array, lam: float) -> None:
        self.kernel, self.points, self.lam = kernel, points, lam
        self.prior: Array = kernel.diag(points)
        self.max_prior = float(self.prior.max())
        self._clear()

    def _clear(self) -> None:
        """Return to the state before the first play."""
        self.counts: IntArray = np.zeros(len(self.points), dtype=np.int64)
        self.factor = Factor(self.kernel, self.points, self.lam)
        self.played = PlayedArms(self.factor)
        self._forget()

    def _forget(self) -> None:
        """Drop what was computed on request."""
        self._rows: dict[int, Array] = {}  # of single arms
        self._var: Array | None = None  # of all points

    # -- single arms --------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The number of distinct points played."""
        return len(self.played)

    def row(self, arm: int) -> Array:
        """W(x) of one arm, which does not depend on what else was computed."""
        if arm in self.played:
            return self.played.row(arm)
        if not len(self.factor):
            return np.zeros(0)
        if arm not in self._rows:
            self._rows[arm] = self.factor.rows_at(self.points[arm : arm + 1])[0]
        return self._rows[arm]

    def var_at(self, arm: int) -> float:
        """σ² of one arm, which does not depend on what else was computed."""
        if arm in self.played:
            return self.played.var_at(arm)
        row = self.row(arm)
        return max(float(self.prior[arm]) - float(row @ row), 0.0)

    # -- all points, any points ---------------------------------------------------------------

    @property
    def var(self) -> Array:
        """The posterior variances of all points, by a fresh solve."""
        if self._var is None:
            var = np.concatenate([self._var_at_points(part) for part in self._parts()])
            var[self.played.arms] = self.played.var
            self._var = var
        return self._var

    @property
    def std(self) -> Array:
        """The posterior standard deviations of all points, by a fresh solve."""
        return np.sqrt(self.var)

    def smooth(self, sums: Array) -> Array:
        """The posterior means for per-point payoff sums, (A,) or (A, j)."""
        return self.combine(self.whiten(sums))

    def whiten(self, sums: Array) -> Array:
        """The coordinates β of per-point payoff sums, with W(x)·β as their posterior means."""
        # each of n plays may stand for their mean: the posterior is the same
        arms = self.factor.arms
        return self.factor.solve((sums[arms].T / self.counts[arms]).T)

    def combine(self, beta: Array) -> Array:
        """W(x)·β at all points, for β of each coordinate, (k,) or (k, j)."""
        alpha = self.played.dual(beta)
        everywhere: Array = np.concatenate([self.played.expand(X, alpha) for X in self._parts()])
        return everywhere

    def predict(self, X: Array, sums: Array) -> tuple[Array, Array]:
        """Posterior mean(s) and std at any points, for per-point payoff sums."""
        W = self.factor.rows_at(X)
        means: Array = W @ self.whiten(sums)
        return means, np.sqrt(self._var_at_points(X, W))

    def _var_at_points(self, X: Array, W: Array | None = None) -> Array:
        W = self.factor.rows_at(X) if W is None else W
        left: Array = np.maximum(self.kernel.diag(X) - np.einsum("ij,ij->i", W, W), 0.0)
        return left

    def _parts(self) -> list[Array]:
        starts = range(0, len(self.points), _POINTS_PER_PASS)
        return [self.points[start : start + _POINTS_PER_PASS] for start in starts]
