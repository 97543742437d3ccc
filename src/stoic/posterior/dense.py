"""The exact posterior of few points: the whole covariance matrix."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dsymm

from stoic.checks import Array, IntArray
from stoic.kernels import Kernel
from stoic.loops import late_play
from stoic.loops.blas import add_half
from stoic.posterior.base import Step, agree
from stoic.posterior.solved import MAX_DELAYED_PLAYS, Solved
from stoic.schema import Reals, Schema, Wholes

__all__ = ["DensePosterior"]

_PLAYS_BETWEEN_SOLVES = 20  # for each point


class DensePosterior(Solved):
    """Exact kernel ridge smoothing of few points, whose covariance C is kept whole.

    One play of a is, with c = C[:, a] and d = λ + c[a],

        gain = c/d,  C −= ccᵀ/d,  σ² −= c²/d,  logdet += ln(d/λ).

    As in :class:`stoic.posterior.ExactPosterior`, the steps of C are put off and done for 32
    plays at once; but no point need be admitted, which takes most of the time where plays are
    spread over the points. Of C, the lower half is kept up to date. Meant for λ that is not
    small against the prior variance.

    Cost per play: A × 32 numbers are read, A² operations of a matrix product. Memory: A².
    """

    schema: ClassVar[Schema] = {
        "counts": Wholes("A"),
        "var": Reals("A", low=0.0),
        "covariance": Reals("A", "A"),
        "put_off": Reals("A", "late"),
        "logdet": Reals(low=0.0),
        "next_refresh": Wholes(),
    }
    _covariance: Array  # C, without the plays in G

    def __init__(self, kernel: Kernel, points: Array, lam: float) -> None:
        super().__init__(kernel, points, lam)
        self.refresh()

    @property
    def _played(self) -> IntArray:  # type: ignore[override]
        return np.flatnonzero(self.counts)

    def observe(self, arm: int, times: int = 1) -> Step:
        """Account for ``times`` more plays of a tracked point; ``gain`` is for their mean."""
        noise = self.lam / times
        gain = np.empty(len(self.var))
        own, self._largest = late_play(
            self._covariance, self._recent, self._late, self.var, arm, noise, gain
        )
        self._late += 1
        if self._late == MAX_DELAYED_PLAYS:
            self._catch_up()
        self.logdet += math.log1p(own / noise)
        self._count(arm, times)
        refreshed = self.t >= self._next_refresh
        if refreshed:
            self.refresh()
        return Step(gain, refreshed)

    def _catch_up(self) -> None:
        """Do the steps that were put off."""
        add_half(self._covariance, -1.0, self._put_off)
        self._late = 0

    def refresh(self) -> None:
        """Solve for C, σ² and logdet again, from the counts."""
        played, points = self._played, self.points
        K = self.kernel(points, points)
        root, factor = self._factor(K[np.ix_(played, played)])
        W = solve_triangular(factor, root[:, None] * K[played], lower=True, check_finite=False)
        self._covariance = np.asfortranarray(K - W.T @ W / self.lam)
        self.var = np.maximum(np.diag(self._covariance), 0.0)
        self.logdet = 2.0 * float(np.log(np.diag(factor)).sum())
        self._make_room(len(points))
        self._largest = None
        self._next_refresh = self.t + max(1024, _PLAYS_BETWEEN_SOLVES * len(points))

    def track(self, points: Array) -> None:
        """Follow further points from now on."""
        self.points = np.vstack([self.points, points])
        self.counts = np.concatenate([self.counts, np.zeros(len(points), dtype=np.int64)])
        self._prior = np.concatenate([self._prior, self.kernel.diag(points)])
        self.refresh()

    def smooth(self, sums: Array) -> Array:
        """The posterior means for per-point payoff sums, (A,) or (A, j)."""
        G, weights = self._put_off, sums.reshape(len(sums), -1) / self.lam
        means: Array = dsymm(1.0, self._covariance, weights, lower=1) - G @ (G.T @ weights)
        return means.reshape(sums.shape)

    def _restored(self, state: dict[str, Any]) -> None:
        self._covariance = np.asfortranarray(self._covariance)
        self._make_room(len(self.points))
        super()._restored(state)

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from the plays."""
        fresh = self.copy()
        fresh.refresh()
        G, unit = self._put_off, float(self._prior.max(initial=0.0))
        covariance = np.tril(self._covariance - G @ G.T)  # the upper half lags
        agree("the covariance", covariance, np.tril(fresh._covariance), unit)
        self._verify_figures(fresh)
