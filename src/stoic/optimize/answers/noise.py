"""The noise of the measurements as their residuals show it: median, mean and quantiles, in z.

A residual is divided by √(1 − h), h being the share of a measurement in the surrogate's estimate at
its own point: so it has the size of the error of a new measurement. Residuals count by how near
their estimates are to that of the answer, since noise may grow with the value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from stoic.checks import Array
from stoic.optimize.answers.suspects import outlying

if TYPE_CHECKING:
    from stoic.optimize.knowledge import Knowledge

__all__ = ["Noise"]

_NORMAL_80 = 0.8416  # standard deviations: an 80% quantile of a normal mean
_ONE_STD_OF_RANK = 0.5  # times √n: a standard deviation of the number below the median


@dataclass(frozen=True)
class NoiseRule:
    """How residuals count; chosen with benchmarks/core/quotable.py on seeds 0–34."""

    level: float = 1.0  # spreads of all values: standard deviation of the weight's normal curve
    min_weight: float = 0.05  # of a residual, however far its value is from the answer's


_RULE = NoiseRule()


@dataclass(frozen=True)
class Noise:
    """Errors about the surrogate's estimates, in ascending order, with weights of sum 1."""

    errors: Array
    weights: Array

    @classmethod
    def about(cls, known: Knowledge, estimate: float) -> Noise:
        """The noise where the surrogate's estimate is ``estimate``.

        Replicates that the surrogate contradicts are facts about their configuration, and no noise.
        """
        gp = known.model.gp
        mean, own = gp.mean(gp.X), gp.hyper.noise / gp.weights
        kept = own / (gp.left_out[1] + own)  # 1 − h
        errors = (known.model.fits[0].z - mean) / np.sqrt(np.maximum(kept, 1e-12))
        away = (mean - estimate) / _RULE.level
        weights = _RULE.min_weight + np.exp(-0.5 * away * away)
        ordinary = ~outlying(known)
        if ordinary.any():
            errors, weights = errors[ordinary], weights[ordinary]
        order = np.argsort(errors, kind="stable")
        return cls(errors[order], weights[order] / weights.sum())

    @cached_property
    def count(self) -> float:
        """The number of equally weighted errors that would show as much."""
        return 1.0 / float(self.weights @ self.weights)

    def quantile(self, q: float) -> float:
        """The error that a share ``q`` of new ones is below; the extremes beyond their ranks."""
        n = self.count
        ranks = (np.cumsum(self.weights) - 0.5 * self.weights) * n / (n + 1.0) + 0.5 / (n + 1.0)
        return float(np.interp(q, ranks, self.errors))

    @cached_property
    def median(self) -> float:
        """The median error."""
        return self.quantile(0.5)

    @cached_property
    def median_error(self) -> float:
        """The standard error of the median, from the errors about it."""
        off = _NORMAL_80 * _ONE_STD_OF_RANK / math.sqrt(self.count)
        low, high = self.quantile(max(0.5 - off, 0.0)), self.quantile(min(0.5 + off, 1.0))
        return (high - low) / (2.0 * _NORMAL_80)

    @cached_property
    def mean_error(self) -> float:
        """The standard error of the mean."""
        mean = float(self.weights @ self.errors)
        spread = float(self.weights @ (self.errors - mean) ** 2)
        return math.sqrt(spread / self.count)

    @cached_property
    def skew(self) -> float:
        """By how much the upper quartile is farther from the median than the lower one."""
        return self.quantile(0.75) + self.quantile(0.25) - 2.0 * self.median
