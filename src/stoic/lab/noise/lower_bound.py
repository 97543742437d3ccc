"""The payoffs of the lower bound (chowdhury2019, Theorem 2).

Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from stoic.checks import Array, finite_array, number
from stoic.errors import InvalidInput
from stoic.lab.noise.base import Noise, noises

__all__ = ["LowerBoundPayoff"]

TOLERANCE = 1.0 + 1e-9  # factor for rounding at the ends of valid ranges


@noises.register("lower-bound")
@dataclass(frozen=True)
class LowerBoundPayoff(Noise):
    """Rare, large payoffs: the hardest distribution with a bounded moment.

    y = sgn(f)(v/2Δ)^{1/α} with probability (2Δ/v)^{1/α}|f|, else 0. Its mean is f, and
    E|y|^{1+α} = v|f|/(2Δ) ≤ v. Expected payoffs must satisfy |f| ≤ 2Δ.

    Parameters
    ----------
    order
        α in (0, 1]: the moment of order 1 + α is the bounded one.
    v
        The bound on that moment, > 0.
    gap
        Δ in (0, ½v^{1/(1+α)}].

    >>> noise = LowerBoundPayoff(order=1.0, v=1.0, gap=0.25)
    >>> noise.payoff(0.5, 0, 0.2), noise.payoff(0.5, 0, 0.3)
    (2.0, 0.0)
    >>> noise.raw_moment(2.0, np.array([0.25, 0.5]))
    array([0.5, 1. ])
    """

    order: float
    v: float
    gap: float
    _size: float = field(init=False, repr=False, compare=False)  # (v/2Δ)^{1/α}
    _rate: float = field(init=False, repr=False, compare=False)  # (2Δ/v)^{1/α}
    _max_mean: float = field(init=False, repr=False, compare=False)  # of |f|

    def __post_init__(self) -> None:
        order = number(self.order, "order", above=0.0, at_most=1.0)
        v, gap = number(self.v, "v", above=0.0), number(self.gap, "gap", above=0.0)
        if gap > 0.5 * v ** (1.0 / (1.0 + order)) * TOLERANCE:
            raise InvalidInput(
                f"expected gap of at most ½v^(1/(1+order)) = {0.5 * v ** (1.0 / (1.0 + order)):g}, "
                f"got {gap:g}; lower gap or raise v"
            )
        log_size = math.log(v / (2.0 * gap)) / order
        if abs(log_size) > 700.0:
            raise InvalidInput(
                f"expected payoffs (v/2Δ)^(1/α) within the range of floats, got e^{log_size:.4g}; "
                "raise order"
            )
        object.__setattr__(self, "_size", (v / (2.0 * gap)) ** (1.0 / order))
        object.__setattr__(self, "_rate", (2.0 * gap / v) ** (1.0 / order))
        object.__setattr__(self, "_max_mean", 2.0 * gap * TOLERANCE)

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return rng.random(n)

    def payoff(self, mean: float, arm: int, draw: float) -> float:  # noqa: ARG002
        if not -self._max_mean <= mean <= self._max_mean:
            raise self._outside(mean)
        return math.copysign(self._size, mean) if draw < self._rate * abs(mean) else 0.0

    def raw_moment(self, order: float, f: Array) -> Array:
        order, size, chance = self._parts(order, f)
        if order == 0.0:
            return np.ones_like(chance)
        with np.errstate(over="ignore"):
            return np.asarray(chance * np.abs(size) ** order)

    def central_moment(self, order: float, f: Array) -> Array:
        order, size, chance = self._parts(order, f)
        with np.errstate(over="ignore"):
            hit, miss = np.abs(size - f) ** order, np.abs(f) ** order
            return np.asarray(chance * hit + (1.0 - chance) * miss)

    def _parts(self, order: float, f: Array) -> tuple[float, Array, Array]:
        """The checked order, each arm's rare payoff and its probability."""
        order, f = number(order, "order", at_least=0.0), finite_array(f, "f")
        if (np.abs(f) > self._max_mean).any():
            raise self._outside(float(np.abs(f).max()))
        return order, np.copysign(self._size, f), np.minimum(self._rate * np.abs(f), 1.0)

    def _outside(self, mean: float) -> InvalidInput:
        return InvalidInput(
            f"expected |f| of at most 2·gap = {2.0 * self.gap:g}, got {mean:g}; scale f down"
        )
