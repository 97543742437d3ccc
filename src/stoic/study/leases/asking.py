"""Ask for trials: those that came back first, then suggestions."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from stoic.errors import InvalidInput, StaleProposal
from stoic.randomness import generator
from stoic.study.leases.holding import Leases
from stoic.study.leases.keys import random_token, token_of
from stoic.study.opened import OpenStudy
from stoic.study.records import Proposal, StudyTrial
from stoic.study.store.codec import params_of, text_of, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Present
from stoic.study.store.rows import FAILED, GIVEN_BACK, OPEN, Entry, StudyRow, TrialRow

__all__ = ["Asking", "Wish"]

_LOG = logging.getLogger("stoic.study")
_MAX_LATE_SUGGESTIONS = 3  # before a suggestion is made while all other workers wait
_MAX_DRAWS = 20  # of one configuration, until it is one that is not under evaluation
_EARLIER = dict.fromkeys(("model", "batch"), "earlier-model")  # of proposals that are out of date


class Wish(NamedTuple):
    """What a worker asks for."""

    seconds: float  # of the lease
    budget: int | None = None  # no more trials than these
    key: str | None = None  # of an ask that may be repeated
    worker: str | None = None  # who asks; None for this worker
    proposal: Proposal | None = None  # to take instead of a suggestion of this process
    stale_ok: bool = False  # whether to take it also when it is out of date


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
        try:
            if wish.proposal is not None:
                return self._ask_for(wish, wish.proposal)
            with self._opened.thinking:
                races = _MAX_LATE_SUGGESTIONS if self._opened.adviser.needs_history else 0
                for _ in range(races):
                    taken = self._take(wish, self._proposal(wish))
                    if taken is not None:
                        return taken
                while (taken := self._take(wish, None, now=True)) is None:
                    pass  # trials were given up; the log must hold them before the next suggestion
                return taken
        except _Full:
            return None

    def _ask_for(self, wish: Wish, proposal: Proposal) -> StudyTrial:
        """Take a proposal, without a thought; `StaleProposal` where it is out of date."""
        if proposal.study != self._ledger.uid:
            raise InvalidInput("expected a proposal for this study, got one for another; drop it")
        taken = self._take(wish, proposal)
        while taken is None and wish.stale_ok:  # trials were given up on the way
            taken = self._take(wish, proposal)
        if taken is None:
            raise StaleProposal(
                f"expected a proposal for the study as it is, got one for trial {proposal.number} "
                f"after {proposal.entries} entries of its log; let another be made, or take it as "
                "it is with stale_ok=True"
            )
        return taken

    # -- suggestions --------------------------------------------------------------------------

    def suggest(self, count: int) -> list[Proposal]:
        """Suggestions for the next trials, made while others may write."""
        with self._opened.thinking:
            with self._database.read() as connection:
                row = self._ledger.present(connection).row
                pending = self._pending(connection, row)
            made: list[Proposal] = []
            for number in range(row.next_number, row.next_number + count):
                before = tuple(each.params for each in made)
                params = self._opened.adviser.suggest(number, [*pending, *before])
                made.append(self._of(row, params, before))
            return made

    def suggest_quickly(self, count: int, beside: Sequence[Mapping[str, Any]]) -> list[Proposal]:
        """Suggestions for the next trials that share the work; ``beside`` will be asked as well."""
        with self._opened.thinking:
            with self._database.read() as connection:
                row = self._ledger.present(connection).row
                pending = [*self._pending(connection, row), *beside]
            adviser = self._opened.adviser
            made: list[Proposal] = []
            for params in adviser.suggest_quickly(row.next_number, count, pending):
                before = tuple(each.params for each in made)
                made.append(self._of(row, params, before, "batch"))
            return made

    def draw(self, count: int) -> list[Proposal]:
        """Uniform draws for the next trials, without the model; none is under evaluation.

        In a space where all is under evaluation, some may be.
        """
        with self._database.read() as connection:
            row = self._ledger.present(connection).row
            taken = [trial.params for trial in self._ledger.open(connection)]
        definition = self._opened.definition
        made: list[Proposal] = []
        for number in range(row.next_number, row.next_number + count):
            random = generator(definition.seed, number)
            for _ in range(_MAX_DRAWS):
                text = text_of(definition.space.decode(definition.space.draw(random)))
                if text not in taken:
                    break
            taken.append(text)
            before = tuple(each.params for each in made)
            made.append(self._of(row, params_of(text), before, "random"))
        return made

    def _proposal(self, wish: Wish) -> Proposal | None:
        """A suggestion made while others may write; None where none is needed."""
        with self._database.read() as connection:
            present = self._ledger.present(connection)
            if self._known(connection, wish) is not None:
                return None
            if self._ledger.expired(connection, present) is not None:
                return None
            _check(present, wish.budget)
            row, pending = present.row, self._opened.pending(connection, present.row)
        return self._of(row, self._opened.adviser.suggest(row.next_number, pending))

    def _suggest(self, connection: Connection, present: Present) -> Proposal:
        """A suggestion made while all other workers wait."""
        pending = self._pending(connection, present.row)
        return self._of(present.row, self._opened.adviser.suggest(present.row.next_number, pending))

    def _pending(self, connection: Connection, row: StudyRow) -> list[dict[str, Any]]:
        """What is under evaluation, for an adviser that is up to date."""
        if self._opened.adviser.needs_history:
            return self._opened.pending(connection, row)
        self._opened.keep_definition(connection, row)
        return []

    def _of(
        self,
        row: StudyRow,
        params: dict[str, Any],
        before: tuple[dict[str, Any], ...] = (),
        made: str = "",
    ) -> Proposal:
        exact = params_of(text_of(params))  # as the store will give it
        how = made or ("random" if self._opened.definition.method == "random" else "model")
        number = row.next_number + len(before)
        return Proposal(self._ledger.uid, number, row.entries, exact, before, how)

    def _is_present(self, connection: Connection, proposal: Proposal, row: StudyRow) -> bool:
        """Whether a proposal is for the study as it is."""
        if (proposal.number, proposal.entries) != (row.next_number, row.entries):
            return False
        first = proposal.number - len(proposal.before)
        there = [self._ledger.trial(connection, n) for n in range(first, proposal.number)]
        return [t and t.params for t in there] == [text_of(each) for each in proposal.before]

    # -- which trial it is --------------------------------------------------------------------

    def _take(
        self, wish: Wish, proposal: Proposal | None, *, now: bool = False
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
            _check(present, wish.budget)
            if proposal is not None and not self._is_present(connection, proposal, present.row):
                how = _EARLIER.get(proposal.made, proposal.made)
                proposal = replace(proposal, made=how) if wish.stale_ok else None
            if proposal is None and now:
                proposal = self._suggest(connection, present)
            return None if proposal is None else self._new(connection, proposal, present, wish)

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
        return self._given(trial, "again")

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
        return self._given(again, "queue")

    def _new(
        self, connection: Connection, proposal: Proposal, present: Present, wish: Wish
    ) -> StudyTrial:
        number, text = present.row.next_number, text_of(proposal.params)
        who, token = self._who(wish), self._token(wish)
        row = TrialRow(number, text, OPEN, present.now, 0.0, who, 1, token)
        trial = present.leased(row, wish.seconds)
        self._ledger.add(connection, trial)
        self._ledger.save(connection, present.row._replace(next_number=number + 1))
        return self._given(trial, proposal.made)

    def _who(self, wish: Wish) -> str:
        return self.worker if wish.worker is None else wish.worker

    def _token(self, wish: Wish) -> str:
        return random_token() if wish.key is None else token_of(self._ledger.uid, wish.key)


def _check(present: Present, budget: int | None) -> None:
    if budget is not None and present.row.next_number >= budget:
        raise _Full
