"""Encode and decode the texts of a store: strict JSON, with floats exact to the last bit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from stoic.errors import StoreDamaged

__all__ = ["params_of", "read", "reason_of", "text_of", "value_of", "written"]

_MAX_CHARACTERS = 2**28  # of a definition; a policy on many arms has a long one
_MAX_PARAMS_CHARACTERS = 2**20
_SCALARS = {str, int, float, bool, type(None)}


def written(data: object) -> str:
    """Data as JSON in ASCII, keys in their order, floats exact.

    >>> written({"x": 0.1, "gc": "zgc"})
    '{"x":0.1,"gc":"zgc"}'
    """
    return json.dumps(data, allow_nan=False, separators=(",", ":"))


def read(text: object, what: str, largest: int = _MAX_CHARACTERS) -> Any:
    """The data of a JSON text, or `StoreDamaged`."""
    if not isinstance(text, str) or len(text) > largest:
        raise StoreDamaged(f"expected {what} as text of at most {largest} characters")
    try:
        data, end = _DECODER.raw_decode(text)
        return data if end == len(text) else _DECODER.decode(text)
    except (ValueError, RecursionError) as cause:
        raise StoreDamaged(f"expected {what} as JSON, got {text[:60]!r}: {cause}") from cause


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


_DECODER = json.JSONDecoder(parse_constant=_refused)  # made once, since that is slow


def params_of(text: object) -> dict[str, Any]:
    """Decode a configuration: names and scalars."""
    data = read(text, "a configuration", _MAX_PARAMS_CHARACTERS)
    if not isinstance(data, dict) or not set(map(type, data.values())) <= _SCALARS:
        raise StoreDamaged(f"expected a configuration of scalars, got {str(text)[:60]!r}")
    return data


def text_of(params: Mapping[str, Any]) -> str:
    """Encode a configuration."""
    return written(dict(params))


def value_of(text: object) -> float:
    """Decode a measured value, which is stored as its ``repr``.

    It is text, since SQLite's numbers lose the sign of zero.
    """
    try:
        value = float(text) if isinstance(text, str) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise StoreDamaged(f"expected a finite value, got {str(text)[:60]!r}")
    return value


def reason_of(text: object) -> str:
    """The reason of a failure."""
    return str(read(text, "a reason"))
