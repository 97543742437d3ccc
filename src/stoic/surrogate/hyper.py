"""Hyper-parameters of the surrogate and the prior beliefs about them.

As a vector: θ = (log ℓ₁ … log ℓ_G, log a², log s², μ, logit ρ), in units of z and of the
unit cube.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stoic.checks import Array, IntArray

__all__ = ["Hyper", "Prior"]


@dataclass(frozen=True)
class Hyper:
    """Length-scales ℓ (one per column), amplitude a², noise variance s², mean μ, smoothness ρ."""

    theta: Array
    groups: IntArray

    @cached_property
    def lengthscales(self) -> Array:
        """ℓ of each column; columns of one parameter share theirs."""
        scales: Array = np.exp(self.theta[:-4])[self.groups]
        return scales

    @cached_property
    def amplitude(self) -> float:
        """a², the prior variance of f."""
        return math.exp(self.theta[-4])

    @cached_property
    def noise(self) -> float:
        """s², the variance of an ordinary measurement's error."""
        return math.exp(self.theta[-3])

    @property
    def mean(self) -> float:
        """μ, the prior mean of f."""
        return float(self.theta[-2])

    @cached_property
    def smoothness(self) -> float:
        """ρ: 1 is squared exponential, 0 is Matérn 5/2."""
        return 1.0 / (1.0 + math.exp(-self.theta[-1]))

    def wary(self, shorter: float, taller: float) -> Hyper:
        """The same with shorter length-scales and a larger amplitude."""
        theta = self.theta.copy()
        theta[:-4] += math.log(shorter)
        theta[-4] += math.log(taller)
        return Hyper(theta, self.groups)


@dataclass(frozen=True)
class Prior:
    """Independent normal beliefs about θ.

    Length-scales grow with the square root of the dimension, as distances in the cube do.
    The noise prior's median is s = 0.135 of the values' spread.
    """

    lengthscale: float = 0.4
    lengthscale_spread: float = 0.7
    amplitude_spread: float = 1.0
    noise: float = -4.0
    noise_spread: float = 1.0
    mean_spread: float = 1.0
    smoothness_spread: float = 2.0

    def centre(self, groups: int) -> Array:
        """The most likely θ."""
        log_scale = math.log(self.lengthscale) + 0.5 * math.log(groups)
        return np.array([log_scale] * groups + [0.0, self.noise, 0.0, 0.0])

    def spread(self, groups: int) -> Array:
        """The standard deviations of θ."""
        tail = [self.amplitude_spread, self.noise_spread, self.mean_spread, self.smoothness_spread]
        return np.array([self.lengthscale_spread] * groups + tail)

    def doubt(self, theta: Array) -> float:
        """How far θ is from belief: minus the logarithm of its prior density."""
        groups = len(theta) - 4
        u = (theta - self.centre(groups)) / self.spread(groups)
        return 0.5 * float(u @ u)

    def bounds(self, groups: int) -> list[tuple[float, float]]:
        """Where θ is searched; far outside of belief, but where the arithmetic is safe."""
        scales = [(math.log(0.01), math.log(30.0))] * groups
        return [*scales, (-6.0, 6.0), (-12.0, 3.0), (-6.0, 6.0), (-6.0, 6.0)]
