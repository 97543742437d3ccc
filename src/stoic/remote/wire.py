"""What a server sends, as the records of a study; anything else is refused by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from stoic.errors import InvalidState, StoicError, StoreUnavailable
from stoic.printable import visible
from stoic.study.advisers.following import Logged
from stoic.study.definition import Definition
from stoic.study.records import StudySummary, StudyTrial, TrialRecord
from stoic.study.store.codec import params_of, text_of, written
from stoic.study.store.rows import BY_WORKER, MAX_ROWS, Entry

__all__ = [
    "State", "definition_of", "entry_of", "next_page", "number_in", "record_of", "rows_in",
    "state_of", "summary_of", "text_in", "trial_of",
]  # fmt: skip

_STATES = ("open", "told", "failed")
Row = Mapping[str, Any]
T = TypeVar("T")


class State(NamedTuple):
    """A study as the server describes it."""

    name: str
    uid: str
    asked: int
    finished: int
    definition: Row


# -- fields --------------------------------------------------------------------------------------


def _strange(what: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"expected {what} in a reply of the server, got another; is it a server of Stoic, and of "
        "a version like this one?"
    )


def text_in(row: Row, name: str) -> str:
    """A text."""
    found = row.get(name)
    if not isinstance(found, str):
        raise _strange(f"a text as {name!r}")
    return found


def number_in(row: Row, name: str, default: int | None = None) -> int:
    """A whole number that may be one of a trial or of an entry."""
    found = row.get(name, default)
    if isinstance(found, bool) or not isinstance(found, int) or abs(found) > 2**62:
        raise _strange(f"a whole number as {name!r}")
    return found


def _float_in(row: Row, name: str) -> float:
    found = row.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        raise _strange(f"a finite number as {name!r}")
    return float(found)


def rows_in(row: Row, name: str) -> list[Row]:
    """A list of objects."""
    found = row.get(name)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise _strange(f"a list of objects as {name!r}")
    return found


def _object_in(row: Row, name: str) -> dict[str, Any]:
    found = row.get(name)
    if not isinstance(found, dict):
        raise _strange(f"an object as {name!r}")
    return found


def _params_in(row: Row) -> dict[str, Any]:
    """A configuration: names and scalars."""
    try:
        return params_of(text_of(_object_in(row, "params")))
    except (StoicError, ValueError):
        raise _strange("a configuration as 'params'") from None


def next_page(reply: Row, cursor: int) -> int | None:
    """Where the page after this one begins; None after the last one."""
    if reply.get("next") is None:
        return None
    after = text_in(reply, "next")
    if not after.isdecimal() or not cursor < int(after) <= 2**62:
        raise _strange("a later page as 'next'")
    return int(after)


# -- records -------------------------------------------------------------------------------------


def state_of(row: Row) -> State:
    """A study's name, counts and definition."""
    counts = number_in(row, "asked"), number_in(row, "finished")
    return State(text_in(row, "name"), text_in(row, "uid"), *counts, _object_in(row, "definition"))


def definition_of(state: State) -> Definition:
    """The definition of a study as it is by now."""
    described = {"policy": None, **state.definition}
    described["format"] = 1 if described.get("baseline") is None else 2
    if described["policy"] is not None:
        described.pop("space", None)
    try:
        return Definition.from_text(written(described)).sound()
    except (StoicError, InvalidState, ValueError) as error:
        raise StoreUnavailable(
            f"expected a definition that this version of Stoic knows, got another: {visible(error)}"
        ) from error


def trial_of(row: Row) -> StudyTrial:
    """A trial that was asked, with its lease."""
    lease = _object_in(row, "lease")
    return StudyTrial(
        number_in(row, "number"),
        _params_in(row),
        number_in(row, "attempt"),
        _float_in(lease, "until"),
        text_in(row, "uid"),
        text_in(lease, "token"),
        text_in(row, "made"),
    )


def record_of(row: Row) -> TrialRecord:
    """A trial and its outcome."""
    state, values, notes = row.get("state"), row.get("values"), row.get("notes", [])
    if state not in _STATES or not isinstance(values, list) or not isinstance(notes, list):
        raise _strange("a trial with a state, values and notes")
    told, reason = row.get("told"), row.get("reason")
    return TrialRecord(
        number=number_in(row, "number"),
        params=_params_in(row),
        state=state,
        values=tuple(_float_in({"values": value}, "values") for value in values),
        reason=None if reason is None else text_in(row, "reason"),
        asked=_float_in(row, "asked"),
        told=None if told is None else _float_in(row, "told"),
        worker=text_in(row, "worker"),
        attempt=number_in(row, "attempt"),
        lease_until=_float_in(row, "lease_until"),
        notes=tuple(text_in({"notes": note}, "notes") for note in notes),
        excluded=tuple(number_in({"excluded": i}, "excluded") for i in row.get("excluded") or ()),
    )


def summary_of(row: Row) -> StudySummary:
    """A study of a list."""
    asked, finished, failed = (number_in(row, name) for name in ("asked", "finished", "failed"))
    return StudySummary(
        name=text_in(row, "name"),
        uid=text_in(row, "uid"),
        direction=text_in(row, "direction"),
        objective=text_in(row, "objective"),
        trials=asked,
        told=finished - failed,
        failed=failed,
        open=number_in(row, "open"),
        made=_float_in(row, "made"),
        last=None if row.get("last") is None else _float_in(row, "last"),
    )


def entry_of(row: Row, seq: int) -> Logged:
    """The entry of a log with this number, as a follower of the log takes it."""
    trial, measurement = number_in(row, "trial"), number_in(row, "measurement")
    if number_in(row, "seq") != seq or not BY_WORKER <= trial <= MAX_ROWS:
        raise _strange(f"entry {seq} of the log")
    value, told = row.get("value"), _float_in(row, "told")
    if measurement < 0:
        content = written(_object_in(row, "mark"))
        return Entry(seq, trial, -seq, None, content, told), "", ""
    params, worker = text_of(_params_in(row)), text_in(row, "worker")
    text, reason = None, None
    if value is not None:
        text = repr(_float_in(row, "value"))
    else:
        reason = written(text_in(row, "reason"))
    return Entry(seq, trial, measurement, text, reason, told), params, worker
