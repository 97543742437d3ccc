"""Parameters with a range: floats and integers, on a linear or a log scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from stoic.checks import Array, choice, integer, number
from stoic.errors import InvalidInput, InvalidParams
from stoic.spaces.parameters import Condition, Parameter, Scalar, fill_evenly, jumps
from stoic.spaces.steps import Steps

__all__ = ["Float", "Int", "is_continuum"]

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

    With ``step``, only low, low + step, … up to high, which must be one of them: exact decimals,
    and coordinates are levels as those of an `Int`. On a log scale there are no steps.

    >>> lr = Float(1e-5, 1e-1, "log")
    >>> lr.value(0.5)
    0.001
    >>> lr.coordinate(0.1, "lr")
    1.0
    >>> Float(0.1, 0.7, step=0.1).value(2)
    0.3
    """

    def __init__(
        self,
        low: float,
        high: float,
        scale: Scale = "linear",
        *,
        step: float | None = None,
        when: Condition | None = None,
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
        if self.high - self.low < _MIN_FLOATS * math.ulp(max(-self.low, self.high)):
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
        self._steps = None if step is None else self._stepped(step)
        self.size = None if self._steps is None else self._steps.top + 1

    def _stepped(self, step: float) -> Steps:
        if self.scale == "log":
            raise InvalidInput(
                f"expected no step on a log scale, got {step!r}; list the values as a Grid, or "
                "drop one of the two"
            )
        return Steps.between(self.low, self.high, step)

    @property
    def step(self) -> float | None:
        """The distance of neighbouring values; None for a continuum."""
        return None if self._steps is None else self._steps.step

    def coordinate(self, value: object, name: str) -> float:
        steps = self._steps
        if steps is None:
            v = number(value, name, at_least=self.low, at_most=self.high, error=InvalidParams)
            return self._position(v)
        level = steps.level(number(value, name, error=InvalidParams))
        if level is None:
            v = number(value, name, at_least=self.low, at_most=self.high, error=InvalidParams)
            below, above = steps.around(v)
            raise InvalidParams(
                f"expected {name} in steps of {steps.step!r} from {self.low!r}, got {v!r}; "
                f"the nearest are {below!r} and {above!r}"
            )
        return float(level)

    def usual(self, values: list[Any]) -> tuple[list[float], Sequence[Scalar]] | None:
        low, high = self.low, self.high
        if self._steps is not None:
            levels = [self._steps.level(v) if type(v) is float else None for v in values]
            known = [level for level in levels if level is not None]
            if len(known) < len(values):
                return None
            return list(map(float, known)), list(map(self._steps.value, known))
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
        if self._steps is not None:
            return self._steps.value(int(coordinate))
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
        return q if self._steps is None else fill_evenly(q, self._steps.top)

    def moves(self, level: int) -> list[int]:
        return [] if self._steps is None else jumps(level, self._steps.top)

    def fields(self) -> dict[str, object]:
        return _fields(self.low, self.high, self.scale, self.step)


class Int(Parameter):
    """A whole number from ``low`` to ``high``, both included.

    Exact for up to 2⁵³ + 1 linear levels, and up to 2⁴⁰ on a log scale. With ``step``, only low,
    low + step, … up to high, which must be one of them.

    >>> threads = Int(1, 64, "log")
    >>> threads.value(7)  # levels count from 0
    8
    >>> Int(2, 64, step=2).value(7)
    16
    """

    def __init__(
        self,
        low: int,
        high: int,
        scale: Scale = "linear",
        *,
        step: int | None = None,
        when: Condition | None = None,
    ) -> None:
        super().__init__(when)
        self.low = integer(low, "low of an Int", at_least=-_MAX_INT, at_most=_MAX_INT)
        self.high = integer(high, "high of an Int", at_least=-_MAX_INT, at_most=_MAX_INT)
        self.scale = choice(scale, "scale", ("linear", "log"))
        _ordered(self.low, self.high, "an Int")
        by = 1 if step is None else integer(step, "step of an Int", at_least=1)
        self.by, self._top = by, (self.high - self.low) // by
        if self._top > _MAX_INT_RANGE:
            raise InvalidInput(
                f"expected an Int range of at most 2**53, got {self.low} to {self.high}; "
                "use a Float and round it"
            )
        if self.scale == "log" and not (self.low >= 1 and self.high <= _MAX_LOG_INT):
            raise InvalidInput(
                f"expected an Int from 1 to at most 2**40 on a log scale, "
                f"got {self.low} to {self.high}; change the bounds or use the linear scale"
            )
        if (self.high - self.low) % by:
            raise InvalidInput(
                f"expected high at a whole number of steps of {by} above low {self.low}, "
                f"got {self.high}; {self._nearest(self.high)}"
            )
        self.size = self._top + 1

    @property
    def step(self) -> int | None:
        """The distance of neighbouring values; None where it is 1."""
        return None if self.by == 1 else self.by

    def _nearest(self, v: int) -> str:
        below = v - (v - self.low) % self.by
        nearest = f"the nearest are {below} and {below + self.by}"
        return nearest if below > self.low or v < self.high else f"the nearest is {below + self.by}"

    def coordinate(self, value: object, name: str) -> float:
        v = integer(value, name, at_least=self.low, at_most=self.high, error=InvalidParams)
        level, rest = divmod(v - self.low, self.by)
        if rest:
            raise InvalidParams(
                f"expected {name} in steps of {self.by} from {self.low}, got {v}; "
                f"{self._nearest(v)}"
            )
        return float(level)

    def usual(self, values: list[Any]) -> tuple[list[float], Sequence[Scalar]] | None:
        low, high, by = self.low, self.high, self.by
        if not (set(map(type, values)) <= {int} and all(low <= v <= high for v in values)):
            return None
        if by > 1 and any((v - low) % by for v in values):
            return None
        return [float((v - low) // by) for v in values], values

    def value(self, coordinate: float) -> int:
        return self.low + self.by * int(coordinate)

    def fill(self, q: Array) -> Array:
        if self.scale == "linear":
            return fill_evenly(q, self._top)
        # from half a step below low, but never below half of low, to half a step above high
        begin, end = self.low - min(self.by, self.low) / 2, self.high + self.by / 2
        v = begin * np.exp(q * math.log(end / begin))
        level = np.rint(v) - self.low if self.by == 1 else np.rint((v - self.low) / self.by)
        filled: Array = np.clip(level, 0, self._top)
        return filled

    def moves(self, level: int) -> list[int]:
        if self.scale == "linear":
            return jumps(level, self._top)
        v = self.low + self.by * level
        factors = [(self.high / self.low) ** power for power in (1 / 16, 1 / 8, 1 / 4)]
        jumped = {round(v * f) for f in factors} | {round(v / f) for f in factors}
        levels = {round((w - self.low) / self.by) for w in jumped} | {level - 1, level + 1}
        return sorted(k for k in levels - {level} if 0 <= k <= self._top)

    def fields(self) -> dict[str, object]:
        return _fields(self.low, self.high, self.scale, self.step)


def _fields(low: float, high: float, scale: str, step: float | None) -> dict[str, object]:
    """A range's arguments; those of a range without steps are as they were before steps."""
    stepped = {} if step is None else {"step": step}
    return {"low": low, "high": high, "scale": scale, **stepped}


def is_continuum(parameter: Parameter) -> bool:
    """Whether a parameter is a float without steps: its coordinate is a position in [0, 1]."""
    return isinstance(parameter, Float) and parameter.size is None
