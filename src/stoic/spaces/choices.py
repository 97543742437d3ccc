"""Parameters with a list of values: unordered categories and ordered grids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stoic.checks import Array, describe
from stoic.errors import InvalidInput, InvalidParams
from stoic.spaces.parameters import Condition, Parameter, Scalar, fill_evenly, jumps, scalar

__all__ = ["Categorical", "Grid", "Listed"]

_PLAIN_TYPES = {str, int, float, bool, type(None)}


class Listed(Parameter):
    """A parameter with a list of values; a level is an index into the list.

    Values that are equal in Python (1, 1.0 and True) can't be in one list. When a value is read, 1
    and 1.0 count as equal, as in JSON and JavaScript; a bool matches only a bool.
    """

    def __init__(self, values: object, noun: str, when: Condition | None) -> None:
        super().__init__(when)
        self._listed = tuple(scalar(v, f"each of the {noun}") for v in _sequence(values, noun))
        self._level: dict[tuple[bool, Scalar], int] = {}
        seen: dict[Scalar, Scalar] = {}
        for level, value in enumerate(self._listed):
            if value in seen:
                raise InvalidInput(
                    f"expected distinct {noun}, got {seen[value]!r} and {value!r}, which are "
                    "equal; drop one, or name them by strings"
                )
            seen[value] = value
            self._level[isinstance(value, bool), value] = level
        self.size = len(self._listed)

    def coordinate(self, value: object, name: str) -> float:
        v = scalar(value, name, InvalidParams)
        level = self._level.get((isinstance(v, bool), v))
        if level is None:
            some = ", ".join(map(repr, self._listed[:10])) + ", …" * (len(self._listed) > 10)
            raise InvalidParams(f"expected {name} to be one of {some}, got {describe(v)}")
        return float(level)

    def usual(self, values: list[Any]) -> tuple[list[float], Sequence[Scalar]] | None:
        if not set(map(type, values)) <= _PLAIN_TYPES:
            return None
        levels = [self._level.get((type(v) is bool, v), -1) for v in values]
        if -1 in levels:
            return None
        return [float(level) for level in levels], [self._listed[level] for level in levels]

    def value(self, coordinate: float) -> Scalar:
        return self._listed[int(coordinate)]

    def fill(self, q: Array) -> Array:
        return fill_evenly(q, len(self._listed) - 1)


class Categorical(Listed):
    """One of some choices that have no order.

    Uses one column per choice, so that all choices are equally far apart. Two choices need only one
    column; a single choice (a constant) needs none. For ordered values use `Grid`.

    >>> Categorical(["adam", "sgd"]).coordinate("sgd", "opt")
    1.0
    """

    def __init__(self, choices: Sequence[Scalar], *, when: Condition | None = None) -> None:
        super().__init__(choices, "choices", when)

    @property
    def choices(self) -> tuple[Scalar, ...]:
        """The choices, in the order given."""
        return self._listed

    def moves(self, level: int) -> list[int]:
        return [k for k in range(len(self._listed)) if k != level]

    def fields(self) -> dict[str, object]:
        return {"choices": list(self._listed)}


class Grid(Listed):
    """One of some numbers or strings in a meaningful order: neighbours in the list are similar.

    Values are spaced evenly by rank, independent of their distance as numbers.

    >>> Grid([16, 32, 64, 128]).value(2)
    64
    """

    def __init__(self, values: Sequence[str | float], *, when: Condition | None = None) -> None:
        super().__init__(values, "values", when)
        for value in self._listed:
            if value is None or isinstance(value, bool):
                raise InvalidInput(
                    f"expected a Grid of numbers or strings, got {value!r} in it; use Categorical"
                )

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The values, in the order given."""
        return self._listed

    def moves(self, level: int) -> list[int]:
        return jumps(level, len(self._listed) - 1)

    def fields(self) -> dict[str, object]:
        return {"values": list(self._listed)}


def _sequence(values: Any, noun: str) -> list[object]:
    if isinstance(values, np.ndarray) and values.ndim == 1:
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, str | bytes | bytearray | memoryview):
        raise InvalidInput(
            f"expected the {noun} as a list, got {describe(values)}; "
            "write [first, second, …], and sorted(…) around a set"
        )
    if not len(values):
        raise InvalidInput(f"expected at least one of the {noun}, got none; list some")
    return list(values)
