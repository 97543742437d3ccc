"""What an answer is about: which direction is good, what is estimated, and what is possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stoic.checks import choice, describe, given_direction, number
from stoic.errors import InvalidInput

__all__ = ["TARGETS", "Aim", "Bounds", "given_bounds"]

Bounds = tuple[float | None, float | None]  # lowest and highest possible value; None is open

TARGETS = {
    "median": "median of all runs",
    "mean": "average over runs, suspects excluded",
}


@dataclass(frozen=True)
class Aim:
    """The direction, the target and the bounds of an optimisation.

    Suggestions do not depend on target and bounds: these are questions asked of the same data.

    >>> Aim.of("minimize", bounds=(0, None))
    Aim(direction='minimize', target='median', bounds=(0.0, None))
    """

    direction: str  # "maximize" or "minimize"
    target: str = "median"  # of the noise: "median" or "mean"
    bounds: Bounds | None = None  # of the values

    @classmethod
    def of(cls, direction: object, target: object = "median", bounds: object = None) -> Aim:
        """An aim of checked settings, or a typed error."""
        checked = choice(target, "target", tuple(TARGETS))
        return cls(given_direction(direction), checked, given_bounds(bounds))

    @property
    def sign(self) -> float:
        """1 where high values are good, −1 where low ones are."""
        return 1.0 if self.direction == "maximize" else -1.0

    @property
    def range(self) -> tuple[float, float]:
        """The bounds as numbers, infinite where open."""
        low, high = self.bounds or (None, None)
        return -math.inf if low is None else low, math.inf if high is None else high

    def allows(self, value: float) -> bool:
        """Whether a value is within the bounds."""
        low, high = self.range
        return low <= value <= high


def given_bounds(bounds: object) -> Bounds | None:
    """Bounds as (low, high), either of them None, or a typed error; None where both are open.

    >>> given_bounds((0, 1)), given_bounds((0, None)), given_bounds((None, None))
    ((0.0, 1.0), (0.0, None), None)
    """
    if bounds is None:
        return None
    if not isinstance(bounds, Sequence) or isinstance(bounds, str) or len(bounds) != 2:
        raise InvalidInput(
            f"expected bounds as (low, high), got {describe(bounds)}; "
            "write None for an end that is open, such as (0, None)"
        )
    low, high = (
        None if end is None else number(end, f"bounds[{i}]") + 0.0 for i, end in enumerate(bounds)
    )
    if low is not None and high is not None and low >= high:
        raise InvalidInput(f"expected bounds with low < high, got ({low:g}, {high:g}); swap them")
    return None if low is None and high is None else (low, high)
