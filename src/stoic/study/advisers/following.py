"""An adviser that follows the log of a study, entry by entry."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stoic.errors import InvalidInput, StoreDamaged
from stoic.printable import visible
from stoic.study.advisers import Adviser, LeftOut, Mark, Observation
from stoic.study.advisers.bandits import PolicyAdviser
from stoic.study.advisers.optimizers import OptimizerAdviser, RandomAdviser
from stoic.study.definition import Definition
from stoic.study.marks.additions import changed
from stoic.study.marks.exclusions import Exclusions
from stoic.study.marks.finals import mark_of
from stoic.study.store.codec import params_of
from stoic.study.store.rows import Entry, TrialRow, first_head

if TYPE_CHECKING:
    from stoic.policies import Policy

_LOG = logging.getLogger("stoic.study")

__all__ = ["Follower", "Logged", "adviser_of", "logged", "observation_of"]

# An entry, the parameters of its trial as they are stored, and the worker that told its outcome.
Logged = tuple[Entry, str, str]


def adviser_of(definition: Definition, policy: Policy | None = None) -> Adviser:
    """The adviser of a study; ``policy`` provides a schedule that could not be stored."""
    if definition.policy is not None:
        return PolicyAdviser(definition, policy)
    return (RandomAdviser if definition.method == "random" else OptimizerAdviser)(definition)


def observation_of(entry: Entry, params: str) -> Observation | Mark:
    """An entry of the log as its adviser takes it, with the parameters of its trial."""
    if entry.is_mark:
        return mark_of(entry)
    return entry.trial, params_of(params), *entry.outcome


def logged(entry: Entry, trial: TrialRow | None) -> Logged:
    """An entry of the log with what a follower needs of its trial."""
    return (entry, "", "") if trial is None else (entry, trial.params, trial.worker)


class Follower:
    """The adviser of a study with the first ``seen`` entries of its log, and its definition then.

    The adviser is a cache of the log: `forget` drops it, and the log is then taken from the start.
    """

    def __init__(
        self, name: str, uid: str, definition: Definition, policy: Policy | None = None
    ) -> None:
        self.definition = definition
        self._name, self._uid, self._policy = name, uid, policy
        self.forget()

    def forget(self) -> None:
        """Begin again, with an adviser that has no entry."""
        self._adviser: Adviser | None = None
        self.seen, self.head = 0, first_head(self._uid)
        self.change_seq = 0  # the last entry that changed the definition
        self.excluded = Exclusions()

    def begin(self, last: Entry | None) -> None:
        """Begin with the definition after the last change of it, and no other entry."""
        if last is not None:
            self.definition = changed(self.definition, last)
            self._adviser, self.change_seq = None, last.seq

    @property
    def adviser(self) -> Adviser:
        """The adviser, with the entries so far."""
        if self._adviser is None:
            self._adviser = adviser_of(self.definition, self._policy)
        return self._adviser

    def needs_all(self, entries: Sequence[Logged]) -> bool:
        """Whether the adviser begins again: the definition changes, or what is excluded."""
        return self.seen > 0 and any(e.is_change or e.is_exclusion for e, _, _ in entries)

    def take(self, entries: Sequence[Logged], seen: int, head: str) -> None:
        """Take in the entries up to ``seen``, whose digest is ``head``."""
        changes = [entry for entry, _, _ in entries if entry.is_change]
        if changes:
            before, self.definition = self.definition, changed(self.definition, changes[-1])
            self._adviser, self.change_seq = None, changes[-1].seq
            for text in before.changes(self.definition):
                _LOG.info("study %r goes on in another way: %s", self._name, visible(text))
        try:
            for entry, _, _ in entries:
                self.excluded.take(entry)
            self.adviser.take_log([self._shown(*e) for e in entries if not _of_users(e[0])])
        except BaseException as error:
            self.forget()  # it may hold half of them
            if isinstance(error, InvalidInput):
                raise StoreDamaged(f"study {self._name!r} holds what it can't: {error}") from error
            raise
        self.seen, self.head = seen, head

    def _shown(self, entry: Entry, params: str, worker: str) -> Observation | Mark | LeftOut:
        if not entry.is_mark and self.excluded.covers(entry, worker):
            return LeftOut(entry.trial)
        return observation_of(entry, params)


def _of_users(entry: Entry) -> bool:
    """Whether an entry is for people, or taken in before the adviser sees the log."""
    return entry.is_aside or entry.is_change
