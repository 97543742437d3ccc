"""Lending trials: suggestions, leases, and trials that come back."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection

from stoic.study.ledger import Present
from stoic.study.plain import params_of, text_of, written
from stoic.study.records import StudyTrial
from stoic.study.rows import FAILED, OPEN, Entry, TrialRow
from stoic.study.session import Session
from stoic.study.workers import gone, this_worker

__all__ = ["Lending"]

_RACES = 3  # suggestions that may come too late before one is made while all others wait
_MOST = 5  # times that a trial is lent: what ends its workers would block the study for ever
_GIVEN_BACK, _TAKEN_BACK = 0.0, 1.0  # ends of leases that are over: on purpose, or with the worker


class _Proposal(NamedTuple):
    """A suggestion, and what it was made from."""

    next_number: int
    entries: int
    params: dict[str, Any]


class _Full(Exception):
    """The trials that are wanted are all there, and lent."""


class Lending:
    """Lends the trials of a study to one worker: of a given name, or this process."""

    def __init__(self, session: Session, worker: str | None) -> None:
        self._session, self._named = session, worker
        self._database, self._ledger = session.database, session.ledger

    @property
    def worker(self) -> str:
        """Who borrows; after a fork that is the child, which may die before its parent."""
        return this_worker() if self._named is None else self._named

    # -- lend ---------------------------------------------------------------------------------

    def lend(self, seconds: float, most: int | None = None) -> StudyTrial | None:
        """A trial that came back, or a new one; None where ``most`` trials are all lent."""
        with self._session.thinking:
            races = _RACES if self._session.adviser.needs_history else 0
            try:
                for _ in range(races):
                    taken = self._take(seconds, most, self._propose(most))
                    if taken is not None:
                        return taken
                while (taken := self._take(seconds, most, None, now=True)) is None:
                    pass  # trials were given up: they must be in the log before one is suggested
                return taken
            except _Full:
                return None

    def _propose(self, most: int | None) -> _Proposal | None:
        """A suggestion made while others may write; None where a trial waits to be lent again."""
        with self._database.read() as connection:
            present = self._ledger.look(connection)
            if self._ledger.expired(connection, present.now) is not None:
                return None
            _check(present, most)
            row, pending = present.row, self._session.pending(connection, present.row)
        params = self._session.adviser.suggest(row.next_number, pending)
        return _Proposal(row.next_number, row.entries, params)

    def _take(
        self, seconds: float, most: int | None, proposal: _Proposal | None, *, now: bool = False
    ) -> StudyTrial | None:
        """Lend a trial; None where the proposal came too late, unless it must be ``now``.

        None as well where trials were given up, and what comes next depends on it.
        """
        with self._database.write() as connection:
            present = self._ledger.look(connection, lock=True)
            until, entries = present.now + seconds, present.row.entries
            expired = self._returned(connection, present)
            if expired is not None:
                return self._again(connection, expired, present, until)
            if present.row.entries != entries:
                return None
            row = present.row
            _check(present, most)
            if proposal is not None and proposal[:2] == (row.next_number, row.entries):
                params = proposal.params
            elif now:
                params = self._suggest(connection, present)
            else:
                return None
            trial = TrialRow(
                row.next_number, text_of(params), OPEN, present.now, until, self.worker, 1
            )
            self._ledger.add(connection, trial)
            self._ledger.save(connection, row._replace(next_number=row.next_number + 1))
            return self.lent(trial)

    def _suggest(self, connection: Connection, present: Present) -> dict[str, Any]:
        adviser, row = self._session.adviser, present.row
        pending = self._session.pending(connection, row) if adviser.needs_history else []
        return adviser.suggest(row.next_number, pending)

    def _returned(self, connection: Connection, present: Present) -> TrialRow | None:
        """A trial to lend again; those that were lost too often fail on the way."""
        while (trial := self._ledger.expired(connection, present.now)) is not None:
            if trial.attempt < _MOST or trial.lease_until == _GIVEN_BACK:
                return trial
            reason = written(f"given up: lent {trial.attempt} times and never told")
            entry = Entry(present.row.entries + 1, trial.number, 0, None, reason, present.now)
            present.row = self._ledger.append(connection, present, trial, entry)
            self._ledger.save(connection, present.row)
            self._ledger.change(connection, trial._replace(state=FAILED))
        return None

    def _again(
        self, connection: Connection, trial: TrialRow, present: Present, until: float
    ) -> StudyTrial:
        again = trial._replace(
            asked=present.now if trial.attempt == 0 else trial.asked,
            lease_until=until,
            worker=self.worker,
            attempt=trial.attempt + 1,
        )
        self._ledger.change(connection, again)
        return self.lent(again)

    def lent(self, row: TrialRow) -> StudyTrial:
        """A trial as its worker sees it."""
        params = params_of(row.params)
        return StudyTrial(row.number, params, row.attempt, row.lease_until, self._ledger.uid)

    # -- leases -------------------------------------------------------------------------------

    def extend(self, trial: StudyTrial | int, seconds: float | None) -> bool:
        """Lend for so many seconds from now, or give back; False where it is not ours."""
        number = self._session.number(trial)
        with self._database.write() as connection:
            present = self._ledger.look(connection, lock=True)
            row = self._session.known(connection, number)
            ours = not isinstance(trial, StudyTrial) or trial.attempt == row.attempt
            if row.state != OPEN or not ours:
                return False
            until = _GIVEN_BACK if seconds is None else present.now + seconds
            self._ledger.change(connection, row._replace(lease_until=until))
            return True

    def reclaim(self) -> int:
        """Take back the trials of processes that ended on this machine; their number."""
        with self._database.read() as connection:
            if not any(map(_lost, self._ledger.open(connection))):
                return 0
        with self._database.write() as connection:
            self._ledger.look(connection, lock=True)
            lost = [trial for trial in self._ledger.open(connection) if _lost(trial)]
            for trial in lost:
                self._ledger.change(connection, trial._replace(lease_until=_TAKEN_BACK))
        return len(lost)

    # -- trials that callers want -------------------------------------------------------------

    def enqueue(self, params: dict[str, Any]) -> None:
        """A trial that has come back before it was ever lent."""
        with self._database.write() as connection:
            present = self._ledger.look(connection, lock=True)
            count = present.row.next_number
            trial = TrialRow(count, text_of(params), OPEN, present.now, _GIVEN_BACK, "", 0)
            self._ledger.add(connection, trial)
            self._ledger.save(connection, present.row._replace(next_number=count + 1))


def _check(present: Present, most: int | None) -> None:
    if most is not None and present.row.next_number >= most:
        raise _Full


def _lost(trial: TrialRow) -> bool:
    return trial.lease_until > _TAKEN_BACK and gone(trial.worker)
