"""Noise whose mean is not zero: every payoff is moved by the same amount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stoic.checks import Array, describe, number
from stoic.errors import InvalidInput
from stoic.lab.noise.additive import Additive
from stoic.lab.noise.base import Noise, noises
from stoic.lab.noise.light import Gaussian

__all__ = ["Offset"]


@noises.register("offset")
@dataclass(frozen=True)
class Offset(Additive):
    """Base noise, translated: y = f + by + X.

    It moves all arms alike, so neither the best arm nor the regret changes, and the central
    moments E|y − E y|^p are the base's. The raw moments E|y|^p grow with the offset.

    Parameters
    ----------
    by
        The offset, of either sign.
    base
        X: an additive noise, or its table.

    >>> noise = Offset(10.0, base={"kind": "gaussian", "std": 0.5})
    >>> noise.raw_moment(2.0, np.zeros(1)), noise.central_moment(2.0, np.zeros(1))
    (array([100.25]), array([0.25]))
    """

    by: float
    base: Noise | Mapping[str, Any] = field(default_factory=lambda: Gaussian(1.0))
    _inner: Additive = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        number(self.by, "by")
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
        return self._inner.tail_index

    @property
    def symmetric(self) -> bool:
        return self.by == 0.0 and self._inner.symmetric

    @property
    def shift(self) -> float:
        return self._inner.shift + self.by

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return self._inner.draw(rng, n) + self.by

    def absolute_moment(self, order: float) -> float:
        return float(self._inner.raw_moment(order, np.array([self.by]))[0])

    def shifted_moment(self, order: float, f: Array) -> Array:
        return self._inner.raw_moment(order, f + self.by)

    def central_moment(self, order: float, f: Array) -> Array:
        return self._inner.central_moment(order, f)
