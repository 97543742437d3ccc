"""Record outcomes of trials in the log, each once, on the disk when acknowledged."""

from __future__ import annotations

from typing import Any

from stoic.errors import ConflictingValue
from stoic.study.advisers import Mark
from stoic.study.marks.finals import entry_of
from stoic.study.opened import OpenStudy
from stoic.study.store.codec import text_of, value_of, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Present
from stoic.study.store.rows import FAILED, OPEN, TOLD, Entry, TrialRow

__all__ = ["Outcomes"]

Outcome = tuple[int, str | None, str | None]  # measurement, value, and reason of a failure


class Outcomes:
    """Writes the log of a study."""

    def __init__(self, opened: OpenStudy) -> None:
        self._opened = opened
        self._database, self._ledger = opened.database, opened.ledger

    def value(self, number: int, measurement: int, value: float, worker: str | None) -> None:
        """Record a measurement of a trial; the first one makes the trial that of ``worker``."""
        self._record(number, (measurement, repr(value), None), worker)

    def failure(self, number: int, reason: str, worker: str | None) -> None:
        """Record that a trial gave no value."""
        self._record(number, (0, None, written(reason)), worker)

    def mark(self, mark: Mark, entries: int) -> bool:
        """Append a mark to a log of so many entries; False where it has grown meanwhile."""
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            if present.row.entries != entries:
                return False
            entry = entry_of(mark, present)
            last = self._opened.known(connection, entry.trial)._replace(state=TOLD)
            self._ledger.save(connection, self._ledger.append(connection, present, last, entry))
            return True

    def _record(self, number: int, outcome: Outcome, worker: str | None) -> None:
        measurement, value, reason = outcome
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            trial = self._opened.known(connection, number)
            if trial.state != OPEN and self._settled(connection, trial, measurement, value):
                return
            self._append(connection, present, trial, outcome)
            if trial.state == OPEN:
                state = TOLD if reason is None else FAILED
                who = trial.worker if worker is None else worker
                self._ledger.change(connection, trial._replace(state=state, worker=who))

    def _settled(
        self, connection: Connection, trial: TrialRow, measurement: int, value: str | None
    ) -> bool:
        """Whether the same outcome was recorded before."""
        if value is None and trial.state == FAILED:
            return True
        if value is None or trial.state == FAILED:
            has, got = ("failed", f"the value {value}") if value else ("has a value", "a failure")
            raise ConflictingValue(
                f"expected no other outcome of trial {trial.number}, which {has}, got {got}; "
                "the first one stays"
            )
        known = self._ledger.entry(connection, trial.number, measurement)
        if known is None:
            return False
        if value_of(known[0]) == value_of(value):
            return True
        raise ConflictingValue(
            f"expected {known[0]} again as measurement {measurement} of trial {trial.number}, "
            f"got {value}; the first one stays, and a further one needs another measurement="
        )

    def _append(
        self,
        connection: Connection,
        present: Present,
        trial: TrialRow,
        outcome: Outcome,
    ) -> None:
        entry = Entry(present.row.entries + 1, trial.number, *outcome, present.now)
        self._ledger.save(connection, self._ledger.append(connection, present, trial, entry))

    def add(
        self, params: dict[str, Any], value: float, worker: str, token: str | None = None
    ) -> TrialRow:
        """Add a trial that was measured elsewhere; with a token that is known, give that trial."""
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            known = None if token is None else self._ledger.of_token(connection, token)
            if known is not None:
                return known
            count, now = present.row.next_number, present.now
            trial = TrialRow(count, text_of(params), OPEN, now, now, worker, 1, token or "")
            self._ledger.add(connection, trial._replace(state=TOLD))
            present.row = present.row._replace(next_number=count + 1)
            self._append(connection, present, trial, (0, repr(value), None))
        return trial
