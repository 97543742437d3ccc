"""Fields of a saved state: what kind of values they hold, of which shape and range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from stoic.checks import describe
from stoic.errors import InvalidState

__all__ = ["LARGEST", "Field", "Reals", "Schema", "Sums", "Texts", "Truths", "Wholes", "checked"]

Size = int | str | None  # None: any size, independent of others
Sizes = dict[str, int]
LARGEST = 2**53  # count; larger ones are not exact as floats
_INT64 = 2**63


class Field:
    """One array, or one value where there is no shape."""

    def __init__(self, *shape: Size, optional: bool = False) -> None:
        self.shape = shape
        self.optional = optional

    def check(self, value: Any, name: str, sizes: Sizes) -> Any:
        """``value`` as a new array of the right type and shape, or as a scalar."""
        raise NotImplementedError

    def _fit(self, array: np.ndarray[Any, Any], name: str, sizes: Sizes) -> Any:
        """The array in its shape, whose sizes become known."""
        shape = self.shape
        if array.size == 0 and array.ndim != len(shape):  # JSON does not keep (0, 5) apart from 0
            array = array.reshape(_empty(shape, sizes, name))
        known = tuple(sizes.get(side, side) if isinstance(side, str) else side for side in shape)
        fits = array.ndim == len(known) and all(
            want is None or isinstance(want, str) or want == got
            for want, got in zip(known, array.shape, strict=True)
        )
        if not fits:
            wanted = ", ".join("any" if side is None else str(side) for side in known)
            raise InvalidState(
                f"expected {name} of shape ({wanted}) in the state, got {array.shape}; "
                "it is damaged"
            )
        for side, got in zip(shape, array.shape, strict=True):
            if isinstance(side, str) and sizes.setdefault(side, got) != got:
                raise InvalidState(
                    f"expected {name} with {sizes[side]} {side} in the state, got {got}; "
                    "it is damaged"
                )
        return array


def _empty(shape: tuple[Size, ...], sizes: Sizes, name: str) -> tuple[int, ...]:
    sides = tuple(sizes.get(side, 0) if isinstance(side, str) else side or 0 for side in shape)
    if math.prod(sides) or not sides:
        raise InvalidState(f"expected {name} of shape {sides} in the state, got nothing")
    return sides


class Reals(Field):
    """Finite floats, between ``low`` and ``high``."""

    def __init__(
        self, *shape: Size, low: float = -math.inf, high: float = math.inf, optional: bool = False
    ) -> None:
        super().__init__(*shape, optional=optional)
        self.low, self.high = low, high

    def check(self, value: Any, name: str, sizes: Sizes) -> Any:
        array = _array(value, name, np.float64)
        array = self._fit(array, name, sizes)
        # one comparison finds NaN, infinity and values out of range
        low, high = max(self.low, -1.7e308), min(self.high, 1.7e308)
        inside = (array >= low) & (array <= high)
        if not np.all(inside):
            raise InvalidState(
                f"expected {name} finite and from {self.low:g} to {self.high:g} in the state, "
                f"got {array[~inside].flat[0] if array.ndim else array.item()}; it is damaged"
            )
        return array if self.shape else array.item()


class Sums(Reals):
    """Payoffs, their sums and differences: no more than 2^53 payoffs of 1e240 amount to."""

    def __init__(self, *shape: Size, low: float = -1e257) -> None:
        super().__init__(*shape, low=low, high=1e257)


class Wholes(Field):
    """Integers from ``low`` up to, but without, ``below``; ``names`` makes one a size."""

    def __init__(
        self,
        *shape: Size,
        low: int = 0,
        below: int | str = LARGEST,
        names: str | None = None,
        optional: bool = False,
    ) -> None:
        super().__init__(*shape, optional=optional)
        self.low, self.below, self.names = low, below, names

    def check(self, value: Any, name: str, sizes: Sizes) -> Any:
        array = self._fit(_array(value, name, np.int64), name, sizes)
        below = sizes[self.below] if isinstance(self.below, str) else self.below
        outside = (array < self.low) | (array >= below)
        if np.any(outside):
            raise InvalidState(
                f"expected {name} from {self.low} to {below - 1} in the state, "
                f"got {array[outside].flat[0] if array.ndim else array.item()}; it is damaged"
            )
        if self.shape:
            return array
        if self.names is not None:
            sizes[self.names] = array.item()
        return array.item()


class Truths(Field):
    """Booleans."""

    def check(self, value: Any, name: str, sizes: Sizes) -> Any:
        array = self._fit(_array(value, name, np.bool_), name, sizes)
        return array if self.shape else array.item()


class Texts(Field):
    """One of some words; any word where none are given."""

    def __init__(self, *options: str, optional: bool = False) -> None:
        super().__init__(optional=optional)
        self.options = options

    def check(self, value: Any, name: str, sizes: Sizes) -> str:
        del sizes
        if not isinstance(value, str) or (self.options and value not in self.options):
            listed = ", ".join(map(repr, self.options)) or "text"
            raise InvalidState(
                f"expected {name} to be {listed} in the state, got {describe(value)}"
            )
        return value


Schema = Mapping[str, "Field | Schema"]


def checked(state: Any, schema: Schema, sizes: Mapping[str, int], name: str = "") -> dict[str, Any]:
    """A state whose every field is as declared, in new arrays; or :class:`InvalidState`.

    Fields are checked in the schema's order. Sizes that become known in a part of the state
    are known in that part alone. Names that the schema does not have are refused.
    """
    known = dict(sizes)
    if not isinstance(state, Mapping):
        raise InvalidState(
            f"expected {name or 'the state'} as a mapping in the state, got {describe(state)}"
        )
    prefix = f"{name}/" if name else ""
    unknown = [key for key in state if key not in schema]
    if unknown:
        raise InvalidState(
            f"expected {', '.join(schema)} in {name or 'the state'}, got {describe(unknown[0])}; "
            "it is damaged, or from another version"
        )
    found: dict[str, Any] = {}
    for key, wanted in schema.items():
        if isinstance(wanted, Field):
            if key in state:
                found[key] = wanted.check(state[key], prefix + key, known)
            elif not wanted.optional:
                raise InvalidState(f"expected {prefix}{key} in the state, got none; it is damaged")
        elif key in state or _needed(wanted):
            found[key] = checked(state.get(key, {}), wanted, known, prefix + key)
    return found


def _needed(schema: Schema) -> bool:
    return any(_needed(f) if not isinstance(f, Field) else not f.optional for f in schema.values())


def _array(value: Any, name: str, kind: type[np.generic]) -> np.ndarray[Any, Any]:
    """A new array of exactly this kind; lists, as JSON has them, may hold whole numbers."""
    try:
        raw = np.asarray(value)
    except Exception as cause:  # ragged, too deep, too large: any error of NumPy
        raise InvalidState(f"expected {name} as a regular array, got {describe(value)}") from cause
    if kind is not np.bool_ and _holds_truths(value):
        raise InvalidState(f"expected numbers as {name} in the state, got true or false")
    given = raw.dtype
    listed = not isinstance(value, np.ndarray)
    right = given == kind or (
        given.kind in "iu" and (kind is np.int64 or (kind is np.float64 and listed))
    )
    if raw.size == 0 and listed:
        right = True  # an empty list has no kind
    if not right:
        raise InvalidState(
            f"expected {name} of type {np.dtype(kind)} in the state, got {describe(value)}; "
            "it is damaged"
        )
    if given.kind == "u" and raw.size and int(raw.max()) >= _INT64:
        raise InvalidState(f"expected {name} below 2^63 in the state, got {raw.max()}")
    return np.array(raw, dtype=kind)


def _holds_truths(value: Any) -> bool:
    """Whether a list, as JSON has it, holds a boolean; NumPy would take it for a number."""
    if isinstance(value, list):
        return any(map(_holds_truths, value))
    return isinstance(value, bool)
