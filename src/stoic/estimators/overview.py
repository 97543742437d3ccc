"""What a policy asks about all arms together, and about the one that it has played."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.loops import highest

__all__ = ["Overview"]


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
        """The index of an arm in ``Step.arms``, and the plays of each of these."""
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
