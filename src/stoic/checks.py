"""Validation of users' input: one typed error instead of a NumPy traceback."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stoic.errors import InvalidInput, MissingDirection
from stoic.redaction import redacted

__all__ = [
    "Array",
    "IntArray",
    "choice",
    "describe",
    "finite_array",
    "given_direction",
    "integer",
    "listed",
    "number",
    "points",
]

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


def describe(value: object) -> str:
    """A short description of a value for an error message."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and type {value.dtype}"
    text = redacted(repr(value))  # before it is cut: half a URL is not recognised
    text = text if len(text) <= 60 else text[:57] + "..."
    return f"{type(value).__name__} {text}"


def number(
    value: object,
    name: str,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
    error: type[InvalidInput] = InvalidInput,
) -> float:
    """``value`` as a finite float within bounds, or a typed error.

    Booleans, strings, bytes and arrays are refused: they are mistakes more often
    than numbers.
    """
    if type(value) is np.ndarray and value.ndim == 0:
        value = value.item()
    if type(value) is float:  # nearly always, and the fastest test
        pass
    elif isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(value, Real):
        raise error(f"expected {name} to be a real number, got {describe(value)}; pass a float")
    try:
        result = float(value)
    except (OverflowError, ValueError):
        result = math.inf
    if not math.isfinite(result):
        raise error(f"expected {name} to be finite, got {describe(value)}; drop or repair it")
    if not (result > above and at_least <= result <= at_most):
        bounds = [f"above {above:g}"] if above > -math.inf else []
        bounds += [f"at least {at_least:g}"] if at_least > -math.inf else []
        bounds += [f"at most {at_most:g}"] if at_most < math.inf else []
        raise error(f"expected {name} {' and '.join(bounds)}, got {result!r}; change {name}")
    return result


def integer(
    value: object,
    name: str,
    *,
    at_least: int,
    at_most: int | None = None,
    error: type[InvalidInput] = InvalidInput,
) -> int:
    """``value`` as an int within bounds, or a typed error."""
    if type(value) is np.ndarray and value.ndim == 0:
        value = value.item()
    if type(value) is int:
        pass
    elif isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(value, Integral):
        raise error(f"expected {name} to be an integer, got {describe(value)}; pass an int")
    result = int(value)
    if result < at_least:
        raise error(f"expected {name} of at least {at_least}, got {result}; change {name}")
    if at_most is not None and result > at_most:
        raise error(f"expected {name} of at most {at_most}, got {describe(result)}; change {name}")
    return result


def choice(value: object, name: str, options: tuple[str, ...]) -> str:
    """``value`` if it is one of ``options``, or a typed error."""
    if not isinstance(value, str) or value not in options:
        listed = ", ".join(repr(option) for option in options)
        raise InvalidInput(f"expected {name} to be one of {listed}, got {describe(value)}")
    return value


def listed(value: object, name: str, of: str) -> list[Any]:
    """The items of a sequence, or a typed error.

    Texts and mappings can be iterated over as well, but not in the sense of a list.
    """
    try:
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        return list(value)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InvalidInput(
            f"expected {name} as a list of {of}, got {describe(value)}; pass a list"
        ) from None


def given_direction(value: object) -> str:
    """``value`` if it is a direction, or a typed error: there is no default."""
    if value is None:
        raise MissingDirection(
            'expected a direction, got none; pass direction="maximize" or direction="minimize"'
        )
    return choice(value, "direction", ("maximize", "minimize"))


def finite_array(
    value: Any, name: str, *, ndim: int | None = None, error: type[InvalidInput] = InvalidInput
) -> Array:
    """A new float array of finite numbers, or a typed error."""
    try:
        raw = np.asarray(value)
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError("masked")
    except (ValueError, TypeError) as cause:
        raise error(f"expected {name} to be a regular array, got {describe(value)}") from cause
    if raw.dtype.kind not in "iuf":
        raise error(f"expected {name} to hold real numbers, got {describe(raw)}; convert it first")
    result = np.array(raw, dtype=np.float64)
    if ndim is not None and result.ndim != ndim:
        raise error(f"expected {name} with {ndim} dimensions, got shape {result.shape}; reshape it")
    if not np.isfinite(result).all():
        raise error(f"expected {name} to be finite everywhere, got NaN or infinity; clean it first")
    return result


def points(value: Any, name: str, *, error: type[InvalidInput] = InvalidInput) -> Array:
    """An (n, d) array of points with n, d ≥ 1; a flat sequence is n points in one dimension."""
    result = finite_array(value, name, error=error)
    if result.ndim == 1:
        result = result[:, None]
    if result.ndim != 2 or 0 in result.shape:
        raise error(
            f"expected {name} as an (n, d) array with n, d ≥ 1, got shape {result.shape}; "
            "give one row for each point"
        )
    return result
