"""Expected improvement, its logarithm, and beliefs about candidates of which some are pending.

The logarithm has a usable gradient everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from stoic.checks import Array
from stoic.surrogate import RobustGP

__all__ = ["Belief", "improvement", "log_improvement", "log_improvement_slopes", "mean_slopes"]

_ASYMPTOTE_BELOW = -6.0  # standard deviations: there φ(u) + u Φ(u) loses its digits
_SQRT_2PI = math.sqrt(2.0 * math.pi)


@dataclass
class Belief:
    """What a surrogate expects of the candidates, while measurements of some are pending."""

    mean: Array
    covariance: Array
    noise: Array  # variance of a measurement of each
    best: float  # the highest mean of all points seen
    least: float  # of a variance

    @classmethod
    def of(cls, gp: RobustGP, points: Array, seen: Array) -> Belief:
        """What a surrogate expects before any is pending."""
        h, (mean, covariance) = gp.hyper, gp.joint(points)
        best = float(gp.mean(seen).max())
        return cls(mean, covariance, h.noise_at(mean), best, 1e-12 * h.variance)

    def expect(self, chosen: int) -> None:
        """Let a measurement of a candidate be pending, with the value that is predicted."""
        k = self.covariance[chosen]
        variance = max(float(k[chosen]), self.least)
        self.covariance = self.covariance - np.outer(k, k) / (variance + self.noise[chosen])


def improvement(gp: RobustGP, points: Array, seen: Array) -> Array:
    """The expected improvement on the highest mean of all points ``seen``."""
    mean, variance = gp.predict(points)
    return np.exp(log_improvement(mean, variance, float(gp.mean(seen).max())))


def log_improvement(mean: Array, variance: Array, best: float) -> Array:
    """The logarithm of E[max(f − best, 0)] for normal f."""
    std = np.sqrt(variance)
    value, _ = _log_h((mean - best) / std)
    return np.log(std) + value


def log_improvement_slopes(gp: RobustGP, X: Array, best: float) -> tuple[Array, Array]:
    """The same at points, and its gradient."""
    mean, variance, d_mean, d_variance = gp.slopes(X)
    std = np.sqrt(variance)
    u = (mean - best) / std
    value, slope = _log_h(u)
    d_std = d_variance / (2.0 * std[:, None])
    d_u = (d_mean - u[:, None] * d_std) / std[:, None]
    return np.log(std) + value, d_std / std[:, None] + slope[:, None] * d_u


def mean_slopes(gp: RobustGP, caution: float = 0.0) -> Callable[[Array], tuple[Array, Array]]:
    """The surrogate's mean less ``caution`` times its std, and the gradient: a score to climb."""

    def score_and_slope(X: Array) -> tuple[Array, Array]:
        mean, variance, d_mean, d_variance = gp.slopes(X)
        std = np.sqrt(variance)
        return mean - caution * std, d_mean - (0.5 * caution / std)[:, None] * d_variance

    return score_and_slope


def _log_h(u: Array) -> tuple[Array, Array]:
    """log(φ(u) + u Φ(u)) and its derivative; far below zero by the asymptote."""
    near = np.maximum(u, _ASYMPTOTE_BELOW)
    cdf = ndtr(near)
    h = np.exp(-0.5 * near * near) / _SQRT_2PI + near * cdf
    value, slope = np.log(h), cdf / h
    far = u < _ASYMPTOTE_BELOW
    if far.any():
        v = u[far]
        q = 1.0 / (v * v)
        rest = -3.0 * q + 15.0 * q**2 - 105.0 * q**3
        mills = 1.0 - q + 3.0 * q**2 - 15.0 * q**3
        value[far] = -0.5 * v * v - math.log(_SQRT_2PI) - 2.0 * np.log(-v) + np.log1p(rest)
        slope[far] = -v * mills / (1.0 + rest)
    return value, slope
