"""Hyper-parameters of the surrogate and their prior.

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

    def rescaled(self, lengthscale_factor: float, amplitude_factor: float) -> Hyper:
        """The same with all length-scales, and the amplitude a², multiplied by a factor."""
        theta = self.theta.copy()
        theta[:-4] += math.log(lengthscale_factor)
        theta[-4] += math.log(amplitude_factor)
        return Hyper(theta, self.groups)


@dataclass(frozen=True)
class Prior:
    """An independent normal prior of each element of θ.

    Chosen on the develop set of benchmarks/robust. Length-scales grow with the square root of the
    number of parameters, as distances in the cube do.
    """

    lengthscale: float = 0.4  # median of ℓ for one parameter, in sides of the unit cube
    lengthscale_spread: float = 0.7  # standard deviation of log ℓ
    amplitude_spread: float = 1.0  # of log a², about 0
    noise: float = -4.0  # mean of log s²: a median s of 0.135 of the values' spread
    noise_spread: float = 1.0  # of log s²
    mean_spread: float = 1.0  # of μ, about 0
    smoothness_spread: float = 2.0  # of logit ρ, about 0

    def centre(self, groups: int) -> Array:
        """The most likely θ."""
        log_scale = math.log(self.lengthscale) + 0.5 * math.log(groups)
        return np.array([log_scale] * groups + [0.0, self.noise, 0.0, 0.0])

    def spread(self, groups: int) -> Array:
        """The standard deviations of θ."""
        tail = [self.amplitude_spread, self.noise_spread, self.mean_spread, self.smoothness_spread]
        return np.array([self.lengthscale_spread] * groups + tail)

    def penalty(self, theta: Array) -> float:
        """Minus the logarithm of the prior density of θ, up to a constant."""
        groups = len(theta) - 4
        u = (theta - self.centre(groups)) / self.spread(groups)
        return 0.5 * float(u @ u)

    def bounds(self, groups: int) -> list[tuple[float, float]]:
        """Where θ is searched: far beyond what is likely, and where the arithmetic is safe."""
        scales = [(math.log(0.01), math.log(30.0))] * groups
        return [*scales, (-6.0, 6.0), (-12.0, 3.0), (-6.0, 6.0), (-6.0, 6.0)]
