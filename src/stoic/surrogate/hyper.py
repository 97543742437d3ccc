"""Hyper-parameters of the surrogate and their prior.

As a vector: θ = (log ℓ₁ … log ℓ_G, log a², log s², μ, logit ρ, log b²), in units of z and of the
unit cube.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stoic.checks import Array, IntArray
from stoic.surrogate.covariance import SMOOTH, Covariance
from stoic.surrogate.noise_law import EVERYWHERE, NoiseLaw

__all__ = ["FINITE_PRIOR", "ROUGH_PRIOR", "SMOOTH_PRIOR", "Hyper", "Prior"]


@dataclass(frozen=True)
class Hyper:
    """Length-scales ℓ (one per column), a², noise variance s², mean μ, smoothness ρ, b²."""

    theta: Array
    groups: IntArray
    covariance: Covariance = SMOOTH
    noise_law: NoiseLaw = EVERYWHERE

    @cached_property
    def lengthscales(self) -> Array:
        """ℓ of each column; columns of one parameter share theirs."""
        scales: Array = np.exp(self.theta[:-5])[self.groups]
        return scales

    @cached_property
    def amplitude(self) -> float:
        """a², the prior variance of f without its micro part."""
        return math.exp(self.theta[-5])

    @cached_property
    def noise(self) -> float:
        """s², the variance of an ordinary measurement's error."""
        return math.exp(self.theta[-4])

    def noise_at(self, mean: Array) -> Array:
        """The variance of an ordinary measurement's error where f has this mean."""
        at: Array = self.noise * np.square(self.noise_law.scales(mean))
        return at

    @property
    def mean(self) -> float:
        """μ, the prior mean of f."""
        return float(self.theta[-3])

    @cached_property
    def smoothness(self) -> float:
        """ρ: 1 is squared exponential, 0 is Matérn 5/2."""
        return 1.0 / (1.0 + math.exp(-self.theta[-2]))

    @cached_property
    def micro(self) -> float:
        """b², the prior variance of the micro part of f."""
        return math.exp(self.theta[-1])

    @property
    def variance(self) -> float:
        """a² + b², the prior variance of f."""
        return self.amplitude + self.micro

    def rescaled(self, lengthscale_factor: float, amplitude_factor: float) -> Hyper:
        """The same with all length-scales, and the amplitude a², multiplied by a factor."""
        theta = self.theta.copy()
        theta[:-5] += math.log(lengthscale_factor)
        theta[-5] += math.log(amplitude_factor)
        return replace(self, theta=theta)


@dataclass(frozen=True)
class Prior:
    """An independent normal prior of each element of θ.

    Chosen on the develop set of benchmarks/robust. Length-scales grow with the number of
    parameters as distances in the cube do.
    """

    lengthscale: float = 0.4  # median of ℓ for one parameter, in sides of the unit cube
    lengthscale_spread: float = 0.7  # standard deviation of log ℓ
    lengthscale_power: float = 0.5  # of the number of parameters, by which ℓ grows
    amplitude_spread: float = 1.0  # of log a², about 0
    noise: float = -4.0  # mean of log s²: a median s of 0.135 of the values' spread
    noise_spread: float = 1.0  # of log s²
    mean_spread: float = 1.0  # of μ, about 0
    smoothness_spread: float = 2.0  # of logit ρ, about 0
    micro: float = -9.0  # mean of log b²: no micro part, unless replicates show it
    micro_spread: float = 2.0  # of log b²

    def centre(self, groups: int) -> Array:
        """The most likely θ."""
        log_scale = math.log(self.lengthscale) + self.lengthscale_power * math.log(groups)
        return np.array([log_scale] * groups + [0.0, self.noise, 0.0, 0.0, self.micro])

    def spread(self, groups: int) -> Array:
        """The standard deviations of θ."""
        tail = [self.amplitude_spread, self.noise_spread, self.mean_spread, self.smoothness_spread]
        return np.array([self.lengthscale_spread] * groups + [*tail, self.micro_spread])

    def penalty(self, theta: Array) -> float:
        """Minus the logarithm of the prior density of θ, up to a constant."""
        groups = len(theta) - 5
        u = (theta - self.centre(groups)) / self.spread(groups)
        return 0.5 * float(u @ u)

    def bounds(self, groups: int) -> list[tuple[float, float]]:
        """Where θ is searched: far beyond what is likely, and where the arithmetic is safe."""
        scales = [(math.log(0.01), math.log(30.0))] * groups
        return [*scales, (-6.0, 6.0), (-18.0, 3.0), (-6.0, 6.0), (-6.0, 6.0), (-18.0, 3.0)]


SMOOTH_PRIOR = Prior()
# Where no parameter is a float, some matter much more than others (chosen on the A4000 kernel,
# benchmarks/robust/worlds.py: 1.03 times the best after 200 evaluations, 1.19 with 0.7).
FINITE_PRIOR = Prior(lengthscale_spread=1.3)
# Sums of absolute differences grow faster with the number of parameters than their root of squares.
ROUGH_PRIOR = Prior(lengthscale=1.0, lengthscale_spread=1.0, lengthscale_power=0.75)
