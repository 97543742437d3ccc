"""A kernel average of outcomes: the chance of success among real numbers, from few failures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array, IntArray
from stoic.surrogate.distances import Coded, between, by_group

__all__ = ["KernelAverage"]


@dataclass(frozen=True)
class AverageRule:
    """The kernel average of failures; chosen on the develop set of benchmarks/robust."""

    lengthscale: float = 0.15  # in sides of the unit cube, times √(number of parameters)
    factors: tuple[float, ...] = (0.2, 0.4, 1.0, 2.5, 6.0)  # on it, one learned per parameter
    factor_spread: float = 1.0  # prior standard deviation of log(factor)
    sweeps: int = 2  # over the parameters, when the factors are learned
    prior_outcomes: float = 0.3  # outcomes that the overall share of failures counts for
    learned_from: int = 200  # outcomes at most that the factors are learned from
    used: int = 1000  # latest failures, and latest successes, that count


_RULE = AverageRule()


class KernelAverage:
    """The chance that an evaluation succeeds, from those that did and did not.

    A kernel average of the outcomes near a point, drawn towards the overall share of failures
    where there are none: one failure keeps the next suggestions away from its point, many failures
    from their region, and random failures all over the space from nowhere. The length-scale along
    each parameter is learned: it is to predict best the outcomes that are left out one by one.

    Parameters
    ----------
    failed, succeeded
        Points of the unit cube; at least one failed.
    groups
        Number of the parameter of each column.
    """

    def __init__(self, failed: Array, succeeded: Array, groups: IntArray) -> None:
        failed, succeeded = failed[-_RULE.used :], succeeded[-_RULE.used :]
        self._groups = groups
        self._points = Coded(np.vstack([failed, succeeded]), groups)
        self._crashes = np.concatenate([np.ones(len(failed)), np.zeros(len(succeeded))])
        self._share = (len(failed) + 0.5) / (len(failed) + len(succeeded) + 5.0)
        scale = _RULE.lengthscale * math.sqrt(int(groups.max(initial=-1)) + 1)
        self._lengthscales: Array = np.full(len(groups), scale)
        if len(failed) > 1:
            half = _RULE.learned_from // 2
            latest = np.concatenate([failed[-half:], succeeded[-half:]])
            crashes = np.where(np.arange(len(latest)) < min(len(failed), half), 1.0, 0.0)
            gaps = -0.5 * by_group(latest, groups) / scale**2
            self._lengthscales = self._lengthscales * self._learned_factors(gaps, crashes)[groups]

    def chance_of_success(self, X: Array) -> Array:
        """Between 0 and 1, at the rows of X."""
        here = Coded(X, self._groups).scaled(self._lengthscales)
        distances = between(here, self._points.scaled(self._lengthscales))
        return self._chance(np.exp(-0.5 * distances), self._crashes)

    def _chance(self, near: Array, crashes: Array) -> Array:
        prior = _RULE.prior_outcomes
        chance: Array = 1.0 - (near @ crashes + prior * self._share) / (near.sum(1) + prior)
        return chance

    def _learned_factors(self, gaps: Array, crashes: Array) -> Array:
        """The most likely factor on the length-scale of each parameter, one after the other."""
        diagonal = np.diag_indices(len(crashes))  # an outcome does not predict itself
        factors, total = np.ones(len(gaps)), gaps.sum(0)
        for _ in range(_RULE.sweeps):
            for k, along in enumerate(gaps):
                rest = total - along / factors[k] ** 2
                scores = []
                for factor in _RULE.factors:
                    near = np.exp(np.minimum(rest + along / factor**2, 0.0))
                    near[diagonal] = 0.0
                    good = np.clip(self._chance(near, crashes), 1e-3, 1.0 - 1e-3)
                    fit = np.log(np.where(crashes > 0.0, 1.0 - good, good)).sum()
                    scores.append(fit - 0.5 * (math.log(factor) / _RULE.factor_spread) ** 2)
                factors[k] = _RULE.factors[int(np.argmax(scores))]
                total = rest + along / factors[k] ** 2
        return factors
