"""A study's rows: read them sealed, append to them, within somebody's transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from stoic.errors import StoreDamaged, UnknownStudy
from stoic.study.store.database import Database
from stoic.study.store.digests import seal
from stoic.study.store.rows import (
    GIVEN_BACK,
    OPEN,
    TAKEN_BACK,
    UNKNOWN,
    Entry,
    StudyRow,
    TrialRow,
    first_head,
)
from stoic.study.store.schema import log, studies, trials
from stoic.study.store.statements import Statement

__all__ = ["Ledger", "Present", "create", "find"]

_CHUNK = 2000  # rows read at a time

_STUDY = (*(studies.c[name] for name in StudyRow._fields), studies.c.seal)
_TRIAL = (*(trials.c[name] for name in TrialRow._fields), trials.c.seal)
_ENTRY = (*(log.c[name] for name in Entry._fields), log.c.seal)

_Bound = sa.BindParameter[Any]
_study: _Bound = bindparam("study_")
_number: _Bound = bindparam("number_")
_after: _Bound = bindparam("after_")
_until: _Bound = bindparam("until_")
_of_study = trials.c.study == _study
_is_open = sa.text("stoic_trials.state = 'open'")  # literally, or the index would not serve

_open = sa.select(*_TRIAL).where(_of_study, _is_open)

_FIND_TRIAL = Statement(sa.select(*_TRIAL).where(_of_study, trials.c.number == _number))
# By lease in both, or SQLite would go through all trials ever made rather than the open ones.
_OPEN = Statement(_open.where(trials.c.expires >= sa.literal_column(f"{UNKNOWN}")))
_EXPIRED = Statement(
    _open.where(
        trials.c.expires >= sa.literal_column(f"{GIVEN_BACK}"),
        trials.c.expires <= bindparam("now_"),
        sa.case(
            (trials.c.expires <= sa.literal_column(f"{TAKEN_BACK}"), bindparam("clock_")),
            else_=trials.c.clock,
        )
        == bindparam("clock_"),
    )
    .order_by(trials.c.expires, trials.c.number)
    .limit(1)
)
_SOME_TRIALS = Statement(
    sa.select(*_TRIAL)
    .where(_of_study, trials.c.number > _after, trials.c.number <= _until)
    .order_by(trials.c.number)
)
_FIND_ENTRY = Statement(
    sa.select(log.c.value, log.c.reason).where(
        log.c.study == _study,
        log.c.trial == _number,
        log.c.measurement == bindparam("measurement_"),
    )
)
_some_entries = (
    sa.select(*_ENTRY)
    .where(log.c.study == _study, log.c.seq > _after, log.c.seq <= _until)
    .order_by(log.c.seq)
)
_SOME_ENTRIES = Statement(_some_entries)
_ENTRIES_AND_TRIALS = Statement(
    _some_entries.add_columns(*_TRIAL).outerjoin_from(
        log, trials, (trials.c.study == log.c.study) & (trials.c.number == log.c.trial)
    )
)
_ADD_TRIAL = Statement(trials.insert())
_ADD_ENTRY = Statement(log.insert())
_CHANGE_TRIAL = Statement(
    trials.update()
    .where(_of_study, trials.c.number == _number)
    .values({name: bindparam(name) for name in (*TrialRow._fields[2:], "seal")})
)
_CHANGE_STUDY = Statement(
    studies.update()
    .where(studies.c.id == _study)
    .values({k: bindparam(k) for k in ("next_number", "finished", "entries", "head", "seal")})
)


class Present:
    """A study's row and the time, as one transaction sees them.

    ``now`` is in Unix seconds, for people; leases are measured by ``lease_now`` of ``clock``.
    """

    __slots__ = ("clock", "lease_now", "now", "row")

    def __init__(self, row: StudyRow, now: float, database: Database) -> None:
        self.row, self.now = row, now
        self.clock, self.lease_now = database.lease_clock, database.lease_now(now)

    def over(self, trial: TrialRow) -> bool:
        """Whether nobody holds an open trial any more."""
        last = self.lease_now if trial.clock == self.clock else TAKEN_BACK
        return GIVEN_BACK <= trial.expires <= last

    def foreign(self, trial: TrialRow) -> bool:
        """Whether a lease is measured by another clock, or by this one before it was set back."""
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


def find(connection: Connection, name: str) -> tuple[StudyRow, str] | None:
    """The row and the problem of a study, or None."""
    wanted = sa.select(*_STUDY, studies.c.problem).where(studies.c.name == name)
    found = connection.execute(wanted).one_or_none()
    if found is None:
        return None
    row, problem = StudyRow.of(found), found[10]
    if seal(problem) != row.problem_seal:
        raise StoreDamaged(f"the problem of study {name!r} is not as it was written")
    return row, problem


def create(connection: Connection, uid: str, name: str, made: float, problem: str) -> StudyRow:
    """A new study without trials."""
    last = connection.execute(sa.select(sa.func.max(studies.c.id))).scalar()
    row = StudyRow((last or 0) + 1, uid, name, made, seal(problem), 0, 0, 0, first_head(uid))
    connection.execute(studies.insert().values(**row._asdict(), seal=row.seal(), problem=problem))
    return row


class Ledger:
    """The rows of one study."""

    def __init__(self, database: Database, row: StudyRow) -> None:
        self.database, self.id, self.uid, self.name = database, row.id, row.uid, row.name
        select = sa.select(*_STUDY, database.clock).where(studies.c.id == _study)
        self._look = Statement(select)
        self._lock = Statement(select.with_for_update())  # SQLite has no such words, and no need

    # -- read ---------------------------------------------------------------------------------

    def look(self, connection: Connection, *, lock: bool = False) -> Present:
        """The study's row; with ``lock``, nobody else changes the study until the end."""
        statement = self._lock if lock else self._look
        found = statement.one(connection, {"study_": self.id})
        if found is None or found[1] != self.uid:
            raise UnknownStudy(
                f"expected study {self.name!r} to be there still, got none; it was deleted"
            )
        return Present(StudyRow.of(found), self.database.now(found[10]), self.database)

    def trial(self, connection: Connection, number: int) -> TrialRow | None:
        """A trial, if there is one of this number."""
        found = _FIND_TRIAL.one(connection, {"study_": self.id, "number_": number})
        return None if found is None else TrialRow.of(found, self.uid)

    def entry(
        self, connection: Connection, number: int, measurement: int
    ) -> tuple[str | None, str | None] | None:
        """Value and reason of a measurement, if it was told."""
        given = {"study_": self.id, "number_": number, "measurement_": measurement}
        found = _FIND_ENTRY.one(connection, given)
        return None if found is None else (found[0], found[1])

    def open(self, connection: Connection) -> list[TrialRow]:
        """Trials without an outcome, by number."""
        found = _OPEN.all(connection, {"study_": self.id})
        return sorted(TrialRow.of(row, self.uid) for row in found)

    def expired(self, connection: Connection, present: Present) -> TrialRow | None:
        """The open trial that nobody has held for longest; what never was held comes first."""
        given = {"study_": self.id, "now_": present.lease_now, "clock_": present.clock}
        found = _EXPIRED.one(connection, given)
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
            raise StoreDamaged(
                f"trial {expected} of study {self.name!r} is missing; restore the store from a "
                "copy, or let `stoic study doctor` save what is readable"
            )

    def log(self, connection: Connection, row: StudyRow) -> Iterator[Entry]:
        """All entries of the log, in order; none is missing."""
        found = self._chunks(connection, _SOME_ENTRIES, 0, row.entries)
        for entry, _ in self._chain(row, found, 0, first_head(self.uid)):
            yield entry

    def entries(
        self, connection: Connection, row: StudyRow, after: int = 0, head: str | None = None
    ) -> Iterator[tuple[Entry, TrialRow]]:
        """Entries of the log after number ``after``, whose seal is ``head``, with their trials."""
        head = first_head(self.uid) if head is None else head
        found = self._chunks(connection, _ENTRIES_AND_TRIALS, after, row.entries)
        for entry, rest in self._chain(row, found, after, head):
            yield entry, TrialRow.of(rest, self.uid)

    def _chain(
        self, row: StudyRow, found: Iterator[Any], seq: int, head: str
    ) -> Iterator[tuple[Entry, Any]]:
        """Entries that follow from one another to the head in the study's row; what is beside."""
        for columns in found:
            seq += 1
            entry = Entry.of(columns, head, seq)
            head = columns[6]
            yield entry, columns[7:]
        if seq != row.entries or head != row.head:
            raise StoreDamaged(
                f"the log of study {self.name!r} ends after entry {seq}, expected {row.entries}; "
                "restore the store from a copy, or let `stoic study doctor` save what is readable"
            )

    def _chunks(
        self, connection: Connection, statement: Statement, after: int, last: int
    ) -> Iterator[Any]:
        for begin in range(after, last, _CHUNK):
            given = {"study_": self.id, "after_": begin, "until_": min(begin + _CHUNK, last)}
            yield from statement.all(connection, given)

    # -- write --------------------------------------------------------------------------------

    def add(self, connection: Connection, row: TrialRow) -> None:
        """A new trial; the study's row has to count it."""
        _ADD_TRIAL.run(connection, {"study": self.id, **row._asdict(), "seal": row.seal(self.uid)})

    def change(self, connection: Connection, row: TrialRow) -> None:
        """Another state, lease or worker of a trial."""
        given = {name: getattr(row, name) for name in TrialRow._fields[2:]}
        _CHANGE_TRIAL.run(
            connection,
            {"study_": self.id, "number_": row.number, **given, "seal": row.seal(self.uid)},
        )

    def append(
        self, connection: Connection, present: Present, trial: TrialRow, entry: Entry
    ) -> StudyRow:
        """A new entry of the log, and what the study's row is with it; not yet saved."""
        sealed = entry.seal(present.row.head)
        _ADD_ENTRY.run(connection, {"study": self.id, **entry._asdict(), "seal": sealed})
        return present.row._replace(
            entries=entry.seq, head=sealed, finished=present.row.finished + (trial.state == OPEN)
        )

    def save(self, connection: Connection, row: StudyRow) -> None:
        """The study's row as it is now."""
        self.database.note(row)
        _CHANGE_STUDY.run(
            connection,
            {
                "study_": self.id,
                "next_number": row.next_number,
                "finished": row.finished,
                "entries": row.entries,
                "head": row.head,
                "seal": row.seal(),
            },
        )
