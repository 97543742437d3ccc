"""Adaptive truncation in feature space (chowdhury2019, Algorithm 2).

Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.estimators.limited import Limited, Ruler
from stoic.estimators.truncation import check_sums
from stoic.loops import clip_directions, cut_directions, smooth_about, spread
from stoic.posterior import FeaturePosterior, Step
from stoic.posterior.base import agree
from stoic.posterior.root import Root
from stoic.schema import LARGEST, Reals, Schema, Stateful, Sums, Wholes

__all__ = ["AdaptivelyTruncatedMean"]

_MAX_RECENT = 256  # payoffs that are clipped anew each round about the present estimate


class AdaptivelyTruncatedMean(Stateful):
    """θ = V^{-½} r̂ with r̂_i = Σ_τ u_{iτ} y_τ 1{|u_{iτ} y_τ| ≤ b}, over the whole history.

    u_i are the rows of V^{-½}Φᵀ. Both V and b move with every round, so each round every
    payoff must be compared with b again in each of the m directions. But |u_{iτ}| ≤ 1/√n_a for n_a
    plays of τ's arm, whatever the features: once |y| ≤ b√n_a for the least b to come, the
    payoff is inside for good, in every direction, and only its arm's sum needs to be kept. What
    is left is the tail, whose size depends on how heavy it is and hardly on t.

    Payoffs may be clipped about a centre g, y − g in place of y; the part that g explains is
    then added back, θ = V^{-½} r̂ + V⁻¹Φᵀ g (summed over plays). With g = 0 this is the paper's.

    Cost per round: A·r, and where a payoff may be cut at all, turning the eigenvectors of V (a
    product of r × r matrices) and m·r for each such payoff.
    """

    schema: ClassVar[Schema] = {
        "location": Sums(),
        "settled": Sums("A"),
        "settled_count": Reals("A", low=0.0, high=LARGEST),
        "tail_arm": Wholes("tail", below="A"),
        "tail": Sums("tail"),
        "theta": Reals("solved"),
        "deviation": Reals("A"),
    }
    columns = 1

    def __init__(self, arms: int) -> None:
        self.location = 0.0
        self._settled: Array = np.zeros(arms)  # sums of payoffs that are inside for good
        self._settled_count: Array = np.zeros(arms)
        self._hold(np.zeros(0, dtype=np.int64), np.zeros(0))
        self._theta: Array = np.zeros(0)
        self.deviation: Array = np.zeros(arms)
        self.range = 0.0  # of the deviations: the largest less the smallest

    @property
    def _tail_arm(self) -> IntArray:
        """The arms of the payoffs that may still be cut, in order of arrival."""
        return self._arms[self._start : self._end]

    @property
    def _tail(self) -> Array:
        """These payoffs."""
        return self._payoffs[self._start : self._end]

    def _hold(self, arms: IntArray, payoffs: Array) -> None:
        """Let the tail be these payoffs, with room for as many again."""
        self._start, self._end, room = 0, len(arms), np.zeros(len(arms) + 64, dtype=np.int64)
        self._arms: IntArray = np.concatenate([arms, room])
        self._payoffs: Array = np.concatenate([payoffs, room])
        self._hot: IntArray = np.zeros(len(self._arms), dtype=np.int64)  # for those to be cut
        self._far: Array = np.zeros((2, len(self._arms)))

    def learn(self, arm: int, limited: Limited, step: Step, posterior: FeaturePosterior) -> None:
        """Take in the payoff of the play that made ``step``, or all payoffs so far anew.

        Then all payoffs are limited, and the estimate is solved for, afresh.
        """
        del step
        self.location = limited.location
        if limited.anew is not None:
            self._replace(*limited.anew)
            self.solve(posterior, np.inf, self.location)
            return
        self._add(arm, limited.payoffs.item(0))
        if limited.level is not None:
            b, safe = limited.level
            self.settle(safe * np.sqrt(posterior.counts))
            self.solve(posterior, b)
        elif limited.ruler is not None:
            self.solve_about(posterior, limited.ruler)

    def _add(self, arm: int, payoff: float) -> None:
        if self._end == len(self._arms):
            self._hold(self._tail_arm, self._tail)
        self._arms[self._end], self._payoffs[self._end] = arm, payoff
        self._end += 1

    def _replace(self, arms: IntArray, payoffs: Array) -> None:
        """Forget all payoffs and take these instead."""
        self._settled, self._settled_count = (
            np.zeros_like(self._settled),
            np.zeros_like(self._settled),
        )
        self._hold(arms, payoffs.ravel())

    def settle(self, safe: Array) -> None:
        """Fold the payoffs with |y| ≤ safe[arm] into their arms' sums for good."""
        self._fold(np.abs(self._tail) <= safe[self._tail_arm], self._tail)

    def _fold(self, chosen: NDArray[np.bool_], values: Array) -> None:
        if chosen.any():
            np.add.at(self._settled, self._tail_arm[chosen], values[chosen])
            np.add.at(self._settled_count, self._tail_arm[chosen], 1.0)
            self._hold(self._tail_arm[~chosen], self._tail[~chosen])

    def solve(self, posterior: FeaturePosterior, level: float, location: float = 0.0) -> None:
        """Truncate all payoffs, relative to a location, at level b and solve for θ (Alg. 2)."""
        psi, arm, tail = posterior.features.psi, self._tail_arm, self._tail - location
        sums = self._settled - self._settled_count * location
        # |u_{iτ}| ≤ ‖V^{-½}ψ‖ in every direction i: only what could be cut anywhere is looked at
        hot = np.abs(tail) * posterior.leverage(arm) > level
        np.add.at(sums, arm[~hot], tail[~hot])
        theta = posterior.solve(psi.T @ sums)
        if hot.any():
            cut_directions(*self._eigen(posterior), arm[hot], tail[hot], level, theta)
        self._set(posterior, theta)

    def solve_about(self, posterior: FeaturePosterior, ruler: Ruler) -> None:
        """Clip y − centre, at the level where each payoff's heaviest direction allows ±limit.

        Clipped, not zeroed: a centre that is wrong must be able to move. All but the newest payoffs
        are settled for good, clipped to their limits.
        """
        # A payoff within its limit is within the level of every direction.
        centre, residual, function, factor, growth = ruler
        old = max(self._end - self._start - _MAX_RECENT, 0)
        theta = np.empty(len(posterior.inverse))
        many = smooth_about(
            (self._tail, self._tail_arm, self._hot, self._far),
            old,
            (posterior.counts, posterior.var, centre, self._settled, self._settled_count),
            self.location,
            (residual, function, factor, growth),
            posterior.features.psi,
            posterior.inverse,
            theta,
        )
        self._start += old
        if many:
            far, limit = self._far[:, :many]
            clip_directions(*self._eigen(posterior), self._hot[:many], far, limit, theta)
        self._set(posterior, theta)

    @staticmethod
    def _eigen(posterior: FeaturePosterior) -> tuple[Array, Array, Array, Array]:
        """Eigenvalues and eigenvectors of V, P, and the features."""
        root, features = posterior.root or Root(posterior.V), posterior.features
        return (*root.eigen(), features.basis, features.psi)

    def _set(self, posterior: FeaturePosterior, theta: Array) -> None:
        self._theta, self.deviation = theta, np.empty(len(self._settled))
        self.range = spread(posterior.features.psi, posterior.parts, theta, self.deviation)

    def smooth(self, posterior: FeaturePosterior) -> None:
        """Express the present estimate by other features; the next payoff solves afresh."""
        theta = np.linalg.lstsq(posterior.features.psi, self.deviation, rcond=None)[0]
        self._set(posterior, theta.astype(float, copy=False))

    def track(self, points: Array, posterior: FeaturePosterior) -> None:
        """Follow further points from now on."""
        more = np.zeros(len(points))
        self._settled = np.concatenate([self._settled, more])
        self._settled_count = np.concatenate([self._settled_count, more])
        self.deviation = np.concatenate([self.deviation, self.predict(points, posterior)])
        self.range = _range(self.deviation)

    def predict(self, X: Array, posterior: FeaturePosterior) -> Array:
        """The deviation from the location at any points."""
        psi = posterior.map(X)
        if len(self._theta) != psi.shape[1]:  # nothing solved yet
            return np.zeros(len(X))
        mean: Array = psi @ self._theta
        return mean

    def norm(self, posterior: FeaturePosterior) -> tuple[float, float]:
        """‖θ‖, and the posterior std of a function's coordinate in the direction of θ."""
        size = float(np.linalg.norm(self._theta))
        if size == 0.0:
            return 0.0, 0.0
        unit = self._theta / size
        variance = posterior.lam * float(unit @ posterior.solve(unit))
        return size, float(np.sqrt(max(variance, 0.0)))

    def _restored(self, state: dict[str, Any]) -> None:
        self._hold(state["tail_arm"], state["tail"])
        self.range = _range(self.deviation)

    def verify(self, posterior: FeaturePosterior) -> None:
        """Raise :class:`InvalidState` unless the payoffs are those of the plays."""
        arms = len(self._settled)
        counts = self._settled_count + np.bincount(self._tail_arm, minlength=arms)
        if not np.array_equal(counts, posterior.counts):
            raise InvalidState("expected a payoff for each play in the state, got others")
        check_sums(self._settled, self._settled_count)
        check_sums(self._tail, np.ones(len(self._tail)))
        psi, theta = posterior.features.psi, self._theta
        if len(theta) != psi.shape[1] and posterior.t:
            raise InvalidState(f"expected {psi.shape[1]} weights in the state, got {len(theta)}")
        # each of m directions weighs a payoff by no more than 1, and V^{-½} by no more than λ^{-½}
        most = 10.0 * posterior.size * max(posterior.t, 1) / posterior.lam**0.5
        check_sums(theta, np.full(len(theta), most))
        if not posterior.t:
            psi, theta = np.zeros((arms, 0)), np.zeros(0)
        unit = float((np.abs(psi) @ np.abs(theta)).max(initial=0.0))  # what may have cancelled
        agree("the means", self.deviation, psi @ theta, unit)


def _range(values: Array) -> float:
    return float(np.ptp(values)) if len(values) else 0.0
