"""The exact posterior of plays that do not all weigh the same."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.kernels import Kernel
from stoic.posterior.base import Step
from stoic.posterior.exact import ExactPosterior
from stoic.schema import LARGEST, Reals, Schema

__all__ = ["SMALLEST_WEIGHT", "WeightedPosterior"]

SMALLEST_WEIGHT = 1e-18  # of a play: it changes nothing any more that a float could show


class WeightedPosterior(ExactPosterior):
    """Exact kernel ridge smoothing in which a play of weight ω in (0, 1] has noise variance λ/ω.

    Several plays of a point are one play of their mean, weighted by ω, with the sum of their
    weights: all of :class:`ExactPosterior` holds with n_a = Σ ω in place of the count, and the
    payoff sums that it smooths are Σ ω y. Cost and memory are the same, and do not grow with t.
    """

    schema: ClassVar[Schema] = {
        **ExactPosterior.schema,
        "weights": Reals("A", low=0.0, high=float(LARGEST)),
    }

    def __init__(self, kernel: Kernel, points: Array, lam: float) -> None:
        super().__init__(kernel, points, lam)
        self.weights: Array = np.zeros(len(points))  # Σ ω of each tracked point

    @property
    def _weight_of_played(self) -> Array:
        return self.weights[self._played]

    def weigh(self, arm: int, weight: float) -> Step:
        """Account for one more play of a tracked point, of such a weight."""
        return self._play(arm, 1, weight)

    def renew(self, arms: IntArray, weights: Array) -> Step:
        """Weigh all plays so far, and one or more new ones, anew."""
        for arm in dict.fromkeys(arms.tolist()):
            if self._slot[arm] < 0:
                self._admit(arm)
        size, self.t = len(self.points), len(arms)
        self.counts = np.bincount(arms, minlength=size).astype(np.int64)
        self.weights = np.zeros(size)
        np.add.at(self.weights, arms, weights)
        self.refresh()
        return Step(np.zeros(len(self.points)), refreshed=True)

    def _add(self, arm: int, times: int, weight: float) -> None:
        super()._add(arm, times, weight)
        self.weights[arm] += weight

    def track(self, points: Array) -> None:
        """Follow further points from now on."""
        super().track(points)
        self.weights = np.concatenate([self.weights, np.zeros(len(points))])

    def _restored(self, state: dict[str, Any]) -> None:
        super()._restored(state)
        least, most = SMALLEST_WEIGHT * self.counts, self.counts * 1.0
        if not ((0.5 * least <= self.weights) & (self.weights <= most * (1.0 + 1e-9))).all():
            raise InvalidState("expected weights of up to one for each play in a state")
