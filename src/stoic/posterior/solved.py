"""The common base of exact posteriors: a fresh solve from the counts, and predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput, InvalidState
from stoic.kernels import Kernel
from stoic.posterior.base import Track, agree

__all__ = ["MAX_DELAYED_PLAYS", "Solved"]

MAX_DELAYED_PLAYS = 32  # plays whose rank-one steps are put off until they can be done together


class Solved(Track):
    """Tracked points with a kernel; everything follows from the counts by one factorisation."""

    _played: IntArray  # U, the distinct points played
    _recent: Array  # G, vectors c/√d of plays whose steps are put off, with room
    _late = 0  # plays in G

    def __init__(self, kernel: Kernel, points: Array, lam: float) -> None:
        super().__init__(points, lam)
        self.kernel = kernel
        self.var = kernel.diag(points)
        self._prior = self.var.copy()
        self._factored = (0, np.zeros(0), np.zeros((0, 0)))  # t, and what belongs to it

    @property
    def _put_off(self) -> Array:
        """The vectors in G."""
        return self._recent[: len(self.points), : self._late]

    @property
    def size(self) -> int:
        """The number of distinct points played."""
        return len(self._played)

    @property
    def _weight_of_played(self) -> Array:
        """How often each point of U was played, or what its plays weigh together."""
        return self.counts[self._played].astype(float)

    def _factor(self, K: Array) -> tuple[Array, Array]:
        """N^½ and the lower Cholesky factor of B = I + N^½ K N^½/λ over the points played."""
        root = np.sqrt(self._weight_of_played)
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

    def _make_room(self, rows: int) -> None:
        """Put off nothing, with room for plays to come."""
        self._recent, self._late = np.zeros((rows, MAX_DELAYED_PLAYS), order="F"), 0

    def _restored(self, state: dict[str, Any]) -> None:
        super()._restored(state)
        late = state["put_off"].shape[1]
        if late >= MAX_DELAYED_PLAYS:
            raise InvalidState(
                f"expected fewer than {MAX_DELAYED_PLAYS} plays put off in a state, got {late}"
            )
        self._late = late
        self._put_off[:] = state["put_off"]
        self._factored = (0, np.zeros(0), np.zeros((0, 0)))

    def _verify_figures(self, fresh: Solved) -> None:
        agree("the variance", self.var, fresh.var, float(self._prior.max(initial=0.0)))
        agree("the log-determinant", self.logdet, fresh.logdet, max(fresh.logdet, 1.0))

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
