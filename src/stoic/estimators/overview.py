"""What a policy asks about all arms together, and about the one that it has played."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.estimators.extremes import Extremes
from stoic.estimators.lazy import LazyMean
from stoic.loops import highest
from stoic.posterior.lazy import LazyPosterior

__all__ = ["LazyOverview", "Overview"]


class Overview:
    """An estimator and a posterior whose figures are at hand for all arms."""

    def __init__(self, estimator: Any, posterior: Any) -> None:
        self.estimator = estimator
        self.posterior = posterior

    def best(self, width: float) -> int:
        """The arm of the highest upper confidence bound, the lowest one of equals."""
        return highest(self.estimator.deviation, self.posterior.var, width)

    @property
    def amplitude(self) -> float:
        """A quarter of the range of the estimates."""
        amplitude: float = self.estimator.reach / 4.0
        return amplitude

    @property
    def widest(self) -> float:
        """The largest posterior standard deviation of all."""
        widest: float = self.posterior.widest
        return widest

    @property
    def variance_sum(self) -> float:
        """Σ_s σ²(x_s)/λ over all plays."""
        posterior = self.posterior
        return float(posterior.counts @ posterior.var) / float(posterior.lam)

    def at(self, arm: int) -> tuple[float, float]:
        """Deviation and posterior variance of an arm."""
        return self.estimator.deviation.item(arm), self.posterior.var.item(arm)

    def weighted(self, arm: int) -> tuple[int, IntArray]:
        """The place of an arm among those that a gain is about, and the plays of each of them."""
        return arm, self.posterior.counts

    def known(self) -> tuple[IntArray, Array, Array]:
        """Arms with their deviations and stds: those played, or all before the first play."""
        arms: IntArray = np.flatnonzero(self.posterior.counts)
        if not len(arms):
            arms = np.arange(len(self.posterior.counts))
        return arms, self.estimator.deviation[arms], np.sqrt(self.posterior.var[arms])

    def figures(self) -> tuple[Array, Array]:
        """Deviations and stds, as many as are at hand."""
        return self.estimator.deviation, self.posterior.std

    def copy(self) -> Overview:
        """An overview of the same estimates in which further plays can be supposed."""
        return Overview(self.estimator, self.posterior.copy())

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""
        self.posterior.observe(arm)


class LazyOverview(Overview):
    """The same of very many arms, with a look at few of them."""

    estimator: LazyMean
    posterior: LazyPosterior

    def __init__(self, estimator: LazyMean, posterior: LazyPosterior) -> None:
        super().__init__(estimator, posterior)
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

    def figures(self) -> tuple[Array, Array]:
        """Deviations and stds, as many as are at hand."""
        return self.known()[1:]

    def copy(self) -> LazyOverview:
        """An overview of the same estimates in which further plays can be supposed."""
        pending = self.posterior.copy()
        pending.hold = True
        return LazyOverview(self.estimator.copy(pending), pending)

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""
        self.posterior.observe(arm)
        self.estimator.suppose(self.posterior)
