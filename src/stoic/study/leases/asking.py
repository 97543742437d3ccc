"""Ask for trials: those that came back first, then suggestions."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from stoic.study.leases.holding import Leases
from stoic.study.leases.keys import random_token, token_of
from stoic.study.opened import OpenStudy
from stoic.study.records import StudyTrial
from stoic.study.store.codec import text_of, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Present
from stoic.study.store.rows import FAILED, GIVEN_BACK, OPEN, Entry, TrialRow

__all__ = ["Asking", "Wish"]

_LOG = logging.getLogger("stoic.study")
_MAX_LATE_SUGGESTIONS = 3  # before a suggestion is made while all other workers wait


class Wish(NamedTuple):
    """What a worker asks for."""

    seconds: float  # of the lease
    budget: int | None = None  # no more trials than these
    key: str | None = None  # of an ask that may be repeated
    worker: str | None = None  # who asks; None for this worker


class _Proposal(NamedTuple):
    """A suggestion, and what it was made from."""

    next_number: int
    entries: int
    params: dict[str, Any]


class _Full(Exception):
    """The study has as many trials as were wanted, and all open ones are leased."""


class Asking(Leases):
    """Leases that are given: to this worker, or to others in whose name it asks.

    A trial whose leases were lost ``max_lost`` times fails. Otherwise a trial that kills its
    workers would block the study for ever. With None there is no limit.
    """

    def __init__(self, opened: OpenStudy, worker: str | None, max_lost: int | None) -> None:
        super().__init__(opened, worker)
        self._max_lost = max_lost

    def ask(self, wish: Wish) -> StudyTrial | None:
        """A trial that came back, or a new one; None where the budget's trials are all leased."""
        with self._opened.thinking:
            races = _MAX_LATE_SUGGESTIONS if self._opened.adviser.needs_history else 0
            try:
                for _ in range(races):
                    taken = self._take(wish, self._propose(wish))
                    if taken is not None:
                        return taken
                while (taken := self._take(wish, None, now=True)) is None:
                    pass  # trials were given up; the log must hold them before the next suggestion
                return taken
            except _Full:
                return None

    def _propose(self, wish: Wish) -> _Proposal | None:
        """A suggestion made while others may write; None where none is needed."""
        with self._database.read() as connection:
            present = self._ledger.present(connection)
            if self._known(connection, wish) is not None:
                return None
            if self._ledger.expired(connection, present) is not None:
                return None
            _check(present, wish.budget)
            row, pending = present.row, self._opened.pending(connection, present.row)
        params = self._opened.adviser.suggest(row.next_number, pending)
        return _Proposal(row.next_number, row.entries, params)

    def _take(
        self, wish: Wish, proposal: _Proposal | None, *, now: bool = False
    ) -> StudyTrial | None:
        """Lease a trial; None where the proposal is out of date, unless ``now``.

        Also None where trials were given up and the next suggestion depends on them.
        """
        with self._database.write() as connection:
            present = self._ledger.present(connection, lock=True)
            known = self._known(connection, wish)
            if known is not None:
                return self._repeated(connection, known, present, wish)
            entries = present.row.entries
            expired = self._returned(connection, present)
            if expired is not None:
                return self._again(connection, expired, present, wish)
            if present.row.entries != entries:
                return None
            row = present.row
            _check(present, wish.budget)
            if proposal is not None and proposal[:2] == (row.next_number, row.entries):
                params = proposal.params
            elif now:
                params = self._suggest(connection, present)
            else:
                return None
            return self._new(connection, params, present, wish)

    def _suggest(self, connection: Connection, present: Present) -> dict[str, Any]:
        row = present.row
        if self._opened.adviser.needs_history:
            pending = self._opened.pending(connection, row)
        else:
            pending = []
            self._opened.keep_definition(connection, row)
        return self._opened.adviser.suggest(row.next_number, pending)

    # -- which trial it is --------------------------------------------------------------------

    def _known(self, connection: Connection, wish: Wish) -> TrialRow | None:
        """The trial that an ask with the same key was given; None where another has it now."""
        if wish.key is None:
            return None
        return self._ledger.of_token(connection, token_of(self._ledger.uid, wish.key))

    def _repeated(
        self, connection: Connection, trial: TrialRow, present: Present, wish: Wish
    ) -> StudyTrial:
        """The same trial once more; while it is open, its lease begins anew."""
        if trial.state == OPEN:
            trial = present.leased(trial, wish.seconds)._replace(worker=self._who(wish))
            self._ledger.change(connection, trial)
        return self._given(trial)

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
        self, connection: Connection, trial: TrialRow, present: Present, wish: Wish
    ) -> StudyTrial:
        if trial.lost:
            _LOG.warning("trial %d lost its lease, and is asked again", trial.number)
        again = present.leased(trial, wish.seconds)._replace(
            asked=present.now if trial.attempt == 0 else trial.asked,
            worker=self._who(wish),
            attempt=trial.attempt + 1,
            token=self._token(wish),
        )
        self._ledger.change(connection, again)
        return self._given(again)

    def _new(
        self, connection: Connection, params: dict[str, Any], present: Present, wish: Wish
    ) -> StudyTrial:
        number, text = present.row.next_number, text_of(params)
        who, token = self._who(wish), self._token(wish)
        row = TrialRow(number, text, OPEN, present.now, 0.0, who, 1, token)
        trial = present.leased(row, wish.seconds)
        self._ledger.add(connection, trial)
        self._ledger.save(connection, present.row._replace(next_number=number + 1))
        return self._given(trial)

    def _who(self, wish: Wish) -> str:
        return self.worker if wish.worker is None else wish.worker

    def _token(self, wish: Wish) -> str:
        return random_token() if wish.key is None else token_of(self._ledger.uid, wish.key)


def _check(present: Present, budget: int | None) -> None:
    if budget is not None and present.row.next_number >= budget:
        raise _Full
