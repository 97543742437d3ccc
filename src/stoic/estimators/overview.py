"""What a policy asks about all arms together, and about the one that it has played."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, IntArray
from stoic.estimators.belief import DenseBelief
from stoic.estimators.extremes import Extremes
from stoic.estimators.lazy import LazyMean
from stoic.posterior.lazy import LazyPosterior

__all__ = ["LazyOverview"]


class LazyOverview(DenseBelief):
    """The same of very many arms, with a look at few of them."""

    estimator: LazyMean
    posterior: LazyPosterior

    def __init__(self, posterior: LazyPosterior, estimator: LazyMean) -> None:
        super().__init__(posterior, estimator)
        self._extremes = Extremes(estimator, posterior)

    def best(self, width: float) -> int:
        """The arm of the highest upper confidence bound, the lowest one of equals."""
        return self._extremes.find(1.0, width).arm

    @property
    def amplitude(self) -> float:
        """A quarter of the range of the estimates."""
        highest, lowest = (self._extremes.find(slope, 0.0).value for slope in (1.0, -1.0))
        return (highest + lowest) / 4.0

    @property
    def widest(self) -> float:
        """The largest posterior standard deviation of all."""
        return self._extremes.find(0.0, 1.0).value

    @property
    def variance_sum(self) -> float:
        """Σ_s σ²(x_s)/λ over all plays."""
        posterior = self.posterior
        return float(posterior.counts[posterior.played] @ posterior.played_var) / posterior.lam

    def at(self, arm: int) -> tuple[float, float]:
        """Deviation and posterior variance of an arm."""
        deviation = self.estimator.at(self.posterior.row(arm))
        return deviation, float(self.posterior.var_at(arm))

    def weighted(self, arm: int) -> tuple[int, IntArray]:
        """The place of an arm among those that a gain is about, and the plays of each of them."""
        posterior = self.posterior
        return posterior.slot(arm), posterior.counts[posterior.played]

    def known(self) -> tuple[IntArray, Array, Array]:
        """Arms with their deviations and stds: those played."""
        posterior = self.posterior
        return posterior.played, self.estimator.played, np.sqrt(posterior.played_var)

    def copy(self) -> LazyOverview:
        """An overview of the same estimates in which further plays can be supposed."""
        pending = self.posterior.copy()
        pending.hold = True
        return LazyOverview(pending, self.estimator.copy(pending))

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""
        self.posterior.observe(arm)
        self.estimator.suppose(self.posterior)
