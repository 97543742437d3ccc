"""Trials out of a study into a file, and measurements out of a file into a study."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection

from stoic.errors import ConflictingValue, InvalidInput, InvalidState, StudyMismatch, UnknownStudy
from stoic.spaces import Space
from stoic.streams import source_name
from stoic.study.definition import Asked, Problem, checked_name
from stoic.study.exchange.incoming import Incoming, column_of, incoming
from stoic.study.exchange.tables import Sheet, format_of, read_sheet, write_sheet
from stoic.study.listing import names
from stoic.study.store.codec import params_of, read, text_of, value_of, written
from stoic.study.store.database import Database
from stoic.study.store.ledger import Ledger, Present, create, find
from stoic.study.store.opening import open_store
from stoic.study.store.rows import FAILED, OPEN, TOLD, Entry, StudyRow, TrialRow
from stoic.study.store.urls import place

__all__ = ["Imported", "export", "import_file"]

_WORKER = "import"


# -- out ---------------------------------------------------------------------------------------


def export(store: str | os.PathLike[str], name: str, path: Path, kind: str | None = None) -> int:
    """Write all trials of a study to a file; the number of its rows.

    A row for each measurement, failure and open trial. JSON and Parquet also tell of the study,
    so that `import_file` can make it anew.
    """
    kind = format_of(path, kind)
    with _opened(store, name) as (database, connection, row, problem):
        sheet = _sheet(Ledger(database, row), connection, row, problem)
    write_sheet(sheet, path, kind)
    return len(sheet.rows)


def _sheet(ledger: Ledger, connection: Connection, row: StudyRow, problem: Problem) -> Sheet:
    params = {name: column_of(name) for name in problem.space.names}
    rows = []
    outcomes: dict[int, list[Entry]] = {}
    for entry, _ in ledger.entries(connection, row):
        outcomes.setdefault(entry.trial, []).append(entry)
    for trial in ledger.trials(connection, row):
        known = {
            "number": trial.number,
            "state": trial.state,
            **{params[name]: value for name, value in params_of(trial.params).items()},
        }
        end = {"asked": trial.asked, "worker": trial.worker, "attempt": trial.attempt}
        for entry in outcomes.get(trial.number, []):
            outcome = {
                "value": None if entry.value is None else value_of(entry.value),
                "measurement": entry.measurement,
                "reason": None if entry.reason is None else str(read(entry.reason, "a reason")),
                "told": entry.told,
            }
            rows.append({**known, **outcome, **end})
        if trial.number not in outcomes:
            rows.append({**known, **end})
    columns = ["number", "state", *params.values(), "value", "measurement", "reason"]
    columns += ["asked", "told", "worker", "attempt"]
    about = read(problem.text(), "a problem")
    return Sheet(rows, [], columns, {"name": row.name, **about})


@contextmanager
def _opened(
    store: str | os.PathLike[str], name: str
) -> Iterator[tuple[Database, Connection, StudyRow, Problem]]:
    database = open_store(store, make=False)
    try:
        with database.read() as connection:
            found = find(connection, name)
            if found is None:
                listed = ", ".join(map(repr, names(connection))) or "none"
                raise UnknownStudy(f"expected a study among {listed}, got {name!r}")
            yield database, connection, found[0], Problem.from_text(found[1])
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
    asked: Asked | None = None,
) -> Imported:
    """Take the measurements of a file into a study, all or none.

    Columns are the parameters, ``value``, and where known ``reason`` (of a failure), ``number``
    (of the trial), ``measurement``. Rows with a number that the study has must agree with it, so
    that the same file may be imported again. The study is made where it is not there, of
    ``asked`` or of what the file tells.
    """
    asked = asked or Asked()
    sheet = read_sheet(path, format_of(path, kind))
    name = checked_name(sheet.about.get("name", "study") if name is None else name, "name")
    existing = _existing(store, name)
    problem = existing or _new_problem(sheet, asked, name)
    problem.agree(asked, name)
    rows = incoming(sheet, problem.space, source_name(path))
    database = open_store(store, make=existing is None)
    try:
        with database.write() as connection:
            database.exclusive(connection)
            return _written(database, connection, name, problem, rows)
    finally:
        database.close()


def _existing(store: str | os.PathLike[str], name: str) -> Problem | None:
    url = place(store)
    if url.drivername.startswith("sqlite") and _nothing(str(url.database)):
        return None
    try:
        with _opened(store, name) as (_, _, _, problem):
            return problem
    except UnknownStudy:
        return None


def _nothing(path: str) -> bool:
    return not os.path.exists(path) or os.path.getsize(path) == 0


def _new_problem(sheet: Sheet, asked: Asked, name: str) -> Problem:
    if asked.space is not None:
        direction = asked.direction or sheet.about.get("direction")
        if direction is None:
            raise InvalidInput(
                f"expected --minimize or --maximize for study {name!r}, which is new, got neither; "
                "say which"
            )
        return Problem.of(replace(asked, direction=direction))
    if not sheet.about:
        raise UnknownStudy(
            f"expected the parameters of study {name!r}, which is new, got none; give them"
        )
    told = {key: value for key, value in sheet.about.items() if key != "name"}
    try:
        if asked.direction is None and asked.seed is None and asked.method is None:
            Asked(objective=told.get("objective"))  # text, as for any new study
            return Problem.from_text(written(told)).sound()
        space = Space.from_description(told.get("space"))
    except (ValueError, InvalidState) as error:
        raise InvalidInput(f"expected a whole study in the file, got {error}") from error
    return Problem.of(
        Asked(
            space,
            None,
            asked.direction or told.get("direction"),
            told.get("seed") if asked.seed is None else asked.seed,
            asked.method or told.get("method"),
            asked.objective or told.get("objective"),
        )
    )


def _written(
    database: Database, connection: Connection, name: str, problem: Problem, rows: list[Incoming]
) -> Imported:
    found = find(connection, name)
    if found is None:
        now = database.present(connection)
        row = create(connection, uuid.uuid4().hex, name, now, problem.text())
    else:
        row = found[0]
        if found[1] != problem.text():
            raise StudyMismatch(f"expected study {name!r} as it was a moment ago; import again")
    ledger = Ledger(database, row)
    present = ledger.look(connection, lock=True)
    writer = _Writer(ledger, connection, present)
    for trial in _by_trial(rows, present.row.next_number):
        writer.take(trial)
    ledger.save(connection, present.row)
    return Imported(name, found is None, writer.trials, writer.outcomes, writer.known)


def _by_trial(rows: list[Incoming], following: int) -> list[list[Incoming]]:
    """Rows of one trial together: known trials, then new ones in order, then those unnumbered."""
    numbered: dict[int, list[Incoming]] = {}
    for row in rows:
        if row.number is not None:
            numbered.setdefault(row.number, []).append(row)
        elif row.measurement not in (None, 0):
            raise InvalidInput(
                f"{row.place}: expected the trial's number beside a further measurement, got "
                "none; nothing was imported"
            )
    for number in sorted(n for n in numbered if n >= following):
        if number != following:
            raise InvalidInput(
                f"{numbered[number][0].place}: expected trial numbers to go on with {following}, "
                f"got {number}; drop the column 'number' to add the rows as new trials; nothing "
                "was imported"
            )
        following += 1
    unnumbered = [[row] for row in rows if row.number is None]
    return [numbered[n] for n in sorted(numbered)] + unnumbered


class _Writer:
    """Writes trials and their outcomes within one transaction."""

    def __init__(self, ledger: Ledger, connection: Connection, present: Present) -> None:
        self.ledger, self.connection, self.present = ledger, connection, present
        self.trials = self.outcomes = self.known = 0

    def take(self, rows: list[Incoming]) -> None:
        """The rows of one trial."""
        first = rows[0]
        text = text_of(first.params)
        trial = None
        if first.number is not None:
            trial = self.ledger.trial(self.connection, first.number)
        if trial is None:
            trial = self._add(first, text)
        elif params_of(trial.params) != first.params:
            raise ConflictingValue(
                f"{first.place}: expected trial {trial.number} at {trial.params}, got {text}; "
                "drop the column 'number' to add the rows as new trials; nothing was imported"
            )
        for i, row in enumerate(rows):
            if row.params != first.params:
                raise InvalidInput(
                    f"{row.place}: expected the parameters of trial {trial.number} as in "
                    f"{first.place}, got others; nothing was imported"
                )
            trial = self._outcome(trial, row, i)

    def _add(self, row: Incoming, text: str) -> TrialRow:
        number, now = self.present.row.next_number, self.present.now
        asked = now if row.asked is None else row.asked
        trial = TrialRow(number, text, OPEN, asked, 0.0, _WORKER, int(row.state != OPEN))
        self.ledger.add(self.connection, trial)
        self.present.row = self.present.row._replace(next_number=number + 1)
        self.trials += 1
        return trial

    def _outcome(self, trial: TrialRow, row: Incoming, order: int) -> TrialRow:
        if row.state == OPEN:
            return trial
        measurement = order if row.measurement is None else row.measurement
        measurement = 0 if row.state == FAILED else measurement
        if trial.state != OPEN and self._settled(trial, row, measurement):
            self.known += 1
            return trial
        entry = Entry(
            self.present.row.entries + 1,
            trial.number,
            measurement,
            None if row.value is None else repr(row.value),
            None if row.state != FAILED else written(row.reason or ""),
            self.present.now if row.told is None else row.told,
        )
        self.present.row = self.ledger.append(self.connection, self.present, trial, entry)
        self.outcomes += 1
        if trial.state == OPEN:
            trial = trial._replace(state=TOLD if row.state == TOLD else FAILED)
            self.ledger.change(self.connection, trial)
        return trial

    def _settled(self, trial: TrialRow, row: Incoming, measurement: int) -> bool:
        """Whether the study has the row already."""
        if trial.state != row.state:
            raise ConflictingValue(
                f"{row.place}: expected trial {trial.number} as {trial.state}, got {row.state}; "
                "the first outcome stays; nothing was imported"
            )
        if trial.state == FAILED:
            return True
        known = self.ledger.entry(self.connection, trial.number, measurement)
        if known is not None and value_of(known[0]) != row.value:
            raise ConflictingValue(
                f"{row.place}: expected {known[0]} again as measurement {measurement} of trial "
                f"{trial.number}, got {row.value!r}; the first one stays; nothing was imported"
            )
        return known is not None
