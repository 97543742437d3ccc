"""Read and write the rows of a study within the caller's transaction, checking digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stoic.errors import StoreDamaged, UnknownStudy
from stoic.study.store.connection import Connection
from stoic.study.store.database import Database
from stoic.study.store.rows import (
    GIVEN_BACK,
    OPEN,
    RESTORE,
    TAKEN_BACK,
    UNKNOWN,
    Entry,
    StudyRow,
    TrialRow,
    digest,
    first_head,
)
from stoic.study.store.schema import ENTRY_COLUMNS, IS_KEYED, STUDY_COLUMNS, TRIAL_COLUMNS

__all__ = ["Ledger", "Present", "create", "find", "names"]

_ROWS_PER_CHUNK = 2000  # rows read at a time
_STUDY = ", ".join(STUDY_COLUMNS)
_TRIAL = ", ".join(f"stoic_trials.{name}" for name in TRIAL_COLUMNS)
_ENTRY = ", ".join(f"stoic_log.{name}" for name in ENTRY_COLUMNS)
_CHANGING = TRIAL_COLUMNS[2:]  # columns of a trial that change


def _insert(table: str, columns: tuple[str, ...]) -> str:
    placeholders = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({placeholders})"


# Both conditions name the lease and, literally, the state: only then does SQLite use the index of
# open trials rather than read all trials.
_OPEN = (
    f"SELECT {_TRIAL} FROM stoic_trials WHERE study = ? AND state = 'open' AND expires >= {UNKNOWN}"
)
_EXPIRED = (
    f"SELECT {_TRIAL} FROM stoic_trials WHERE study = ? AND state = 'open' "
    f"AND expires >= {GIVEN_BACK} AND expires <= ? "
    f"AND CASE WHEN expires <= {TAKEN_BACK} THEN ? ELSE clock END = ? "
    "ORDER BY expires, number LIMIT 1"
)
_FIND_TRIAL = f"SELECT {_TRIAL} FROM stoic_trials WHERE study = ? AND number = ?"
_FIND_TOKEN = f"SELECT {_TRIAL} FROM stoic_trials WHERE study = ? AND token = ? AND {IS_KEYED}"
_SOME_TRIALS = (
    f"SELECT {_TRIAL} FROM stoic_trials WHERE study = ? AND number > ? AND number <= ? "
    "ORDER BY number"
)
_FIND_ENTRY = (
    "SELECT value, reason FROM stoic_log WHERE study = ? AND trial = ? AND measurement = ?"
)
_SOME_ENTRIES = (
    f"SELECT {_ENTRY} FROM stoic_log WHERE study = ? AND seq > ? AND seq <= ? ORDER BY seq"
)
_ENTRIES_AND_TRIALS = (
    f"SELECT {_ENTRY}, {_TRIAL} FROM stoic_log LEFT OUTER JOIN stoic_trials "
    "ON stoic_trials.study = stoic_log.study AND stoic_trials.number = stoic_log.trial "
    "WHERE stoic_log.study = ? AND seq > ? AND seq <= ? ORDER BY seq"
)
_ADD_TRIAL = _insert("stoic_trials", ("study", *TRIAL_COLUMNS))
_ADD_ENTRY = _insert("stoic_log", ("study", *ENTRY_COLUMNS))
_ADD_STUDY = _insert("stoic_studies", (*STUDY_COLUMNS, "problem"))
_CHANGE_TRIAL = (
    f"UPDATE stoic_trials SET {', '.join(f'{name} = ?' for name in _CHANGING)} "
    "WHERE study = ? AND number = ?"
)
_CHANGE_STUDY = (
    "UPDATE stoic_studies SET next_number = ?, finished = ?, entries = ?, head = ?, seal = ? "
    "WHERE id = ?"
)


class Present:
    """A study's row and the time, as one transaction sees them.

    ``now`` is in Unix seconds, for display; leases are measured by ``lease_now`` of ``clock``.
    """

    __slots__ = ("clock", "lease_now", "now", "row")

    def __init__(self, row: StudyRow, now: float, database: Database) -> None:
        self.row, self.now = row, now
        self.clock, self.lease_now = database.lease_clock, database.lease_now(now)

    def over(self, trial: TrialRow) -> bool:
        """Whether the lease of an open trial has ended."""
        last = self.lease_now if trial.clock == self.clock else TAKEN_BACK
        return GIVEN_BACK <= trial.expires <= last

    def foreign(self, trial: TrialRow) -> bool:
        """Whether a lease is measured by another clock, or by this one before it was reset."""
        if GIVEN_BACK <= trial.expires <= TAKEN_BACK:
            return False
        return trial.clock != self.clock or not 0 <= trial.expires <= self.lease_now + trial.lease

    def leased(self, trial: TrialRow, seconds: float) -> TrialRow:
        """The trial with a lease of so many seconds from now."""
        return trial._replace(
            lease_until=self.now + seconds,
            clock=self.clock,
            lease=seconds,
            expires=self.lease_now + seconds,
        )


def names(connection: Connection) -> list[str]:
    """The names of all studies, oldest first."""
    return [name for (name,) in connection.execute("SELECT name FROM stoic_studies ORDER BY id")]


def find(connection: Connection, name: str) -> tuple[StudyRow, str] | None:
    """The row and the definition of a study, or None."""
    wanted = f"SELECT {_STUDY}, problem FROM stoic_studies WHERE name = ?"
    found = connection.execute(wanted, (name,)).fetchone()
    if found is None:
        return None
    row, definition = StudyRow.of(found), found[10]
    if digest(definition) != row.definition_digest:
        raise StoreDamaged(f"the definition of study {name!r} is not as it was written", RESTORE)
    return row, definition


def create(connection: Connection, uid: str, name: str, made: float, definition: str) -> StudyRow:
    """Add a study without trials."""
    last = connection.value("SELECT max(id) FROM stoic_studies") or 0
    row = StudyRow(last + 1, uid, name, made, digest(definition), 0, 0, 0, first_head(uid))
    connection.execute(_ADD_STUDY, (*row, row.digest(), definition))
    return row


class Ledger:
    """The rows of one study."""

    def __init__(self, database: Database, row: StudyRow) -> None:
        self.database, self.id, self.uid, self.name = database, row.id, row.uid, row.name

    # -- read ---------------------------------------------------------------------------------

    def present(self, connection: Connection, *, lock: bool = False) -> Present:
        """The study's row and the time; ``lock`` keeps others from changing the study."""
        dialect = connection.dialect
        wanted = f"SELECT {_STUDY}, {dialect.clock} FROM stoic_studies WHERE id = ?"
        wanted = wanted + dialect.for_update if lock else wanted
        found = connection.execute(wanted, (self.id,)).fetchone()
        if found is None or found[1] != self.uid:
            raise UnknownStudy(
                f"expected study {self.name!r} to be there still, got none; it was deleted"
            )
        return Present(StudyRow.of(found), self.database.now(found[10]), self.database)

    def trial(self, connection: Connection, number: int) -> TrialRow | None:
        """A trial, if there is one of this number."""
        found = connection.execute(_FIND_TRIAL, (self.id, number)).fetchone()
        return None if found is None else TrialRow.of(found, self.uid)

    def of_token(self, connection: Connection, token: str) -> TrialRow | None:
        """The trial whose lease has, or last had, this token that was derived from a key."""
        found = connection.execute(_FIND_TOKEN, (self.id, token)).fetchone()
        return None if found is None else TrialRow.of(found, self.uid)

    def entry(
        self, connection: Connection, number: int, measurement: int
    ) -> tuple[str | None, str | None] | None:
        """Value and reason of a measurement, if there is one."""
        found = connection.execute(_FIND_ENTRY, (self.id, number, measurement)).fetchone()
        return None if found is None else (found[0], found[1])

    def open(self, connection: Connection) -> list[TrialRow]:
        """Trials without an outcome, by number."""
        found = connection.execute(_OPEN, (self.id,)).fetchall()
        return sorted(TrialRow.of(row, self.uid) for row in found)

    def expired(self, connection: Connection, present: Present) -> TrialRow | None:
        """The open trial whose lease ended first; trials that were never leased come before it."""
        values = (self.id, present.lease_now, present.clock, present.clock)
        found = connection.execute(_EXPIRED, values).fetchone()
        return None if found is None else TrialRow.of(found, self.uid)

    def trials(self, connection: Connection, row: StudyRow) -> Iterator[TrialRow]:
        """All trials, by number; none is missing."""
        expected = 0
        for found in self._chunks(connection, _SOME_TRIALS, -1, row.next_number - 1):
            made = TrialRow.of(found, self.uid)
            if made.number != expected:
                break
            expected += 1
            yield made
        if expected != row.next_number:
            raise StoreDamaged(f"trial {expected} of study {self.name!r} is missing", RESTORE)

    def log(self, connection: Connection, row: StudyRow) -> Iterator[Entry]:
        """All entries of the log, in order; none is missing."""
        found = self._chunks(connection, _SOME_ENTRIES, 0, row.entries)
        for entry, _ in self._chain(row, found, 0, first_head(self.uid), row.entries):
            yield entry

    def head(self, connection: Connection, seq: int) -> str:
        """The digest of an entry, with which the next one is chained."""
        found = connection.value("SELECT seal FROM stoic_log WHERE study = ? AND seq = ?",
                                 (self.id, seq))  # fmt: skip
        return first_head(self.uid) if found is None else str(found)

    def entries(
        self, connection: Connection, row: StudyRow, after: int, head: str, last: int | None = None
    ) -> Iterator[tuple[Entry, TrialRow | None]]:
        """Entries after number ``after``, whose digest is ``head``, with their trials.

        An entry about no single trial has none.
        """
        last = row.entries if last is None else min(last, row.entries)
        found = self._chunks(connection, _ENTRIES_AND_TRIALS, after, last)
        for entry, rest in self._chain(row, found, after, head, last):
            yield entry, None if entry.of_no_trial else TrialRow.of(rest, self.uid)

    def _chain(
        self, row: StudyRow, found: Iterator[Any], seq: int, head: str, last: int
    ) -> Iterator[tuple[Entry, Any]]:
        """Entries of the chain up to the ``last``, each with its other columns.

        The digest of the study's last one is in its row.
        """
        for columns in found:
            seq += 1
            entry = Entry.of(columns, head, seq)
            head = columns[6]
            yield entry, columns[7:]
        if seq < last or (seq == row.entries and head != row.head):
            raise StoreDamaged(
                f"the log of study {self.name!r} ends after entry {seq}, expected {row.entries}",
                RESTORE,
            )

    def _chunks(self, connection: Connection, sql: str, after: int, last: int) -> Iterator[Any]:
        for begin in range(after, last, _ROWS_PER_CHUNK):
            values = (self.id, begin, min(begin + _ROWS_PER_CHUNK, last))
            yield from connection.execute(sql, values).fetchall()

    def columns(self, connection: Connection, kind: type[TrialRow] | type[Entry]) -> Iterator[Any]:
        """The columns of all rows of the study in order, without a check of digests."""
        table, names, order = (
            ("stoic_trials", _TRIAL, "number") if kind is TrialRow else ("stoic_log", _ENTRY, "seq")
        )
        sql = f"SELECT {names} FROM {table} WHERE study = ? ORDER BY {order}"
        yield from connection.execute(sql, (self.id,))

    def states(self, connection: Connection) -> dict[str, int]:
        """How many trials are in each state."""
        sql = "SELECT state, count(*) FROM stoic_trials WHERE study = ? GROUP BY state"
        return {state: int(count) for state, count in connection.execute(sql, (self.id,))}

    # -- write --------------------------------------------------------------------------------

    def add(self, connection: Connection, row: TrialRow) -> None:
        """Add a trial; the caller counts it in the study's row."""
        connection.execute(_ADD_TRIAL, (self.id, *row, row.digest(self.uid)))

    def add_all(self, connection: Connection, rows: Sequence[TrialRow]) -> None:
        """Add trials; the caller counts them in the study's row."""
        values = [(self.id, *row, row.digest(self.uid)) for row in rows]
        connection.execute_all(_ADD_TRIAL, values)

    def change(self, connection: Connection, row: TrialRow) -> None:
        """Change the state, lease or worker of a trial."""
        values = (*row[2:], row.digest(self.uid), self.id, row.number)
        connection.execute(_CHANGE_TRIAL, values)

    def append(
        self, connection: Connection, present: Present, trial: TrialRow, entry: Entry
    ) -> StudyRow:
        """Append an entry to the log; return the study's row with it, which is not yet saved."""
        head = entry.digest(present.row.head)
        connection.execute(_ADD_ENTRY, (self.id, *entry, head))
        return present.row._replace(
            entries=entry.seq, head=head, finished=present.row.finished + (trial.state == OPEN)
        )

    def append_all(self, connection: Connection, head: str, entries: Sequence[Entry]) -> str:
        """Append entries after the one with digest ``head``; return the last one's digest."""
        values = []
        for entry in entries:
            head = entry.digest(head)
            values.append((self.id, *entry, head))
        connection.execute_all(_ADD_ENTRY, values)
        return head

    def save(self, connection: Connection, row: StudyRow) -> None:
        """Write the study's row."""
        self.database.note(row)
        values = (row.next_number, row.finished, row.entries, row.head, row.digest(), self.id)
        connection.execute(_CHANGE_STUDY, values)
