"""Pareto payoffs (chowdhury2019, figure 1b) and symmetrised Pareto noise (park2024).

Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import betaln

from stoic.checks import Array, finite_array, number
from stoic.errors import InvalidInput
from stoic.lab.noise.additive import Additive, in_units
from stoic.lab.noise.base import Noise, noises
from stoic.lab.noise.quadrature import integrate

__all__ = ["ParetoPayoff", "SymmetrisedPareto"]


def _check_shape(shape: object) -> float:
    value = number(shape, "shape")
    if value <= 1.0:
        raise InvalidInput(
            f"expected shape above 1, got {shape!r}: the mean of the payoffs would not exist; "
            "raise shape"
        )
    return value


@noises.register("pareto-payoff")
@dataclass(frozen=True)
class ParetoPayoff(Noise):
    """Payoffs that are Pareto variables with mean f: y = f·(a−1)/a·Z, P(Z > z) = z^{−a}, z ≥ 1.

    E|y|^p = |f|^p ((a−1)/a)^p a/(a−p) for p < a, else infinite. Shape 2 gives the scale f/2 of
    chowdhury2019. For a negative f, −y is Pareto with mean −f; for f = 0 the payoff is 0.

    Parameters
    ----------
    shape
        a > 1, so that the mean exists.

    >>> noise = ParetoPayoff(2.0)
    >>> noise.raw_moment(1.5, np.array([0.0, 2.0]))
    array([0., 4.])
    >>> noise.raw_moment(2.0, np.array([0.0, 2.0]))
    array([ 0., inf])
    """

    shape: float
    _ratio: float = field(init=False, repr=False, compare=False)  # scale over mean

    def __post_init__(self) -> None:
        shape = _check_shape(self.shape)
        object.__setattr__(self, "_ratio", (shape - 1.0) / shape)

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return 1.0 + rng.pareto(self.shape, n)

    def payoff(self, mean: float, arm: int, draw: float) -> float:  # noqa: ARG002
        return mean * self._ratio * draw

    def raw_moment(self, order: float, f: Array) -> Array:
        order, f = number(order, "order", at_least=0.0), finite_array(f, "f")
        return self._scaled(order, f, lambda: self.shape / (self.shape - order))

    def central_moment(self, order: float, f: Array) -> Array:
        order, f = number(order, "order", at_least=0.0), finite_array(f, "f")
        below = np.array([-1.0 / (self.shape - 1.0)])  # 1 − a/(a−1)
        return self._scaled(
            order, f, lambda: float(pareto_moment(order, self.shape, below, np.zeros(1))[0])
        )

    def _scaled(self, order: float, f: Array, moment: Callable[[], float]) -> Array:
        if order == 0.0:
            return np.ones_like(f)
        if order >= self.shape:
            return np.where(f == 0.0, 0.0, math.inf)
        with np.errstate(over="ignore"):
            return np.asarray((np.abs(f) * self._ratio) ** order * moment())


@noises.register("symmetrised-pareto")
@dataclass(frozen=True)
class SymmetrisedPareto(Additive):
    """Pareto noise, centred and given a random sign: y = f + ζ(Z − E Z), ζ = ±1.

    Z is Pareto, P(Z > z) = (scale/z)^a. park2024 takes a = 1 + ε + 0.01, so that the moment of
    order 1 + ε is just finite. Moments of order a and above are infinite.

    Parameters
    ----------
    shape
        a > 1.
    scale
        The least value of Z, > 0.

    >>> noise = SymmetrisedPareto(3.0)
    >>> noise.central_moment(2.0, np.zeros(1)).round(6)  # a/((a−1)²(a−2))
    array([0.75])
    """

    shape: float
    scale: float = 1.0

    def __post_init__(self) -> None:
        _check_shape(self.shape)
        number(self.scale, "scale", above=0.0)

    @property
    def tail_index(self) -> float:
        return self.shape

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        size = rng.pareto(self.shape, n) - 1.0 / (self.shape - 1.0)  # Z − E Z, not rounded
        return self.scale * np.where(rng.random(n) < 0.5, -size, size)

    def absolute_moment(self, order: float) -> float:
        return float(self.shifted_moment(order, np.zeros(1))[0])

    def shifted_moment(self, order: float, f: Array) -> Array:
        z, unit = in_units(f, self.scale)
        log_unit = np.log(np.maximum(z, 1.0))
        below = -1.0 / (self.shape - 1.0)  # 1 − E Z
        up = pareto_moment(order, self.shape, below + z, log_unit)
        down = pareto_moment(order, self.shape, below - z, log_unit)
        return np.asarray(unit**order * (up + down) / 2.0)


def pareto_moment(order: float, shape: float, below: Array, log_unit: Array) -> Array:
    """E|(Z − c)/unit|^p for a standard Pareto Z, c = 1 − below, and p < shape."""
    result = np.empty(len(below))
    inside = below < 0.0
    result[inside] = _kinked(order, shape, below[inside], log_unit[inside])
    result[~inside] = _smooth(order, shape, below[~inside], log_unit[~inside])
    return result


def _smooth(p: float, a: float, below: Array, log_unit: Array) -> Array:
    """For c ≤ 1: a ∫_0^∞ e^{−(a−p)s} (1 − c e^{−s})^p ds, with Z = e^s.

    If the tail decays slowly, a − p ≤ 1, its part a/(a−p) is subtracted first.
    """
    slow = a - p <= 1.0

    def integrand(d: Array, below: Array, log_unit: Array) -> Array:
        log = np.log(below - (1.0 - below) * np.expm1(-d))
        value = np.exp(p * (log - log_unit) - (a - p) * d)
        return np.asarray(value - np.exp(-p * log_unit - (a - p) * d) if slow else value)

    if not slow:
        return a * integrate(integrand, np.full_like(below, 45.0 / (a - p)), below, log_unit)
    rest = integrate(integrand, 40.0 + np.log1p(below), below, log_unit)
    return np.asarray(a / (a - p) * np.exp(-p * log_unit) + a * rest)


def _kinked(p: float, a: float, below: Array, log_unit: Array) -> Array:
    """For c > 1: a c^{p−a} B(a−p, p+1) for Z > c, and a ∫_0^{log c} e^{−as}(c − e^s)^p ds."""
    log_c = np.log1p(-below)
    tail = np.exp(p * (log_c - log_unit) - a * log_c + float(betaln(a - p, p + 1.0)))
    end = np.minimum(log_c, 45.0 / a)  # beyond, e^{−as} is negligible

    def integrand(d: Array, end: Array, log_c: Array, log_unit: Array) -> Array:
        log = log_c + np.log(-np.expm1((end - log_c) - d)) - log_unit
        return np.asarray(np.exp(p * log - a * (end - d)))

    return np.asarray(a * (tail + integrate(integrand, end, end, log_c, log_unit)))
