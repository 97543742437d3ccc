"""Noises with finite moments of every order: none, Gaussian, lognormal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array, number
from stoic.lab.noise.additive import Additive, in_units
from stoic.lab.noise.base import noises
from stoic.lab.noise.quadrature import integrate

__all__ = ["Gaussian", "Lognormal", "NoNoise"]

NORMAL_CUT = 9.0  # standard deviations; exp(−9²/2) is 3e-18


@noises.register("none")
@dataclass(frozen=True)
class NoNoise(Additive):
    """No noise: y = f.

    >>> NoNoise().raw_moment(3.0, np.array([-2.0, 1.0]))
    array([8., 1.])
    """

    def draw(self, rng: np.random.Generator, n: int) -> Array:  # noqa: ARG002
        return np.zeros(n)

    def absolute_moment(self, order: float) -> float:  # noqa: ARG002
        return 0.0

    def shifted_moment(self, order: float, f: Array) -> Array:
        return np.asarray(f**order)


@noises.register("gaussian")
@dataclass(frozen=True)
class Gaussian(Additive):
    """Gaussian noise: y = f + N(0, std²).

    E|X|^p = std^p 2^{p/2} Γ((p+1)/2) / √π.

    Parameters
    ----------
    std
        σ ≥ 0.

    >>> noise = Gaussian(0.5)
    >>> noise.raw_moment(2.0, np.array([0.0, 3.0]))
    array([0.25, 9.25])
    >>> noise.central_moment(1.0, np.zeros(1)).round(6)  # std √(2/π)
    array([0.398942])
    """

    std: float

    def __post_init__(self) -> None:
        number(self.std, "std", at_least=0.0)

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return self.std * rng.standard_normal(n)

    def absolute_moment(self, order: float) -> float:
        log = order / 2.0 * math.log(2.0) + math.lgamma((order + 1.0) / 2.0)
        return float(np.power(self.std, order) * np.exp(log - 0.5 * math.log(math.pi)))

    def shifted_moment(self, order: float, f: Array) -> Array:
        if self.std == 0.0:
            return np.asarray(f**order)
        z, unit = in_units(f, self.std)
        cut = NORMAL_CUT + math.sqrt(order)
        start = np.maximum(-z, -cut)  # the kink, or the end of the relevant range
        log_unit = np.log(np.maximum(z, 1.0))

        def above(d: Array, start: Array, z: Array, log_unit: Array) -> Array:
            log = order * (np.log((start + z) + d) - log_unit) - (start + d) ** 2 / 2.0
            return np.asarray(np.exp(log))

        def below(d: Array, start: Array, log_unit: Array) -> Array:
            return np.asarray(np.exp(order * (np.log(d) - log_unit) - (start - d) ** 2 / 2.0))

        mass = integrate(above, cut - start, start, z, log_unit)
        mass += integrate(below, start + cut, start, log_unit)
        return np.asarray(unit**order * mass / math.sqrt(2.0 * math.pi))


@noises.register("lognormal")
@dataclass(frozen=True)
class Lognormal(Additive):
    """Lognormal noise, centred: y = f + scale·(e^{σZ} − e^{σ²/2}), Z ~ N(0, 1).

    Skewed to the right, all moments finite: Var = scale² e^{σ²}(e^{σ²} − 1).

    Parameters
    ----------
    sigma
        σ in (0, 30]; beyond, payoffs would leave the range of floats.
    scale
        > 0.

    >>> Lognormal(1.0).central_moment(2.0, np.zeros(1)).round(6)
    array([4.670774])
    """

    sigma: float
    scale: float = 1.0

    def __post_init__(self) -> None:
        number(self.sigma, "sigma", above=0.0, at_most=30.0)
        number(self.scale, "scale", above=0.0)

    @property
    def symmetric(self) -> bool:
        return False

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        x = self.sigma * rng.standard_normal(n)
        middle = self.sigma**2 / 2.0  # e^a − e^b by expm1: exact for small σ
        return np.asarray(self.scale * np.exp(middle) * np.expm1(x - middle))

    def absolute_moment(self, order: float) -> float:
        if order == 2.0:
            variance = np.exp(self.sigma**2) * np.expm1(self.sigma**2)
            return float(np.power(self.scale, 2.0) * variance)
        return float(self.shifted_moment(order, np.zeros(1))[0])

    def shifted_moment(self, order: float, f: Array) -> Array:
        # y = size·(e^{σZ − σ²/2} − c) with c = 1 − f/size
        z, unit = in_units(f, self.scale * math.exp(self.sigma**2 / 2.0), largest=1e300)
        shift = -np.copysign(z, f)
        log_unit = np.log(np.maximum(z, 1.0))
        kinked = shift > -1.0
        result = np.empty(len(f))
        for part, sign in ((kinked, -1.0), (~kinked, 1.0)):
            inner = shift[part]
            log_c = np.log1p(inner) if sign < 0.0 else np.log(np.maximum(-1.0 - inner, 1e-300))
            result[part] = _exponential(order, self.sigma, sign, log_c, log_unit[part])
        return np.asarray(unit**order * result)


def _exponential(order: float, sigma: float, sign: float, log_c: Array, log_unit: Array) -> Array:
    """E|(e^{σZ − σ²/2} ± c)/unit|^p: − has a kink where both are equal, + is smooth.

    The mass of φ(s)|e^{σs − σ²/2} ± c|^p is between those of φ(s) and of φ(s)e^{pσs}.
    """
    cut = NORMAL_CUT + math.sqrt(order)
    low, high = -cut, cut + order * sigma
    start = np.clip(log_c / sigma + sigma / 2.0, low, high)

    def side(way: float) -> Array:
        def integrand(d: Array, start: Array, log_c: Array, log_unit: Array) -> Array:
            y = (sigma * (start - sigma / 2.0) - log_c) + way * sigma * d  # σs − σ²/2 − log c
            small = np.log(-np.expm1(-np.abs(y))) if sign < 0.0 else np.log1p(np.exp(-np.abs(y)))
            log = small + np.maximum(y, 0.0) + log_c - log_unit
            return np.asarray(np.exp(order * log - (start + way * d) ** 2 / 2.0))

        width = high - start if way > 0.0 else start - low
        return integrate(integrand, width, start, log_c, log_unit)

    return np.asarray((side(1.0) + side(-1.0)) / math.sqrt(2.0 * math.pi))
