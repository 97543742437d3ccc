"""The exact posterior of Gaussian-process regression, one rank-one step per play."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.kernels import Kernel
from stoic.loops.blas import add_outer, add_outers
from stoic.posterior.base import Step, agree, grown
from stoic.posterior.solved import MAX_DELAYED_PLAYS, Solved
from stoic.schema import Reals, Schema, Wholes

__all__ = ["ExactPosterior"]

# Two recursions for one variance may differ by this share of the prior variance.
_MAX_DIFFERENCE = 1e-13
# Below this ratio of λ to the prior variance every digit counts, and no step is put off.
_SMALL_RIDGE = 0.5
# Below this ratio, a fresh solve follows whenever U has grown.
_FRAGILE_RIDGE = 1e-2


class ExactPosterior(Solved):
    """Exact kernel ridge smoothing whose cost does not grow with the number of plays.

    Let U be the distinct points played, n their counts, and C the posterior
    covariance. Kept are the u columns C[:, U] of the tracked points, and nothing of
    size t. One play of a ∈ U is, with c = C[:, a] and d = λ + c[a],

        gain = c/d,  C[:, U] −= c·c[U]ᵀ/d,  σ² −= c²/d,  logdet += ln(d/λ),

    and a new point's column is c = k(·, a) − C[:, U]·(n∘k(U, a))/λ. Means follow from
    payoff sums S as C[:, U]·S/λ. Nothing is inverted and no rank is decided, so
    near-duplicate points and very smooth kernels do no harm.

    The steps of C are put off: with G the vectors c/√d of the latest plays, the present
    covariance is C − GGᵀ, which is carried out for 32 plays at once, as one product of matrices
    instead of 32 passes over memory. Only where λ is small is each done at its play.

    From time to time everything is solved again from the counts, through the Cholesky
    factor of I + N^½ K N^½/λ, at a few per cent of the running cost.

    Cost per play: A × 32 numbers are read, and A × u of a new point; 2Au operations of a matrix
    product. Memory: A × u.
    """

    schema: ClassVar[Schema] = {
        "counts": Wholes("A"),
        "played": Wholes("u", below="A"),
        "var": Reals("A", low=0.0),
        "covariance": Reals("A", "u"),
        "put_off": Reals("A", "late"),
        "logdet": Reals(low=0.0),
        "next_refresh": Wholes(),
        "room": Wholes(2),
        "solved": Wholes(),
    }

    def __init__(self, kernel: Kernel, points: Array, lam: float) -> None:
        super().__init__(kernel, points, lam)
        self._played: IntArray = np.zeros(0, dtype=np.int64)  # U, in order of first play
        self._slot: IntArray = np.full(len(points), -1, dtype=np.int64)
        self._columns: Array = np.zeros((len(points), 0), order="F")  # C[:, U], with room to grow
        self._make_room(len(points))
        self._next_refresh = 256
        self._solved = 0  # distinct points at the last fresh solve
        self._classify_ridge()

    def _classify_ridge(self) -> None:
        prior = float(self._prior.max(initial=0.0))
        self._small_ridge = self.lam < _SMALL_RIDGE * prior
        self._fragile_ridge = self.lam < _FRAGILE_RIDGE * prior

    @property
    def _covariance(self) -> Array:
        return self._columns[: len(self.points), : self.size]

    @property
    def _room(self) -> IntArray:
        return np.array(self._columns.shape)

    def observe(self, arm: int, times: int = 1) -> Step:
        """Account for ``times`` more plays of a tracked point; ``gain`` is for their mean."""
        return self._play(arm, times, float(times))

    def _play(self, arm: int, times: int, weight: float) -> Step:
        """Account for plays that weigh as much as so many of noise variance λ."""
        slot = self._slot[arm]
        c = self._admit(arm) if slot < 0 else self._column(slot, arm)
        own = max(float(c[arm]), 0.0)
        noise = self.lam / weight
        gain: Array = c / (noise + own)
        if self._small_ridge:
            self._subtract(arm, gain, c, noise)
        else:
            np.divide(c, math.sqrt(noise + own), out=self._recent[: len(c), self._late])
            self._late += 1
            if self._late == MAX_DELAYED_PLAYS:
                self._catch_up()
        c *= gain
        self.var -= c
        self.var[arm] = noise * gain[arm]  # as a product, it keeps its relative accuracy
        np.maximum(self.var, 0.0, out=self.var)
        self._largest = None
        self.logdet += math.log1p(own / noise)
        self._add(arm, times, weight)
        refreshed = self.t >= self._next_refresh or self._fragile()
        if refreshed:
            self.refresh()
        return Step(gain, refreshed)

    def _add(self, arm: int, times: int, weight: float) -> None:
        """Count plays of a tracked point."""
        del weight  # each weighs one
        self._count(arm, times)

    def _column(self, slot: int, arm: int) -> Array:
        """C[:, a] as it is now."""
        c = self._covariance[:, slot].copy()
        # The two halves of C drift apart: left alone, their difference grows by 1 + gain[arm]
        # with each play, so they are made one wherever they are used.
        c[self._played] = 0.5 * (c[self._played] + self._covariance[arm])
        if self._late:
            G = self._put_off
            c -= G @ G[arm]
        return c

    def _subtract(self, arm: int, gain: Array, c: Array, noise: float) -> None:
        """Do the play's step at once; the arm's own column shrinks by λ/d, as a product."""
        own = noise * gain
        add_outer(self._columns[:, : self.size], -1.0, self._padded(gain), c[self._played])
        self._covariance[:, self._slot[arm]] = own
        self._covariance[arm] = own[self._played]

    def _padded(self, values: Array) -> Array:
        """``values`` with zeros for the rows kept in reserve for points to come."""
        reserve = len(self._columns) - len(values)
        return np.concatenate([values, np.zeros(reserve)]) if reserve else values

    def _catch_up(self) -> None:
        """Do the steps that were put off."""
        if self._late:
            G = self._recent[:, : self._late]
            add_outers(self._columns[:, : self.size], -1.0, G, G[self._played])
            self._late = 0

    def _fragile(self) -> bool:
        """Whether λ is so small that admitting points has multiplied rounding errors by n/λ."""
        slack = 0 if self.size <= 256 else self.size // 10
        return self._fragile_ridge and self.size > self._solved + slack

    def _admit(self, arm: int) -> Array:
        """Give ``arm``, about to be played for the first time, its column of C."""
        u, G = self.size, self._put_off
        prior = self.kernel(self.points, self.points[arm : arm + 1])[:, 0]
        weights = self._weight_of_played * prior[self._played] / self.lam
        column: Array = prior - self._covariance @ weights
        if self._late:
            column += G @ (weights @ G[self._played])
        # σ²(arm) and C[arm, U] were computed in another way: where they disagree with the
        # column, digits were lost (a small λ multiplies errors by n/λ), and it is solved again.
        known = self._covariance[arm] - (G[self._played] @ G[arm] if self._late else 0.0)
        lost = max(
            abs(column[arm] - self.var[arm]), np.abs(column[self._played] - known).max(initial=0.0)
        )
        if lost > _MAX_DIFFERENCE * self._prior[arm]:
            K = self.kernel(self.points, self.points[self._played])
            root, factor = self._factor(K[self._played])
            weights = cho_solve((factor, True), root * prior[self._played], check_finite=False)
            column = prior - K @ (root * weights / self.lam)
        self._columns = grown(self._columns, (len(self.points), u + 1))
        self._columns[: len(column), u] = column + G @ G[arm] if self._late else column
        self._played = np.append(self._played, arm)
        self._slot[arm] = u
        return self._column(u, arm)

    def refresh(self) -> None:
        """Solve for C, σ² and logdet again, from the counts."""
        played, prior = self._played, self._prior
        K = self.kernel(self.points, self.points[played])
        root, factor = self._factor(K[played])
        W = solve_triangular(factor, root[:, None] * K.T, lower=True, check_finite=False)
        self.var = np.maximum(prior - np.einsum("ij,ij->j", W, W) / self.lam, 0.0)
        # C[:, U] = K N^½ B⁻¹ N^{-½}: as a solve, not as a difference of near-equals
        solved = solve_triangular(factor, W, lower=True, trans=1, check_finite=False)
        self._covariance[:] = (solved / root[:, None]).T
        self._late = 0
        self._largest = None
        self.var[played] = np.maximum(self._covariance[played, np.arange(self.size)], 0.0)
        self.logdet = 2.0 * float(np.log(np.diag(factor)).sum())
        # u³/3 + 2Au² of solving against 3Au a play: at most a few per cent
        pause = 20 * self.size + 7 * self.size**2 // len(self.points)
        self._next_refresh = self.t + max(256, pause)
        self._solved = self.size

    def track(self, points: Array) -> None:
        """Follow further points from now on."""
        self._catch_up()
        start = len(self.points)
        cross = self.kernel(points, self.points[self._played])
        prior = self.kernel.diag(points)
        self.points = np.vstack([self.points, points])
        self.counts = np.concatenate([self.counts, np.zeros(len(points), dtype=np.int64)])
        self._slot = np.concatenate([self._slot, np.full(len(points), -1, dtype=np.int64)])
        self._prior = np.concatenate([self._prior, prior])
        self._classify_ridge()
        self._columns = grown(self._columns, (len(self.points), self.size))
        self._make_room(len(self._columns))
        var = prior
        if self.size:
            root, factor = self._present_factor()
            W = solve_triangular(factor, root[:, None] * cross.T, lower=True, check_finite=False)
            solved = solve_triangular(factor, W, lower=True, trans=1, check_finite=False)
            self._columns[start : len(self.points), : self.size] = (solved / root[:, None]).T
            var = np.maximum(prior - np.einsum("ij,ij->j", W, W) / self.lam, 0.0)
        self.var, self._largest = np.concatenate([self.var, var]), None

    def smooth(self, sums: Array) -> Array:
        """The posterior means for per-point payoff sums, (A,) or (A, j)."""
        weights = sums[self._played] / self.lam
        means: Array = self._covariance @ weights
        if self._late:
            means -= self._put_off @ (self._put_off[self._played].T @ weights)
        return means

    def _restored(self, state: dict[str, Any]) -> None:
        if not np.array_equal(np.sort(self._played), np.flatnonzero(self.counts)):
            raise InvalidState("expected the points with a count as those played in a state")
        self._columns = self._with_columns(state["covariance"], state["room"])
        self._make_room(len(self._columns))
        self._slot = np.full(len(self.points), -1, dtype=np.int64)
        self._slot[self._played] = np.arange(self.size)
        super()._restored(state)

    @staticmethod
    def _with_columns(covariance: Array, room: IntArray) -> Array:
        """C[:, U] in the same room as before: for another, BLAS may round differently."""
        sides = zip(room.tolist(), covariance.shape, strict=True)
        if not all(used <= side <= max(8, 2 * used) for side, used in sides):
            raise InvalidState(f"expected room for {covariance.shape} in a state, got {room}")
        columns: Array = np.zeros(room, order="F")
        columns[: len(covariance), : covariance.shape[1]] = covariance
        return columns

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from the plays."""
        fresh = self.copy()
        if self.size:
            fresh.refresh()
        else:
            fresh.var, fresh.logdet = self._prior, 0.0
        G, unit = self._put_off, float(self._prior.max(initial=0.0))
        covariance = self._covariance - G @ G[self._played].T
        agree("the covariance", covariance, fresh._covariance, unit)
        self._verify_figures(fresh)
