"""Outliers: in a share of all payoffs, or at one arm only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stoic.checks import Array, choice, describe, finite_array, integer, number
from stoic.errors import InvalidInput
from stoic.lab.noise.additive import Additive
from stoic.lab.noise.base import Noise, noises
from stoic.lab.noise.light import Gaussian

__all__ = ["Contamination", "Spike"]

SIDES = ("both", "up", "down")


@noises.register("contamination")
@dataclass(frozen=True)
class Contamination(Additive):
    """Base noise, replaced by an outlier of fixed size in a share of the rounds.

    y = f + X with probability 1 − share, else f ± size (``side="both"``, either sign alike),
    f + size (``"up"``) or f − size (``"down"``). Outliers on one side move E y away from f,
    which stays the true value. :meth:`central_moment` is therefore about f: E|y − f|^p.

    Parameters
    ----------
    share
        Probability of an outlier, in [0, 1].
    size
        Size of the outliers, ≥ 0.
    base
        X: an additive noise, or its table.
    side
        ``"both"``, ``"up"`` or ``"down"``.

    >>> noise = Contamination(0.1, size=10.0, base={"kind": "gaussian", "std": 0.5}, side="up")
    >>> noise.central_moment(2.0, np.zeros(1))  # 0.9·0.25 + 0.1·100
    array([10.225])
    """

    share: float
    size: float
    base: Noise | Mapping[str, Any] = field(default_factory=lambda: Gaussian(1.0))
    side: str = "both"
    _inner: Additive = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        number(self.share, "share", at_least=0.0, at_most=1.0)
        number(self.size, "size", at_least=0.0)
        choice(self.side, "side", SIDES)
        base = noises.make(self.base) if isinstance(self.base, Mapping) else self.base
        if not isinstance(base, Additive):
            raise InvalidInput(
                f"expected base to be a noise that is added to f, got {describe(base)}; "
                "take e.g. gaussian or student-t"
            )
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "_inner", base)

    @property
    def tail_index(self) -> float:
        return self._inner.tail_index if self.share < 1.0 else math.inf

    @property
    def symmetric(self) -> bool:
        return self.side == "both" and self._inner.symmetric

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        noise = self._inner.draw(rng, n)
        outlier, up = rng.random(n) < self.share, rng.random(n) < self._up
        return np.where(outlier, np.where(up, self.size, -self.size), noise)

    @property
    def _up(self) -> float:
        """The share of the outliers that are above f."""
        return {"both": 0.5, "up": 1.0, "down": 0.0}[self.side]

    @property
    def shift(self) -> float:
        outlier = self.size * (2.0 * self._up - 1.0)
        return (1.0 - self.share) * self._inner.shift + self.share * outlier

    def absolute_moment(self, order: float) -> float:
        inner = self._inner.absolute_moment(order) if self.share < 1.0 else 0.0
        return float((1.0 - self.share) * inner + self.share * np.power(self.size, order))

    def shifted_moment(self, order: float, f: Array) -> Array:
        up, down = np.abs(f + self.size) ** order, np.abs(f - self.size) ** order
        outlier = self._up * up + (1.0 - self._up) * down
        if self.share == 1.0:
            return np.asarray(outlier)
        return np.asarray(
            (1.0 - self.share) * self._inner.raw_moment(order, f) + self.share * outlier
        )


@noises.register("spike")
@dataclass(frozen=True)
class Spike(Noise):
    """Noise at one arm only: y = f ± size there, either sign alike, and y = f elsewhere.

    Without ``arm``, :meth:`settle` draws it for the trial. Before that, every arm's moments are
    those of the spiked arm, because any arm may become it.

    Parameters
    ----------
    size
        ≥ 0.
    arm
        The arm's number, or None.

    >>> noise = Spike(10.0, arm=1)
    >>> noise.raw_moment(2.0, np.array([1.0, 1.0]))
    array([  1., 101.])
    """

    size: float = 10.0
    arm: int | None = None

    def __post_init__(self) -> None:
        number(self.size, "size", at_least=0.0)
        if self.arm is not None:
            integer(self.arm, "arm", at_least=0)

    def settle(self, rng: np.random.Generator, arms: int) -> Spike:
        if self.arm is None:
            return replace(self, arm=int(rng.integers(arms)))
        integer(self.arm, "arm", at_least=0, at_most=arms - 1)
        return self

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return np.where(rng.random(n) < 0.5, -self.size, self.size)

    def payoff(self, mean: float, arm: int, draw: float) -> float:
        if arm == self.arm:
            return mean + draw
        if self.arm is None:
            raise InvalidInput("expected a spike at a known arm, got none; call settle() first")
        return mean

    def raw_moment(self, order: float, f: Array) -> Array:
        order, f = number(order, "order", at_least=0.0), finite_array(f, "f", ndim=1)
        with np.errstate(over="ignore"):
            spiked = (np.abs(f + self.size) ** order + np.abs(f - self.size) ** order) / 2.0
            return self._at_the_arm(spiked, np.abs(f) ** order)

    def central_moment(self, order: float, f: Array) -> Array:
        order, f = number(order, "order", at_least=0.0), finite_array(f, "f", ndim=1)
        with np.errstate(over="ignore"):
            spiked = np.full_like(f, np.power(self.size, order))
        return self._at_the_arm(spiked, np.zeros_like(f) ** order)

    def _at_the_arm(self, there: Array, elsewhere: Array) -> Array:
        if self.arm is None:
            return there
        integer(self.arm, "arm", at_least=0, at_most=len(there) - 1)
        return np.where(np.arange(len(there)) == self.arm, there, elsewhere)
