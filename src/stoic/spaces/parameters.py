"""The base of all parameters of a search space.

A parameter converts between a user's value and a *coordinate*: for a float its
position in [0, 1], for any other parameter its level 0, 1, …, size − 1. `layout.py`
converts coordinates to columns of a kernel's input.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from stoic.checks import Array, describe
from stoic.errors import InvalidInput

__all__ = ["Condition", "Parameter", "Scalar", "fill_evenly", "jumps", "scalar"]

Scalar = str | int | float | bool | None
Condition = Mapping[str, Scalar | list[Scalar] | tuple[Scalar, ...]]


def scalar(value: object, name: str, error: type[InvalidInput] = InvalidInput) -> Scalar:
    """``value`` as a Python scalar that JSON can hold, or a typed error."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if value is None or type(value) is bool or type(value) is int or type(value) is str:
        return value
    if type(value) is float and math.isfinite(value):
        return value
    raise error(
        f"expected {name} to be a string, a finite number, a bool or None, "
        f"got {describe(value)}; name it by a string"
    )


class Parameter(ABC):
    """One named dimension of a `Space`.

    Parameters
    ----------
    when
        ``{"opt": "sgd"}`` or ``{"opt": ["sgd", "rmsprop"]}``: the parameter exists only where
        every parameter named here exists and has (one of) the given value(s).
    """

    size: int | None = None
    """The number of levels; None for a continuum."""

    def __init__(self, when: Condition | None) -> None:
        self._when = _condition(when)

    @property
    def when(self) -> Mapping[str, tuple[Scalar, ...]]:
        """The condition: each parent with a tuple of values; empty without a condition."""
        return MappingProxyType(self._when)

    def condition(self) -> str:
        """The condition in words."""
        return " and ".join(
            f"{parent!r} is {' or '.join(map(repr, values))}"
            for parent, values in self._when.items()
        )

    @abstractmethod
    def coordinate(self, value: object, name: str) -> float:
        """The position of ``value`` in [0, 1] (floats) or its level, or `InvalidParams`."""

    @abstractmethod
    def usual(self, values: list[Any]) -> tuple[list[float], Sequence[Scalar]] | None:
        """Coordinates and scalars of many values, as from `coordinate`.

        None if a value is invalid, or valid but not a Python scalar.
        """

    @abstractmethod
    def value(self, coordinate: float) -> Scalar:
        """The value at a coordinate, within the bounds exactly."""

    @abstractmethod
    def fill(self, q: Array) -> Array:
        """Coordinates at the quantiles ``q`` in [0, 1): every level gets an equal share."""

    @abstractmethod
    def moves(self, level: int) -> list[int]:
        """The levels to try next to ``level``."""

    @abstractmethod
    def fields(self) -> dict[str, object]:
        """The constructor's arguments without ``when``."""

    def describe(self) -> dict[str, object]:
        """The parameter as JSON-able data."""
        condition = {parent: list(values) for parent, values in self._when.items()}
        entry = {"type": type(self).__name__.lower(), **self.fields()}
        return {**entry, "when": condition} if condition else entry

    def __repr__(self) -> str:
        given = {key: v for key, v in self.fields().items() if (key, v) != ("scale", "linear")}
        parts = [f"step={v!r}" if key == "step" else repr(v) for key, v in given.items()]
        if self._when:
            short = {k: v[0] if len(v) == 1 else list(v) for k, v in self._when.items()}
            parts.append(f"when={short!r}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        # the repr is complete, and distinguishes 1, 1.0 and True
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def _condition(when: object) -> dict[str, tuple[Scalar, ...]]:
    """``when`` with its names sorted and every value in a tuple, or a typed error."""
    if when is None:
        return {}
    if not isinstance(when, Mapping) or not when:
        raise InvalidInput(
            f'expected when as a mapping like {{"opt": "sgd"}}, got {describe(when)}; '
            "leave it out for a parameter without a condition"
        )
    condition = {}
    for parent, values in when.items():
        if not isinstance(parent, str):
            raise InvalidInput(
                f"expected when to name parameters by strings, got {describe(parent)}"
            )
        listed = values if isinstance(values, list | tuple) else [values]
        if not listed:
            raise InvalidInput(
                f"expected when to give at least one value of {parent!r}, got {values!r}; "
                "list the values for which the parameter exists"
            )
        condition[str.__str__(parent)] = tuple(
            scalar(v, f"the value of {parent!r} in when") for v in listed
        )
    return dict(sorted(condition.items()))


def fill_evenly(q: Array, top: int) -> Array:
    """Levels 0 … ``top`` at the quantiles ``q``, all equally likely."""
    filled: Array = np.minimum(np.floor(q * (top + 1)), top)
    return filled


def jumps(level: int, top: int) -> list[int]:
    """Levels one step away, and a few at geometrically growing distances.

    >>> jumps(5, 16)
    [1, 3, 4, 6, 7, 9, 13]
    """
    steps = {1, *(round(top**power) for power in (0.25, 0.5, 0.75))}
    near = {level + step for step in steps} | {level - step for step in steps}
    return sorted(k for k in near - {level} if 0 <= k <= top)
