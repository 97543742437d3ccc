"""Export the trials of a study to a file, and import measurements from a file."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stoic.errors import InvalidInput, InvalidState, StudyMismatch, UnknownStudy
from stoic.spaces import Space
from stoic.streams import source_name
from stoic.study.definition import Definition, StudyArguments, checked_name
from stoic.study.exchange.incoming import Incoming, column_of, incoming
from stoic.study.exchange.merging import Merger
from stoic.study.exchange.tables import Table, format_of, read_table, write_table
from stoic.study.marks.additions import present_definition
from stoic.study.records import TrialRecord
from stoic.study.store import Database, open_store
from stoic.study.store.codec import read, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, create, find, names
from stoic.study.store.rows import Entry, StudyRow
from stoic.study.store.urls import store_url
from stoic.study.trials import record_of, trials_and_entries

__all__ = ["Imported", "export", "import_file", "table_of"]

# -- out ---------------------------------------------------------------------------------------


def export(store: str | os.PathLike[str], name: str, path: Path, kind: str | None = None) -> int:
    """Write all trials of a study to a file; return the number of rows.

    A row for each measurement, failure and open trial. JSON and Parquet also describe the study,
    so that `import_file` can make the same study.
    """
    kind = format_of(path, kind)
    with _opened(store, name) as (database, connection, row, definition):
        table = _table(Ledger(database, row), connection, definition)
    write_table(table, path, kind)
    return len(table.rows)


def _table(ledger: Ledger, connection: Connection, definition: Definition) -> Table:
    found, excluded = trials_and_entries(connection, ledger)
    trials = [(record_of(trial, entries, excluded), entries) for trial, entries in found]
    return table_of(ledger.name, definition, trials)


def table_of(
    name: str, definition: Definition, trials: Iterable[tuple[TrialRecord, Sequence[Entry]]]
) -> Table:
    """The trials of a study, with their entries of the log, as an export has them."""
    params = {each: column_of(each) for each in definition.space.names}
    rows = []
    for trial, entries in trials:
        known = {
            "number": trial.number,
            "state": trial.state,
            **{params[each]: value for each, value in trial.params.items()},
        }
        told = [entry for entry in entries if not entry.is_mark]
        end = {"asked": trial.asked, "worker": trial.worker, "attempt": trial.attempt}
        end |= {"notes": "\n".join(trial.notes)} if trial.notes else {}
        for i, entry in enumerate(told):
            out = {"excluded": True} if i in trial.excluded else {}
            rows.append({**known, **_outcome(entry), **end, **out})
        if not told:
            rows.append({**known, **end})
    columns = ["number", "state", *params.values(), "value", "measurement", "reason"]
    columns += ["asked", "told", "worker", "attempt"]
    columns += [each for each in ("notes", "excluded") if any(each in row for row in rows)]
    about = read(definition.text(), "a definition")
    return Table(rows, [], columns, {"name": name, **about})


def _outcome(entry: Entry) -> dict[str, Any]:
    value, reason = entry.outcome
    return {"value": value, "measurement": entry.measurement, "reason": reason, "told": entry.told}


@contextmanager
def _opened(
    store: str | os.PathLike[str], name: str
) -> Iterator[tuple[Database, Connection, StudyRow, Definition]]:
    database = open_store(store, make=False)
    try:
        with database.read() as connection:
            found = find(connection, name)
            if found is None:
                listed = ", ".join(map(repr, names(connection))) or "none"
                raise UnknownStudy(f"expected a study among {listed}, got {name!r}")
            ledger = Ledger(database, found[0])
            yield database, connection, found[0], present_definition(connection, ledger, found[1])
    finally:
        database.close()


# -- in ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Imported:
    """What an import changed."""

    study: str
    made: bool  # whether the study is new
    trials: int  # new ones
    outcomes: int  # new values and failures
    known: int  # rows that the study had already


def import_file(
    store: str | os.PathLike[str],
    name: str | None,
    path: Path,
    kind: str | None = None,
    *,
    arguments: StudyArguments | None = None,
) -> Imported:
    """Take the measurements of a file into a study, all or none.

    Columns are the parameters, ``value``, and where known ``reason`` (of a failure), ``number``
    (of the trial), ``measurement``. Rows with a number that the study has must agree with it, so
    that the same file may be imported again. A study that does not exist is made from
    ``arguments``, or from the description in the file.
    """
    arguments = arguments or StudyArguments()
    table = read_table(path, format_of(path, kind))
    name = checked_name(table.about.get("name", "study") if name is None else name, "name")
    existing = _existing(store, name)
    definition = existing or _new_definition(table, arguments, name)
    definition.agree(arguments, name)
    rows = incoming(table, definition.space, source_name(path))
    database = open_store(store, make=existing is None)
    try:
        with database.write() as connection:
            database.exclusive(connection)
            return _merged(database, connection, name, definition, rows)
    finally:
        database.close()


def _existing(store: str | os.PathLike[str], name: str) -> Definition | None:
    url = store_url(store)
    if url.is_file and _nothing(url.path):
        return None
    try:
        with _opened(store, name) as (_, _, _, definition):
            return definition
    except UnknownStudy:
        return None


def _nothing(path: str) -> bool:
    return not os.path.exists(path) or os.path.getsize(path) == 0


def _new_definition(table: Table, arguments: StudyArguments, name: str) -> Definition:
    if arguments.space is not None:
        direction = arguments.direction or table.about.get("direction")
        if direction is None:
            raise InvalidInput(
                f"expected --minimize or --maximize for study {name!r}, which is new, got neither; "
                "give one"
            )
        return Definition.of(replace(arguments, direction=direction))
    if not table.about:
        raise UnknownStudy(
            f"expected the parameters of study {name!r}, which is new, got none; "
            "give them with -p or --space"
        )
    described = {key: value for key, value in table.about.items() if key != "name"}
    try:
        if arguments.direction is None and arguments.seed is None and arguments.method is None:
            StudyArguments(objective=described.get("objective"))  # text, as for any new study
            return Definition.from_text(written(described)).sound()
        space = Space.from_description(described.get("space"))
    except (ValueError, InvalidState) as error:
        raise InvalidInput(f"expected a whole study in the file, got {error}") from error
    return Definition.of(
        StudyArguments(
            space,
            None,
            arguments.direction or described.get("direction"),
            described.get("seed") if arguments.seed is None else arguments.seed,
            arguments.method or described.get("method"),
            arguments.objective or described.get("objective"),
            arguments.target or described.get("target"),
            arguments.bounds or described.get("bounds"),
            arguments.baseline or described.get("baseline"),
        )
    )


def _merged(
    database: Database,
    connection: Connection,
    name: str,
    definition: Definition,
    rows: list[Incoming],
) -> Imported:
    found = find(connection, name)
    if found is None:
        now = database.present(connection)
        row = create(connection, uuid.uuid4().hex, name, now, definition.text())
    else:
        row = found[0]
        ledger = Ledger(database, row)
        if present_definition(connection, ledger, found[1]).text() != definition.text():
            raise StudyMismatch(f"expected study {name!r} as it was a moment ago; import again")
    merger = Merger(Ledger(database, row), connection)
    merger.take(rows)
    return Imported(name, found is None, merger.trials, merger.outcomes, merger.known)
