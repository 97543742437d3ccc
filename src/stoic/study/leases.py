"""Lease trials to workers: suggest, renew, release, and lease again what was lost."""

from __future__ import annotations

import logging
import secrets
from typing import Any, NamedTuple

from stoic.forks import ForkAware
from stoic.study.opened import OpenStudy
from stoic.study.records import StudyTrial
from stoic.study.store.codec import params_of, text_of, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Present
from stoic.study.store.rows import FAILED, GIVEN_BACK, OPEN, TAKEN_BACK, UNKNOWN, Entry, TrialRow
from stoic.study.workers import gone, this_worker

__all__ = ["Leases"]

_LOG = logging.getLogger("stoic.study")
_MAX_LATE_SUGGESTIONS = 3  # before a suggestion is made while all other workers wait


class _Proposal(NamedTuple):
    """A suggestion, and what it was made from."""

    next_number: int
    entries: int
    params: dict[str, Any]


class _Full(Exception):
    """The study has as many trials as were wanted, and all open ones are leased."""


class Leases(ForkAware):
    """Leases the trials of a study to one worker: of a given name, or this process.

    A trial whose leases were lost ``max_lost`` times fails. Otherwise a trial that kills its
    workers would block the study for ever. With None there is no limit.
    """

    def __init__(self, opened: OpenStudy, worker: str | None, max_lost: int | None) -> None:
        self._opened, self._named, self._max_lost = opened, worker, max_lost
        self._database, self._ledger = opened.database, opened.ledger
        self._tokens: dict[int, str] = {}  # of the leases of this object
        self.join_forks()

    def after_fork_in_child(self) -> None:
        self._tokens = {}  # they are the parent's

    @property
    def worker(self) -> str:
        """The name of this worker; after a fork that of the child, which may end first."""
        return this_worker() if self._named is None else self._named

    # -- ask ----------------------------------------------------------------------------------

    def ask(self, seconds: float, budget: int | None = None) -> StudyTrial | None:
        """A trial that came back, or a new one; None where ``budget`` trials are all leased."""
        with self._opened.thinking:
            races = _MAX_LATE_SUGGESTIONS if self._opened.adviser.needs_history else 0
            try:
                for _ in range(races):
                    taken = self._take(seconds, budget, self._propose(budget))
                    if taken is not None:
                        return taken
                while (taken := self._take(seconds, budget, None, now=True)) is None:
                    pass  # trials were given up; the log must hold them before the next suggestion
                return taken
            except _Full:
                return None

    def _propose(self, budget: int | None) -> _Proposal | None:
        """A suggestion made while others may write; None where a trial waits to be leased again."""
        with self._database.read() as connection:
            present = self._ledger.present(connection)
            if self._ledger.expired(connection, present) is not None:
                return None
            _check(present, budget)
            row, pending = present.row, self._opened.pending(connection, present.row)
        params = self._opened.adviser.suggest(row.next_number, pending)
        return _Proposal(row.next_number, row.entries, params)

    def _take(
        self, seconds: float, budget: int | None, proposal: _Proposal | None, *, now: bool = False
    ) -> StudyTrial | None:
        """Lease a trial; None where the proposal is out of date, unless ``now``.

        Also None where trials were given up and the next suggestion depends on them.
        """
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            entries = present.row.entries
            expired = self._returned(connection, present)
            if expired is not None:
                return self._again(connection, expired, present, seconds)
            if present.row.entries != entries:
                return None
            row = present.row
            _check(present, budget)
            if proposal is not None and proposal[:2] == (row.next_number, row.entries):
                params = proposal.params
            elif now:
                params = self._suggest(connection, present)
            else:
                return None
            new = TrialRow(
                row.next_number, text_of(params), OPEN, present.now, 0.0, self.worker, 1, _token()
            )
            trial = present.leased(new, seconds)
            self._ledger.add(connection, trial)
            self._ledger.save(connection, row._replace(next_number=row.next_number + 1))
            return self._given(trial)

    def _suggest(self, connection: Connection, present: Present) -> dict[str, Any]:
        row = present.row
        if self._opened.adviser.needs_history:
            pending = self._opened.pending(connection, row)
        else:
            pending = []
            self._opened.keep_definition(connection, row)
        return self._opened.adviser.suggest(row.next_number, pending)

    def _returned(self, connection: Connection, present: Present) -> TrialRow | None:
        """A trial to lease again; those that were lost too often fail on the way."""
        while (trial := self._ledger.expired(connection, present)) is not None:
            if trial.expires == GIVEN_BACK:
                return trial
            trial = trial._replace(lost=trial.lost + 1)
            if self._max_lost is None or trial.lost < self._max_lost:
                return trial
            leases = "1 lease" if trial.lost == 1 else f"{trial.lost} leases"
            reason = written(f"given up: lost {leases} and never reported")
            _LOG.warning("trial %d is given up: it lost %s", trial.number, leases)
            entry = Entry(present.row.entries + 1, trial.number, 0, None, reason, present.now)
            present.row = self._ledger.append(connection, present, trial, entry)
            self._ledger.save(connection, present.row)
            self._ledger.change(connection, trial._replace(state=FAILED))
        return None

    def _again(
        self, connection: Connection, trial: TrialRow, present: Present, seconds: float
    ) -> StudyTrial:
        if trial.lost:
            _LOG.warning("trial %d lost its lease, and is asked again", trial.number)
        again = present.leased(trial, seconds)._replace(
            asked=present.now if trial.attempt == 0 else trial.asked,
            worker=self.worker,
            attempt=trial.attempt + 1,
            token=_token(),
        )
        self._ledger.change(connection, again)
        return self._given(again)

    def _given(self, row: TrialRow) -> StudyTrial:
        self._tokens[row.number] = row.token
        return self.leased(row)

    def leased(self, row: TrialRow) -> StudyTrial:
        """A trial as its worker sees it."""
        params = params_of(row.params)
        return StudyTrial(
            row.number, params, row.attempt, row.lease_until, self._ledger.uid, row.token
        )

    # -- leases -------------------------------------------------------------------------------

    def extend(self, trial: StudyTrial | int, seconds: float | None) -> bool:
        """Extend a lease to ``seconds`` from now, or end it (None); False where it is not ours.

        A lease is ours if the trial has its token. A number alone stands for the lease that this
        object was given.
        """
        number = self._opened.number(trial)
        own = trial.token if isinstance(trial, StudyTrial) else self._tokens.get(number, "")
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            row = self._opened.known(connection, number)
            if row.state != OPEN or not own or own != row.token:
                return False
            if seconds is None:
                row = row._replace(lease_until=GIVEN_BACK, expires=GIVEN_BACK, token="")
            else:
                row = present.leased(row, seconds)
            self._ledger.change(connection, row)
            return True

    def ended(self, number: int) -> None:
        """Forget a lease: its trial has an outcome."""
        self._tokens.pop(number, None)

    def reclaim(self) -> int:
        """Take back the trials of processes that ended on this machine; return their number.

        Some leases are measured by a clock that can't be read here: that of another machine, or
        of this one before its last start. From now on this machine's clock measures them, for
        their whole time. The store keeps this, so that they end even if this process does not
        stay.
        """
        with self._database.read() as connection:
            present = self._ledger.present(connection)
            if not any(_lost(t) or present.foreign(t) for t in self._ledger.open(connection)):
                return 0
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            trials = self._ledger.open(connection)
            lost = [trial for trial in trials if _lost(trial)]
            for trial in lost:
                _LOG.warning("trial %d is taken back from a worker that ended", trial.number)
                taken = trial._replace(lease_until=TAKEN_BACK, expires=TAKEN_BACK)
                self._ledger.change(connection, taken)
            for trial in trials:
                if present.foreign(trial) and not _lost(trial):
                    self._ledger.change(connection, _adopted(trial, present))
        return len(lost)

    # -- trials of the caller -----------------------------------------------------------------

    def enqueue(self, params: dict[str, Any]) -> None:
        """Add a trial that is leased before any suggestion."""
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            count = present.row.next_number
            trial = TrialRow(count, text_of(params), OPEN, present.now, GIVEN_BACK, "", 0)
            self._ledger.add(connection, trial)
            self._ledger.save(connection, present.row._replace(next_number=count + 1))


def _check(present: Present, budget: int | None) -> None:
    if budget is not None and present.row.next_number >= budget:
        raise _Full


def _lost(trial: TrialRow) -> bool:
    return trial.lease_until > TAKEN_BACK and gone(trial.worker)


def _adopted(trial: TrialRow, present: Present) -> TrialRow:
    """The trial with its whole lease measured by the present clock."""
    if trial.expires != UNKNOWN:
        return present.leased(trial, trial.lease)
    if trial.lease_until <= TAKEN_BACK:  # of format 1, and over
        return trial._replace(expires=trial.lease_until)
    return present.leased(trial, max(trial.lease_until - trial.asked, 0.0))


def _token() -> str:
    return secrets.token_hex(8)
