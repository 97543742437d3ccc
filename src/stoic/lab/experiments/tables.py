"""Tables of an experiment, such as ``{"kind": "student-t", "df": 3}``, and how they are checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from stoic.checks import describe
from stoic.errors import InvalidInput

__all__ = [
    "Table",
    "check_table",
    "check_text",
    "is_plain_name",
    "is_text",
    "label_of",
    "without_labels",
]

Table = Mapping[str, Any]
"""A kind with parameters, ``{"kind": "student-t", "df": 3}``; ``label`` names it in results."""


def is_text(value: object) -> bool:
    """Whether a value is a non-empty string."""
    return isinstance(value, str) and bool(value)


def check_text(value: object, name: str, *, empty: bool = False) -> None:
    """Raise a typed error unless a value is text; with ``empty``, the empty text will do."""
    if not is_text(value) and not (empty and value == ""):
        raise InvalidInput(f"expected {name} as text, got {describe(value)}")


def check_table(value: object, name: str) -> None:
    """Raise a typed error unless a value is a table that JSON can hold.

    A run is identified by a digest of its tables as JSON.
    """
    try:
        if not isinstance(value, Mapping):
            raise TypeError("no table")
        json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError) as cause:
        raise InvalidInput(
            f"expected {name} with plain numbers, texts, lists and tables, got {describe(value)}"
        ) from cause


def is_plain_name(name: str) -> bool:
    """Whether a name is fit for a folder: letters, digits, ``-``, ``_``, ``.`` and ``/``."""
    return (
        re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*", name)
        is not None
    )


def label_of(table: Table) -> str:
    """The name of a table in results: its label, or else its kind."""
    return str(table.get("label", table.get("kind", "")))


def without_labels(table: Table) -> dict[str, Any]:
    """The table without the keys that only the experiment reads."""
    return {k: v for k, v in table.items() if k not in ("label", "moment_order", "policies")}
