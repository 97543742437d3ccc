"""The exact posterior of Gaussian-process regression, one rank-one step per play."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.blas import dger

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput
from stoic.kernels import Kernel
from stoic.posterior.base import Step, Track, grown

__all__ = ["ExactPosterior"]

# Two recursions for one variance may differ by this share of the prior variance.
_AGREEMENT = 1e-13
# Below this ratio of λ to the prior variance, fresh solves follow the growth of U.
_FRAGILE = 1e-2


class ExactPosterior(Track):
    """Exact kernel ridge smoothing whose cost does not grow with the number of plays.

    Let U be the distinct points played, n their counts, and C the posterior
    covariance. Kept are the u columns C[:, U] of the tracked points, and nothing of
    size t. One play of a ∈ U is, with c = C[:, a] and d = λ + c[a],

        gain = c/d,  C[:, U] −= c·c[U]ᵀ/d,  σ² −= c²/d,  logdet += ln(d/λ),

    and a new point's column is c = k(·, a) − C[:, U](n∘k(U, a))/λ. Means follow from
    payoff sums S as C[:, U]·S/λ. Nothing is inverted and no rank is decided, so
    near-duplicate points and very smooth kernels do no harm.

    Every so often all of it is solved afresh from the counts through the Cholesky
    factor of I + N^½ K N^½/λ, at a few per cent of the running cost.

    Cost per play: one pass over A × u numbers, in place. Memory: A × u.
    """

    def __init__(self, kernel: Kernel, points: Array, lam: float) -> None:
        super().__init__(points, lam)
        self.kernel = kernel
        self.var = kernel.diag(points)
        self._prior = self.var.copy()
        self._largest_prior = float(self._prior.max(initial=0.0))
        self._played: IntArray = np.zeros(0, dtype=np.int64)  # U, in order of first play
        self._slot: IntArray = np.full(len(points), -1, dtype=np.int64)
        self._columns: Array = np.zeros((len(points), 0), order="F")  # C[:, U], with room to grow
        self._next_refresh = 256
        self._solved = 0  # distinct points at the last fresh solve
        self._factored = (0, np.zeros(0), np.zeros((0, 0)))  # t, and what belongs to it

    @property
    def size(self) -> int:
        """The number of distinct points played."""
        return len(self._played)

    @property
    def _covariance(self) -> Array:
        return self._columns[: len(self.points), : self.size]

    def observe(self, arm: int, times: int = 1) -> Step:
        """Account for ``times`` more plays of a tracked point; ``gain`` is for their mean."""
        if self._slot[arm] < 0:
            self._admit(arm)
        slot = self._slot[arm]
        c = self._covariance[:, slot].copy()
        # The two halves of C drift apart: left alone, their difference grows by 1 + gain[arm]
        # with each play, so they are made one wherever they are used.
        c[self._played] = 0.5 * (c[self._played] + self._covariance[arm])
        c[arm] = max(c[arm], 0.0)
        noise = self.lam / times
        gain: Array = c / (noise + c[arm])
        self._subtract(gain, c[self._played])
        # The arm's own column shrinks by λ/d: as a product, it keeps its relative accuracy.
        self._covariance[:, slot] = noise * gain
        self._covariance[arm] = noise * gain[self._played]
        np.maximum(self.var - gain * c, 0.0, out=self.var)
        self.logdet += math.log1p(c[arm] / noise)
        self._count(arm, times)
        refreshed = self.t >= self._next_refresh or self._fragile()
        if refreshed:
            self.refresh()
        return Step(gain, refreshed)

    def _fragile(self) -> bool:
        """Whether λ is so small that admitting points has multiplied rounding errors by n/λ."""
        slack = 0 if self.size <= 256 else self.size // 10
        return self.size > self._solved + slack and self.lam < _FRAGILE * self._largest_prior

    def _subtract(self, gain: Array, c_played: Array) -> None:
        block = self._columns[:, : self.size]
        if len(gain) < len(block):  # rows kept in reserve for points to come
            gain = np.concatenate([gain, np.zeros(len(block) - len(gain))])
        dger(-1.0, gain, c_played, a=block, overwrite_a=1, overwrite_x=0, overwrite_y=0)

    def _admit(self, arm: int) -> None:
        """Give ``arm``, about to be played for the first time, its column of C."""
        u = self.size
        prior = self.kernel(self.points, self.points[arm : arm + 1])[:, 0]
        column = prior - self._covariance @ (
            self.counts[self._played] * prior[self._played] / self.lam
        )
        # σ²(arm) has come here on its own way: where the two disagree, digits were lost
        # (a small λ multiplies errors by n/λ), and the column is solved for afresh.
        if u and abs(column[arm] - self.var[arm]) > _AGREEMENT * self._prior[arm]:
            K = self.kernel(self.points, self.points[self._played])
            root, factor = self._factor(K[self._played])
            weights = cho_solve((factor, True), root * prior[self._played], check_finite=False)
            column = prior - K @ (root * weights / self.lam)
        self._columns = grown(self._columns, (len(self.points), u + 1))
        self._columns[: len(self.points), u] = column
        self._played = np.append(self._played, arm)
        self._slot[arm] = u

    def refresh(self) -> None:
        """Solve for C, σ² and logdet afresh from the counts."""
        played, prior = self._played, self._prior
        K = self.kernel(self.points, self.points[played])
        root, factor = self._factor(K[played])
        W = solve_triangular(factor, root[:, None] * K.T, lower=True, check_finite=False)
        self.var = np.maximum(prior - np.einsum("ij,ij->j", W, W) / self.lam, 0.0)
        # C[:, U] = K N^½ B⁻¹ N^{-½}: as a solve, not as a difference of near-equals
        solved = solve_triangular(factor, W, lower=True, trans=1, check_finite=False)
        self._covariance[:] = (solved / root[:, None]).T
        self.var[played] = np.maximum(self._covariance[played, np.arange(self.size)], 0.0)
        self.logdet = 2.0 * float(np.log(np.diag(factor)).sum())
        # u³/3 + 2Au² of solving against 3Au a play: at most a few per cent
        pause = 20 * self.size + 7 * self.size**2 // len(self.points)
        self._next_refresh = self.t + max(256, pause)
        self._solved = self.size

    def _factor(self, K: Array) -> tuple[Array, Array]:
        """N^½ and the lower Cholesky factor of B = I + N^½ K N^½/λ over the points played."""
        root = np.sqrt(self.counts[self._played].astype(float))
        B = root[:, None] * K * (root / self.lam)
        B.flat[:: len(B) + 1] += 1.0
        for share in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
            # K is positive semi-definite only up to rounding, which n/λ > 1e14 brings up
            B.flat[:: len(B) + 1] += share * np.trace(B)
            try:
                return root, cho_factor(B, lower=True, check_finite=False)[0]
            except np.linalg.LinAlgError:
                continue
        raise InvalidInput("expected a positive semi-definite kernel, got one that is not")

    def _present_factor(self) -> tuple[Array, Array]:
        """:meth:`_factor` of what has been played so far, kept until the next play."""
        t, root, factor = self._factored
        if t != self.t:
            points = self.points[self._played]
            root, factor = self._factor(self.kernel(points, points))
            self._factored = (self.t, root, factor)
        return root, factor

    def track(self, points: Array) -> None:
        """Follow further points from now on."""
        start = len(self.points)
        cross = self.kernel(points, self.points[self._played])
        prior = self.kernel.diag(points)
        self.points = np.vstack([self.points, points])
        self.counts = np.concatenate([self.counts, np.zeros(len(points), dtype=np.int64)])
        self._slot = np.concatenate([self._slot, np.full(len(points), -1, dtype=np.int64)])
        self._prior = np.concatenate([self._prior, prior])
        self._largest_prior = float(self._prior.max(initial=0.0))
        self._columns = grown(self._columns, (len(self.points), self.size))
        var = prior
        if self.size:
            root, factor = self._present_factor()
            W = solve_triangular(factor, root[:, None] * cross.T, lower=True, check_finite=False)
            solved = solve_triangular(factor, W, lower=True, trans=1, check_finite=False)
            self._columns[start : len(self.points), : self.size] = (solved / root[:, None]).T
            var = np.maximum(prior - np.einsum("ij,ij->j", W, W) / self.lam, 0.0)
        self.var = np.concatenate([self.var, var])

    def smooth(self, sums: Array) -> Array:
        """The posterior means for per-point payoff sums, (A,) or (A, j)."""
        means: Array = self._covariance @ (sums[self._played] / self.lam)
        return means

    def predict(self, X: Array, sums: Array) -> tuple[Array, Array]:
        """Posterior mean(s) and std at any points, for per-point payoff sums."""
        played = self._played
        prior = self.kernel.diag(X)
        if not self.size:
            return np.zeros((len(X), *sums.shape[1:])), np.sqrt(prior)
        cross = self.kernel(X, self.points[played])
        root, factor = self._present_factor()
        scaled = sums[played].T / root  # N^½ ȳ
        alpha = cho_solve((factor, True), scaled.T, check_finite=False).T * root / self.lam
        W = solve_triangular(factor, root[:, None] * cross.T, lower=True, check_finite=False)
        var = prior - np.einsum("ij,ij->j", W, W) / self.lam
        return cross @ alpha.T, np.sqrt(np.maximum(var, 0.0))

    def copy(self) -> ExactPosterior:
        """An independent posterior in the same state."""
        twin = ExactPosterior.__new__(ExactPosterior)
        twin.__dict__.update(self.__dict__)
        twin.counts, twin.var = self.counts.copy(), self.var.copy()
        twin._slot, twin._columns = self._slot.copy(), self._columns.copy(order="F")
        return twin

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {
            "counts": self.counts.copy(),
            "played": self._played.copy(),
            "var": self.var.copy(),
            "covariance": self._covariance.copy(),
            "logdet": self.logdet,
            "next_refresh": self._next_refresh,
            "room": np.array(self._columns.shape),
            "solved": self._solved,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self.counts = np.array(state["counts"], dtype=np.int64)
        self._played = np.array(state["played"], dtype=np.int64)
        self.var = np.array(state["var"], dtype=float)
        # The same room as before: BLAS may round differently for another leading dimension.
        self._columns = np.zeros([int(side) for side in state["room"]], order="F")
        saved = np.array(state["covariance"], dtype=float)
        self._covariance[:] = saved.reshape(len(self.points), self.size)
        self._slot = np.full(len(self.points), -1, dtype=np.int64)
        self._slot[self._played] = np.arange(self.size)
        self.logdet = float(state["logdet"])
        self.t = int(self.counts.sum())
        self._next_refresh = int(state["next_refresh"])
        self._solved = int(state["solved"])
        self._factored = (0, np.zeros(0), np.zeros((0, 0)))
