"""Read and check the rows of an imported table before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stoic.checks import describe, integer, number
from stoic.errors import InvalidInput, InvalidParams, InvalidPayoff, StoicError
from stoic.numbers import parse
from stoic.spaces import Float, Int, Parameter, Space
from stoic.study.definition import checked_params
from stoic.study.exchange.tables import Table, cell
from stoic.study.marks.additions import checked_note
from stoic.study.store.rows import FAILED, OPEN, TOLD

__all__ = ["COLUMNS", "PARAM", "Incoming", "column_of", "incoming"]

COLUMNS = (
    "number",
    "state",
    "value",
    "measurement",
    "reason",
    "asked",
    "told",
    "worker",
    "attempt",
    "notes",
    "excluded",
)
PARAM = "param:"  # prefix of a parameter whose name is that of another column
_MAX_REASON_CHARACTERS = 10_000


class Incoming(NamedTuple):
    """One measurement, failure or open trial of an imported file."""

    label: str
    number: int | None
    params: dict[str, Any]
    state: str
    value: float | None
    measurement: int | None
    reason: str | None
    asked: float | None
    told: float | None
    notes: tuple[str, ...] = ()
    excluded: bool = False


def column_of(name: str) -> str:
    """The column of a parameter.

    >>> column_of("threads"), column_of("value")
    ('threads', 'param:value')
    """
    return PARAM + name if name in COLUMNS or name == "params" or name.startswith(PARAM) else name


def incoming(table: Table, space: Space, source: str) -> list[Incoming]:
    """The rows of a table, or an error that names the first bad one."""
    names = {PARAM + name: name for name in space.names}
    names |= {name: name for name in space.names if column_of(name) == name}
    _check(table, space, names, source)
    made = []
    for row, label in zip(table.rows, table.labels, strict=True):
        try:
            params = _params(row, space, names, table.texts)
            made.append(_measured(row, label, params))
        except StoicError as error:
            kind = type(error) if isinstance(error, InvalidInput) else InvalidInput
            raise kind(f"{label} of {source}: {error}; nothing was imported") from error
    return made


def _check(table: Table, space: Space, names: Mapping[str, str], source: str) -> None:
    """Raise `InvalidInput` for unknown columns and for parameters with two columns."""
    columns: dict[str, str] = {}
    for column in table.columns:
        if column not in names and column not in (*COLUMNS, "params"):
            listed = ", ".join([*map(column_of, space.names), *COLUMNS[:5]])
            raise InvalidInput(
                f"expected columns among {listed} in {source}, got {column!r}; correct or drop it"
            )
        other = columns.setdefault(names[column], column) if column in names else column
        if other != column:
            raise InvalidInput(
                f"expected each parameter in one column of {source}, got {other!r} and {column!r}; "
                "drop one of them"
            )


def _params(
    row: dict[str, Any], space: Space, names: Mapping[str, str], texts: bool
) -> dict[str, Any]:
    """The configuration of a row, as Python scalars."""
    given = row.get("params", {})
    if not isinstance(given, Mapping):
        raise InvalidParams(f"expected params as an object, got {describe(given)}")
    cells = {names[column]: value for column, value in row.items() if column in names}
    twice = next((name for name in cells if name in given), None)
    if twice is not None:
        raise InvalidParams(
            f"expected {twice!r} in params or in a column, got both; drop one of them"
        )
    typed = {
        name: _value(space.parameters[name], value) if name in space.parameters else value
        for name, value in {**given, **cells}.items()
    }
    return checked_params(space, _with_nothings(space, typed, texts))


def _measured(row: dict[str, Any], label: str, params: dict[str, Any]) -> Incoming:
    state = _state(row)
    return Incoming(
        label,
        _integer(row, "number"),
        params,
        state,
        _payoff(row["value"]) if state == TOLD else None,
        _integer(row, "measurement"),
        _reason(row) if state == FAILED else None,
        _real(row, "asked"),
        _real(row, "told"),
        _notes(row),
        _flag(row, "excluded"),
    )


def _with_nothings(space: Space, params: dict[str, Any], texts: bool) -> dict[str, Any]:
    """Replace empty cells by the choice that they stand for: None, or "" in a table of texts."""
    for name, parameter in space.parameters.items():
        if name in params or not _exists(parameter, params):
            continue
        listed: tuple[Any, ...] = _listed(parameter)
        empty = [choice for choice in listed if choice is None or (texts and choice == "")]
        if len(empty) > 1:
            raise InvalidParams(
                f"expected a value of {name!r}, got an empty cell, which may be None or the empty "
                "text; use JSON or Parquet"
            )
        params.update((name, choice) for choice in empty)
    return params


def _exists(parameter: Parameter, params: Mapping[str, Any]) -> bool:
    """Whether a parameter's condition is met; its parents have been filled in."""
    return all(
        parent in params
        and any(isinstance(v, bool) == isinstance(params[parent], bool) and v == params[parent]
                for v in values)
        for parent, values in parameter.when.items()
    )  # fmt: skip


def _listed(parameter: Parameter) -> tuple[Any, ...]:
    return getattr(parameter, "choices", ()) or getattr(parameter, "values", ())


def _value(parameter: Parameter, value: Any) -> Any:
    """A value of a parameter, from text or from the number types of other programs."""
    if isinstance(parameter, Int | Float):
        if isinstance(value, str):
            value = _number(value)
        whole = isinstance(parameter, Int) and isinstance(value, float) and value.is_integer()
        return int(value) if whole else value
    choices = _listed(parameter)
    if not isinstance(value, str) or value in choices:
        return value
    same = [choice for choice in choices if cell(choice) == value]
    same = same or [c for c in choices if type(c) in (int, float) and c == _number(value)]
    return same[0] if len(same) == 1 else value


def _number(text: str) -> int | float | str:
    found = parse(text)
    return text if found is None else found


def _state(row: Mapping[str, Any]) -> str:
    given = row.get("state")
    if "value" in row:
        if given not in (None, TOLD):
            raise InvalidInput(f"expected no value where the state is {given!r}; drop one of them")
        return TOLD
    if given is None and "reason" in row:
        return FAILED
    if given in (FAILED, OPEN):
        return str(given)
    raise InvalidPayoff("expected a value, or the reason of a failure, got neither")


def _payoff(value: Any) -> float:
    return number(_number(value) if isinstance(value, str) else value, "value", error=InvalidPayoff)


def _reason(row: Mapping[str, Any]) -> str:
    reason = row.get("reason", "")
    if not isinstance(reason, str):
        raise InvalidInput(f"expected reason as text, got {describe(reason)}")
    return reason[:_MAX_REASON_CHARACTERS]


def _notes(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The notes on a trial: one in each line of their cell."""
    text = row.get("notes", "")
    if not isinstance(text, str):
        raise InvalidInput(f"expected notes as text, got {describe(text)}")
    return tuple(checked_note(line) for line in text.split("\n") if line.strip())


def _flag(row: Mapping[str, Any], name: str) -> bool:
    value = row.get(name, False)
    known = {"true": True, "false": False, True: True, False: False}
    wanted = value.lower() if isinstance(value, str) else value
    if not isinstance(wanted, str | bool) or wanted not in known:
        raise InvalidInput(f"expected {name} as true or false, got {describe(value)}")
    return known[wanted]


def _integer(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    value = _number(value) if isinstance(value, str) else value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None else integer(value, name, at_least=0, at_most=2**31)


def _real(row: Mapping[str, Any], name: str) -> float | None:
    value = row.get(name)
    value = _number(value) if isinstance(value, str) else value
    return None if value is None else number(value, name, at_least=0.0, at_most=1e11)
