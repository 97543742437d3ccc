"""Values at equal steps as exact decimals: 0.1, 0.2, 0.3, … and not 0.30000000000000004."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from stoic.checks import number
from stoic.errors import InvalidInput

__all__ = ["Steps"]

_TOLERANCE = 1e-9  # of a step: a value so near to one on the grid is that one
_MIN_STEP_ULPS = 64  # units in the last place of the largest value; levels are then exact


@dataclass(frozen=True)
class Steps:
    """The floats ``low``, ``low + step``, …, ``high``, numbered from 0 to ``top``.

    Each is the float nearest to the decimal number, as a user would write it.

    >>> steps = Steps.between(0.1, 0.7, 0.1)
    >>> steps.top, steps.value(2), steps.level(0.1 + 0.2), steps.level(0.25)
    (6, 0.3, 2, None)
    """

    low: float
    high: float
    step: float
    top: int
    numerators: tuple[int, int]  # of low and step
    denominator: int

    @classmethod
    def between(cls, low: float, high: float, step: object) -> Steps:
        """The steps of a range, or `InvalidInput` that names the nearest fitting ends."""
        by = number(step, "step of a Float", above=0.0)
        if not math.isfinite(high - low) or by < _MIN_STEP_ULPS * math.ulp(max(-low, high)):
            raise InvalidInput(
                f"expected a step that floats between {low!r} and {high!r} can resolve, got "
                f"{by!r}; use a larger step, a narrower range, or none"
            )
        first, size = Fraction(repr(low)), Fraction(repr(by))
        exact = (Fraction(repr(high)) - first) / size
        top = round(exact)
        if abs(exact - top) > _TOLERANCE or top < 1:
            below, above = (float(first + k * size) for k in (int(exact), int(exact) + 1))
            nearest = f"the nearest are {below!r} and {above!r}" if int(exact) else (
                f"the nearest is {above!r}"
            )  # fmt: skip
            raise InvalidInput(
                f"expected high at a whole number of steps of {by!r} above low {low!r}, "
                f"got {high!r}; {nearest}"
            )
        whole = lcm(first.denominator, size.denominator)
        return cls(low, high, by, top, (int(first * whole), int(size * whole)), whole)

    def value(self, level: int) -> float:
        """The value of a level."""
        if level >= self.top:
            return self.high
        first, size = self.numerators
        return min((first + level * size) / self.denominator, self.high)  # rounded once

    def level(self, value: float) -> int | None:
        """The level of a value, or None where it is not on the grid."""
        position = (value - self.low) / self.step
        level = round(min(max(position, 0.0), float(self.top)))
        near = abs(value - self.value(level)) <= _TOLERANCE * self.step
        return level if near else None

    def around(self, value: float) -> tuple[float, float]:
        """The values next to one within the range that is not on the grid."""
        below = min(max(math.floor((value - self.low) / self.step), 0), self.top - 1)
        return self.value(below), self.value(below + 1)
