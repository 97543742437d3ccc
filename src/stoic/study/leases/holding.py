"""Leases of trials: who has them, for how long, and what became of those that were lost."""

from __future__ import annotations

import logging
from typing import Any

from stoic.study.leases.holder import LeaseHolder
from stoic.study.marks.additions import append_mark
from stoic.study.opened import OpenStudy
from stoic.study.records import StudyTrial
from stoic.study.store.codec import params_of, text_of, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Present
from stoic.study.store.rows import GIVEN_BACK, OPEN, TAKEN_BACK, UNKNOWN, TrialRow
from stoic.study.workers import gone

__all__ = ["Leases"]

_LOG = logging.getLogger("stoic.study")


class Leases(LeaseHolder):
    """The leases of one worker in a store."""

    def __init__(self, opened: OpenStudy, worker: str | None) -> None:
        self._opened, self._database, self._ledger = opened, opened.database, opened.ledger
        super().__init__(worker)

    def ended(self, number: int) -> None:
        """Forget a lease: its trial has an outcome."""
        self._ended(number)

    def _given(self, row: TrialRow, made: str) -> StudyTrial:
        return self._keep(self.leased(row, made))

    def leased(self, row: TrialRow, made: str = "") -> StudyTrial:
        """A trial as its worker sees it."""
        uid, params = self._ledger.uid, params_of(row.params)
        return StudyTrial(row.number, params, row.attempt, row.lease_until, uid, row.token, made)

    # -- leases -------------------------------------------------------------------------------

    def extend(self, trial: StudyTrial | int, seconds: float | None) -> bool:
        """Extend a lease to ``seconds`` from now, or end it (None); False where it is not ours.

        A lease is ours if the trial has its token. A number alone stands for the lease that this
        object was given.
        """
        number = self._opened.number(trial)
        own = self._lease_of(trial, number)
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            row = self._opened.known(connection, number)
            if row.state != OPEN or not own or own != row.token or row.attempt == 0:
                return False
            if seconds is None:
                row = row._replace(lease_until=GIVEN_BACK, expires=GIVEN_BACK, token="")
            else:
                row = present.leased(row, seconds)
            self._ledger.change(connection, row)
            return True

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

    def enqueue(self, params: dict[str, Any], token: str) -> None:
        """Add a trial that is leased before any suggestion; none with a token that is known."""
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            if token and self._was_enqueued(connection, token):
                return
            count = present.row.next_number
            trial = TrialRow(count, text_of(params), OPEN, present.now, GIVEN_BACK, "", 0, token)
            self._ledger.add(connection, trial)
            present.row = present.row._replace(next_number=count + 1)
            self._ledger.save(connection, present.row)
            if token:  # the trial itself forgets it when it is asked
                content = written({"enqueued": token})
                append_mark(connection, self._ledger, present, count, content)

    def _was_enqueued(self, connection: Connection, token: str) -> bool:
        """Whether a trial was enqueued with this token, and perhaps asked since."""
        if self._ledger.of_token(connection, token) is not None:
            return True
        sql = "SELECT 1 FROM stoic_log WHERE study = ? AND measurement < 0 AND reason = ?"
        content = written({"enqueued": token})
        return connection.value(sql, (self._ledger.id, content)) is not None


def _lost(trial: TrialRow) -> bool:
    return trial.lease_until > TAKEN_BACK and gone(trial.worker)


def _adopted(trial: TrialRow, present: Present) -> TrialRow:
    """The trial with its whole lease measured by the present clock."""
    if trial.expires != UNKNOWN:
        return present.leased(trial, trial.lease)
    if trial.lease_until <= TAKEN_BACK:  # of format 1, and over
        return trial._replace(expires=trial.lease_until)
    return present.leased(trial, max(trial.lease_until - trial.asked, 0.0))
