"""The belief of a policy about very many arms, computed from the figures of few of them."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, IntArray
from stoic.estimators import DenseBelief
from stoic.many_arms.mean import ManyArmsMean
from stoic.many_arms.posterior import ManyArmsPosterior
from stoic.many_arms.search import Search

__all__ = ["ManyArmsBelief"]


class ManyArmsBelief(DenseBelief):
    """The mean and the posterior of very many arms, searched for what is largest."""

    estimator: ManyArmsMean
    posterior: ManyArmsPosterior

    def __init__(self, posterior: ManyArmsPosterior, estimator: ManyArmsMean) -> None:
        super().__init__(posterior, estimator)
        self._search = Search(estimator, posterior)

    def best(self, width: float) -> int:
        """The arm of the highest upper confidence bound, the lowest one of equals."""
        return self._search.find(1.0, width).arm

    def reserve(self) -> None:
        """Make room for one more play, or raise an error before anything has changed."""
        self.posterior.reserve()

    @property
    def amplitude(self) -> float:
        """A quarter of the range of the estimates."""
        highest, lowest = (self._search.find(slope, 0.0).value for slope in (1.0, -1.0))
        return (highest + lowest) / 4.0

    @property
    def widest(self) -> float:
        """The largest posterior standard deviation of all."""
        return self._search.find(0.0, 1.0).value

    @property
    def variance_sum(self) -> float:
        """Σ_s σ²(x_s)/λ over all plays."""
        played = self.posterior.played
        return float(self.posterior.counts[played.arms] @ played.var) / self.posterior.lam

    def at(self, arm: int) -> tuple[float, float]:
        """Estimate, with the location, and posterior variance of an arm."""
        deviation = self.estimator.at(self.posterior.row(arm))
        return self.location + deviation, self.posterior.var_at(arm)

    def weighted(self, arm: int) -> tuple[int, IntArray]:
        """The index of a played arm in ``Step.arms``, and the plays of each of these."""
        arms = self.posterior.played.arms
        return self.posterior.played.index(arm), self.posterior.counts[arms]

    def known(self) -> tuple[IntArray, Array, Array]:
        """The arms played, with their deviations and stds."""
        played = self.posterior.played
        return played.arms, self.estimator.played, np.sqrt(played.var)

    def copy(self) -> ManyArmsBelief:
        """The same belief, in which further plays can be supposed."""
        pending = self.posterior.copy(may_refresh=False)
        return ManyArmsBelief(pending, self.estimator.copy(pending))

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""
        self.posterior.observe(arm)
        self.estimator.suppose()
