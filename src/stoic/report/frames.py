"""Trials as a data frame of pandas or polars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stoic.checks import choice
from stoic.errors import MissingExtra

if TYPE_CHECKING:
    from stoic.report.result import Result

__all__ = ["LIBRARIES", "OWN", "frame", "named", "of_result"]

LIBRARIES = ("pandas", "polars")
OWN = (
    "trial", "measurement", "value", "state", "reason", "suspect", "excluded", "notes", "asked",
    "told", "worker",
)  # fmt: skip
_PREFIX = "param:"  # of a parameter whose name is that of another column
_MAX_INT = 2**63 - 1  # that fits a column of integers


def of_result(result: Result, suspects: frozenset[int], library: str) -> Any:
    """The trials of a result, one in a row; ``suspects`` are positions among them."""
    columns: dict[str, list[Any]] = {"trial": [trial.number for trial in result.trials]}
    for name in result.space.names:
        columns[named(name)] = [trial.params.get(name) for trial in result.trials]
    columns |= {
        "value": [trial.value for trial in result.trials],
        "state": ["failed" if trial.failed else "told" for trial in result.trials],
        "reason": [trial.reason for trial in result.trials],
        "suspect": [i in suspects for i in range(len(result.trials))],
    }
    return frame(columns, library)


def named(name: str) -> str:
    """The column of a parameter.

    >>> named("threads"), named("value")
    ('threads', 'param:value')
    """
    return _PREFIX + name if name in OWN or name.startswith(_PREFIX) else name


def frame(columns: dict[str, list[Any]], library: str) -> Any:
    """A data frame of these columns; None is a missing value.

    A column of whole numbers stays one where values are missing. A column of several types, as of
    the choices ``[1, "auto"]``, holds objects in pandas, and text in polars.
    """
    if choice(library, "library", LIBRARIES) == "pandas":
        return _pandas(columns)
    return _polars(columns)


def _pandas(columns: dict[str, list[Any]]) -> Any:
    try:
        import pandas as pd
    except ImportError as missing:
        raise MissingExtra.of("pandas", "data frames", "frames") from missing
    whole = {"int": "int64", "bool": "bool", "float": "float64"}
    gaps = {"int": "Int64", "bool": "boolean", "float": "float64"}  # with missing values
    return pd.DataFrame(
        {
            name: pd.Series(
                values, dtype=(gaps if None in values else whole).get(_kind(values), "object")
            )
            for name, values in columns.items()
        }
    )


def _polars(columns: dict[str, list[Any]]) -> Any:
    try:
        import polars as pl
    except ImportError as missing:
        raise MissingExtra.of("polars", "data frames", "frames") from missing
    types = {"int": pl.Int64, "bool": pl.Boolean, "float": pl.Float64, "text": pl.String}
    made = []
    for name, values in columns.items():
        kind = _kind(values)
        own = values if kind in types else [None if v is None else str(v) for v in values]
        made.append(pl.Series(name, own, dtype=types.get(kind, pl.String)))
    return pl.DataFrame(made)


def _kind(values: Sequence[Any]) -> str:
    """The type that all values have: int, bool, float, text, or mixed."""
    types = {type(value) for value in values if value is not None}
    if types == {int} and all(v is None or -_MAX_INT <= v <= _MAX_INT for v in values):
        return "int"
    if types == {bool}:
        return "bool"
    if types and types <= {float}:
        return "float"
    return "text" if types <= {str} else "mixed"
