"""What users add to a study's log beside outcomes: notes, wider spaces, and a first baseline."""

from __future__ import annotations

from dataclasses import replace

from stoic.checks import describe
from stoic.errors import InvalidInput, InvalidState, StoreDamaged
from stoic.spaces import Space
from stoic.spaces.widening import widened
from stoic.study.definition import Definition, checked_params
from stoic.study.store.codec import read, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, Present
from stoic.study.store.rows import RESTORE, WHOLE_STUDY, Entry
from stoic.study.store.schema import ENTRY_COLUMNS

__all__ = [
    "add_note",
    "append_mark",
    "change",
    "changed",
    "checked_note",
    "last_change",
    "noted",
    "present_definition",
    "text_of_note",
]

_MAX_NOTE_CHARACTERS = 1000
# the keys of the content; that of a note also begins it
_NOTE, _SPACE, _BASELINE = "note", "space", "baseline"
_COLUMNS = ", ".join(ENTRY_COLUMNS)
_LAST = (
    f"SELECT {_COLUMNS} FROM stoic_log WHERE study = ? AND trial = ? "
    "AND measurement < 0 ORDER BY measurement LIMIT 1"
)

# -- notes -------------------------------------------------------------------------------------


def checked_note(text: object) -> str:
    r"""A note on one line, or `InvalidInput`.

    >>> checked_note("cold\n cache")
    'cold cache'
    """
    line = " ".join(text.split()) if isinstance(text, str) else ""
    if not line or len(line) > _MAX_NOTE_CHARACTERS:
        got = f"{len(line)} characters" if line else describe(text)
        raise InvalidInput(
            f"expected a note as text of 1 to {_MAX_NOTE_CHARACTERS} characters, got {got}; "
            "shorten it, or write it to a file and note its name"
        )
    return line


def add_note(
    connection: Connection, ledger: Ledger, present: Present, trial: int, text: str
) -> bool:
    """Add a note to a trial; False where the trial has it already."""
    if text in noted(connection, ledger, trial):
        return False
    _append(connection, ledger, present, trial, {_NOTE: text})
    return True


def noted(connection: Connection, ledger: Ledger, trial: int) -> list[str]:
    """The notes on a trial, in order."""
    sql = (
        f"SELECT {_COLUMNS} FROM stoic_log WHERE study = ? AND trial = ? AND measurement < 0 "
        "ORDER BY measurement DESC"
    )
    rows = connection.execute(sql, (ledger.id, trial))
    marks = [Entry._make(columns[:6]) for columns in rows]
    return [text_of_note(mark) for mark in marks if mark.is_note]


def text_of_note(entry: Entry) -> str:
    """The text of a note, or `StoreDamaged`."""
    data = read(entry.reason, "a note")
    if not isinstance(data, dict) or not isinstance(data.get(_NOTE), str):
        raise StoreDamaged(f"entry {entry.seq} of the log is a note that can't be read", RESTORE)
    return str(data[_NOTE])


# -- wider spaces, and a first baseline --------------------------------------------------------


def change(
    connection: Connection, ledger: Ledger, present: Present, definition: Definition
) -> None:
    """Let the study go on with another definition; the caller checked that it may."""
    content: dict[str, object] = {_SPACE: definition.space.describe()}
    if definition.baseline is not None:
        content[_BASELINE] = definition.baseline
    _append(connection, ledger, present, WHOLE_STUDY, content)


def last_change(connection: Connection, ledger: Ledger) -> Entry | None:
    """The last entry that changed the study's definition."""
    found = connection.execute(_LAST, (ledger.id, WHOLE_STUDY)).fetchone()
    if found is None:
        return None
    return Entry.of(found, ledger.head(connection, found[0] - 1), found[0])


def changed(definition: Definition, entry: Entry) -> Definition:
    """The definition as it is from an entry on, or `StoreDamaged`."""
    try:
        if definition.policy is not None:
            raise InvalidInput("a study of a policy has no other space")
        content = read(entry.reason, "a change of the definition")
        space = widened(definition.space, Space.from_description(content[_SPACE]))
        baseline = content.get(_BASELINE, definition.baseline)
        if baseline is not None:
            baseline = checked_params(space, baseline)
        return replace(definition, space=space, baseline=baseline)
    except (InvalidInput, InvalidState, LookupError, TypeError, AttributeError) as cause:
        raise StoreDamaged(
            f"expected a wider space in entry {entry.seq} of the log, got another: {cause}", RESTORE
        ) from cause


def present_definition(connection: Connection, ledger: Ledger, text: str) -> Definition:
    """The definition of a study, whose text is given, as it is by now."""
    definition = Definition.from_text(text)
    last = last_change(connection, ledger)
    return definition if last is None else changed(definition, last)


# -- entries -----------------------------------------------------------------------------------


def append_mark(
    connection: Connection, ledger: Ledger, present: Present, trial: int, content: str
) -> None:
    """Append a mark, and save the study's row."""
    seq = present.row.entries + 1
    entry = Entry(seq, trial, -seq, None, content, present.now)
    head = ledger.append_all(connection, present.row.head, [entry])
    present.row = present.row._replace(entries=seq, head=head)
    ledger.save(connection, present.row)


def _append(
    connection: Connection, ledger: Ledger, present: Present, trial: int, content: dict[str, object]
) -> None:
    append_mark(connection, ledger, present, trial, written(content))
