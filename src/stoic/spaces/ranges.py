"""Parameters with a range: floats and integers, on a linear or a log scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from stoic.checks import Array, choice, integer, number
from stoic.errors import InvalidInput, InvalidParams
from stoic.spaces.parameters import Condition, Parameter, Scalar, fill_evenly, jumps

__all__ = ["Float", "Int"]

Scale = Literal["linear", "log"]

_MIN_FLOATS = 1000  # in a range; with fewer, Grid is better
_MAX_INT_RANGE = 2**53  # higher levels have no float of their own
_MAX_LOG_INT = 2**40  # log v / log high distinguishes neighbours up to here, with a margin
_MAX_INT = 2**63 - 1  # the largest integer in stores


def _ordered(low: float, high: float, kind: str) -> None:
    if not low < high:
        raise InvalidInput(
            f"expected low below high in {kind}, got {low!r} and {high!r}; "
            "swap them, or for a constant leave the parameter out or use Categorical([value])"
        )


class Float(Parameter):
    """A real number from ``low`` to ``high``, both included.

    The coordinate is (v − low) / (high − low), or on a log scale log(v / low) / log(high / low):
    choose it if a factor of ten matters equally at both ends.

    >>> lr = Float(1e-5, 1e-1, "log")
    >>> lr.value(0.5)
    0.001
    >>> lr.coordinate(0.1, "lr")
    1.0
    """

    def __init__(
        self, low: float, high: float, scale: Scale = "linear", *, when: Condition | None = None
    ) -> None:
        super().__init__(when)
        self.low = number(low, "low of a Float") + 0.0  # no negative zero
        self.high = number(high, "high of a Float") + 0.0
        self.scale = choice(scale, "scale", ("linear", "log"))
        _ordered(self.low, self.high, "a Float")
        least = float(np.finfo(np.float64).tiny)
        if self.scale == "log" and self.low < least:
            raise InvalidInput(
                f"expected low of at least {least:.3g} on a log scale, got {self.low!r}; "
                "raise low or use the linear scale"
            )
        step = math.ulp(max(-self.low, self.high))
        if self.high - self.low < _MIN_FLOATS * step:
            raise InvalidInput(
                f"expected at least {_MIN_FLOATS} floats between low and high, got "
                f"{self.low!r} and {self.high!r}; subtract the offset, or use Grid"
            )
        # halves if the side would overflow, square roots if the ratio would
        self._unit = 1.0 if math.isfinite(self.high - self.low) else 0.5
        self._base = self.low * self._unit
        self._side = self.high * self._unit - self._base
        self._half_log = (
            math.log(math.sqrt(self.high) / math.sqrt(self.low)) if self.scale == "log" else 0.0
        )

    def coordinate(self, value: object, name: str) -> float:
        v = number(value, name, at_least=self.low, at_most=self.high, error=InvalidParams)
        return self._position(v)

    def usual(self, values: list[Any]) -> tuple[list[float], Sequence[Scalar]] | None:
        low, high = self.low, self.high
        if not (set(map(type, values)) <= {float} and all(low <= v <= high for v in values)):
            return None
        return list(map(self._position, values)), values

    def _position(self, v: float) -> float:
        if self.scale == "log":
            u = math.log(math.sqrt(v) / math.sqrt(self.low)) / self._half_log
        else:
            u = (v * self._unit - self._base) / self._side
        return u if 0.0 < u < 1.0 else min(max(u, 0.0), 1.0)

    def value(self, coordinate: float) -> float:
        if coordinate <= 0.0 or coordinate >= 1.0:  # the bounds, exactly
            return self.low if coordinate <= 0.0 else self.high
        if self.scale == "log":
            root = math.exp(coordinate * self._half_log)
            v = self.low * root * root
        else:
            v = (self._base + coordinate * self._side) / self._unit
        v = min(max(v, self.low), self.high)
        for digits in (12, 15):  # of the floats at this position, the shortest
            short = float(f"{v:.{digits}g}")
            if self.low <= short <= self.high and self._position(short) == coordinate:
                return short
        return v

    def fill(self, q: Array) -> Array:
        return q

    def moves(self, level: int) -> list[int]:  # noqa: ARG002 - a continuum has no levels
        return []

    def fields(self) -> dict[str, object]:
        return {"low": self.low, "high": self.high, "scale": self.scale}


class Int(Parameter):
    """A whole number from ``low`` to ``high``, both included.

    Exact for up to 2⁵³ + 1 linear levels, and up to 2⁴⁰ on a log scale.

    >>> threads = Int(1, 64, "log")
    >>> threads.value(7)  # levels count from 0
    8
    """

    def __init__(
        self, low: int, high: int, scale: Scale = "linear", *, when: Condition | None = None
    ) -> None:
        super().__init__(when)
        self.low = integer(low, "low of an Int", at_least=-_MAX_INT, at_most=_MAX_INT)
        self.high = integer(high, "high of an Int", at_least=-_MAX_INT, at_most=_MAX_INT)
        self.scale = choice(scale, "scale", ("linear", "log"))
        _ordered(self.low, self.high, "an Int")
        if self.high - self.low > _MAX_INT_RANGE:
            raise InvalidInput(
                f"expected an Int range of at most 2**53, got {self.low} to {self.high}; "
                "use a Float and round it"
            )
        if self.scale == "log" and not (self.low >= 1 and self.high <= _MAX_LOG_INT):
            raise InvalidInput(
                f"expected an Int from 1 to at most 2**40 on a log scale, "
                f"got {self.low} to {self.high}; change the bounds or use the linear scale"
            )
        self.size = self.high - self.low + 1

    def coordinate(self, value: object, name: str) -> float:
        v = integer(value, name, at_least=self.low, at_most=self.high, error=InvalidParams)
        return float(v - self.low)

    def usual(self, values: list[Any]) -> tuple[list[float], Sequence[Scalar]] | None:
        low, high = self.low, self.high
        if not (set(map(type, values)) <= {int} and all(low <= v <= high for v in values)):
            return None
        return [float(v - low) for v in values], values

    def value(self, coordinate: float) -> int:
        return self.low + int(coordinate)

    def fill(self, q: Array) -> Array:
        if self.scale == "linear":
            return fill_evenly(q, self.high - self.low)
        # from half a step below low to half a step above high
        span = math.log((self.high + 0.5) / (self.low - 0.5))
        v = np.rint((self.low - 0.5) * np.exp(q * span))
        filled: Array = np.clip(v, self.low, self.high) - self.low
        return filled

    def moves(self, level: int) -> list[int]:
        top = self.high - self.low
        if self.scale == "linear":
            return jumps(level, top)
        v = self.low + level
        factors = [(self.high / self.low) ** power for power in (1 / 16, 1 / 8, 1 / 4)]
        jumped = {round(v * f) for f in factors} | {round(v / f) for f in factors}
        near = {w - self.low for w in jumped | {v - 1, v + 1} if self.low <= w <= self.high}
        return sorted(near - {level})

    def fields(self) -> dict[str, object]:
        return {"low": self.low, "high": self.high, "scale": self.scale}
