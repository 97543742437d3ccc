"""An open study: its store, its rows, and an adviser that follows the log."""

from __future__ import annotations

import logging
import threading
import uuid
from typing import TYPE_CHECKING, Any

from stoic.checks import given_direction, integer
from stoic.errors import InvalidInput, StoreDamaged, StoreMissing, UnknownStudy, UnknownTrial
from stoic.forks import ForkAware
from stoic.printable import visible
from stoic.study.advisers import Adviser, Mark, Observation
from stoic.study.advisers.bandits import PolicyAdviser
from stoic.study.advisers.optimizers import OptimizerAdviser, RandomAdviser
from stoic.study.definition import Definition, StudyArguments
from stoic.study.marks.additions import change, changed, last_change, present_definition
from stoic.study.marks.finals import mark_of
from stoic.study.records import StudyTrial, TrialRecord
from stoic.study.store import Database, open_store
from stoic.study.store.codec import params_of
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, create, find, names
from stoic.study.store.rows import Entry, StudyRow, TrialRow, first_head
from stoic.study.store.verify import not_behind, verify

if TYPE_CHECKING:
    from stoic.policies import Policy

_LOG = logging.getLogger("stoic.study")

__all__ = ["OpenStudy", "adviser_of", "observation_of"]


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


class OpenStudy(ForkAware):
    """One study of one store, verified when opened, with an adviser that follows the log.

    A thread holds the lock ``thinking`` while it uses the adviser, and never waits for it within
    a transaction. In a child that was forked while another thread held it, a new adviser is made.
    """

    def __init__(
        self, store: object, name: str, arguments: StudyArguments, mode: int = 0o600
    ) -> None:
        self.name = name
        wanted = Definition.of(arguments) if arguments.enough else None
        self.database = _opened(store, name, arguments, mode)
        self._policy: Policy | None = arguments.policy
        self.thinking = threading.RLock()
        try:
            row, self.definition = self._found(arguments, wanted)
            self.definition = self.definition.asking(arguments)
            changed = self.definition.continued(arguments, name) != self.definition
            self.ledger = Ledger(self.database, row)
            self._forget()
            self.join_forks()
            self._load()
            self.changes = self._change(arguments) if changed else ()
            _LOG.info("study %r is open with %d entries in its log", name, self._seen)
        except BaseException:
            self.database.close()
            raise

    def _found(
        self, arguments: StudyArguments, wanted: Definition | None
    ) -> tuple[StudyRow, Definition]:
        counters = self.database.counters()
        with self.database.read() as connection:
            self.database.check(connection)
            not_behind(connection, counters, self.database.url.path)
            found = find(connection, self.name)
            others = names(connection)
            if found is not None:
                return self._defined(connection, *found)
        if wanted is None:
            if arguments.space is not None:
                given_direction(arguments.direction)
            raise UnknownStudy(
                f"expected a study among {', '.join(map(repr, others)) or 'none'}, "
                f"got {self.name!r}; give a space to make it"
            )
        with self.database.write() as connection:
            self.database.exclusive(connection)
            found = find(connection, self.name)  # another process may have made it
            if found is None:
                now = self.database.present(connection)
                row = create(connection, uuid.uuid4().hex, self.name, now, wanted.text())
                self.database.note(row)
                return row, wanted
            return self._defined(connection, *found)

    def _defined(
        self, connection: Connection, row: StudyRow, text: str
    ) -> tuple[StudyRow, Definition]:
        return row, present_definition(connection, Ledger(self.database, row), text)

    def _change(self, arguments: StudyArguments) -> tuple[str, ...]:
        """Go on with the definition as given, unless another process did; return what changed."""
        before = self.definition
        with self.database.write() as connection:
            present = self.ledger.present(connection, lock=True)
            self.catch_up(connection, present.row)
            wanted = self.definition.continued(arguments, self.name)
            if wanted != self.definition:
                change(connection, self.ledger, present, wanted)
        self.informed()
        return tuple(before.changes(self.definition))

    def _load(self) -> None:
        with self.database.read() as connection:
            row = self.ledger.present(connection).row
            if not self.adviser.needs_history:
                verify(connection, self.ledger, row)
                return
            entries: list[tuple[Entry, str]] = []
            verify(connection, self.ledger, row, lambda *both: entries.append(both))
            self._take(entries, row)

    # -- the adviser --------------------------------------------------------------------------

    def _forget(self) -> None:
        """Make a new adviser; it is a cache of the log."""
        self._adviser: Adviser | None = None
        self._seen, self._head, self._change_seq = 0, first_head(self.ledger.uid), 0

    @property
    def adviser(self) -> Adviser:
        """The adviser, with the log up to the last `catch_up`."""
        if self._adviser is None:
            self._adviser = adviser_of(self.definition, self._policy)
        return self._adviser

    @property
    def seen(self) -> int:
        """How many entries of the log the adviser has."""
        return self._seen

    def after_fork_in_child(self) -> None:
        if self.thinking.acquire(blocking=False):  # free, or held by the thread that forked
            self.thinking.release()
        else:
            self.thinking = threading.RLock()
            self._forget()

    def catch_up(self, connection: Connection, row: StudyRow) -> None:
        """Give the adviser the entries of the log that are new to it."""
        if row.entries < self._seen or (row.entries == self._seen and row.head != self._head):
            raise StoreDamaged(
                f"expected the log of study {self.name!r} to go on from entry {self._seen}, got "
                f"another of {row.entries} entries; was it replaced by an old copy?"
            )
        entries = self._after(connection, row)
        if self._seen and any(entry.is_change for entry, _ in entries):
            self._forget()  # the adviser begins again, with the changed definition
            entries = self._after(connection, row)
        self._take(entries, row)

    def keep_definition(self, connection: Connection, row: StudyRow) -> None:
        """Take in a changed definition, where the adviser needs nothing else of the log."""
        last = last_change(connection, self.ledger)
        if last is not None and last.seq > self._change_seq:
            self.catch_up(connection, row)

    def _after(self, connection: Connection, row: StudyRow) -> list[tuple[Entry, str]]:
        """Entries that are new to the adviser, with the parameters of their trials."""
        after = self.ledger.entries(connection, row, self._seen, self._head)
        return [(entry, "" if trial is None else trial.params) for entry, trial in after]

    def _take(self, entries: list[tuple[Entry, str]], row: StudyRow) -> None:
        changes = [entry for entry, _ in entries if entry.is_change]
        if changes:
            before, self.definition = self.definition, changed(self.definition, changes[-1])
            self._adviser, self._change_seq = None, changes[-1].seq
            for text in before.changes(self.definition):
                _LOG.info("study %r goes on in another way: %s", self.name, visible(text))
        try:
            self.adviser.take_log([observation_of(*e) for e in entries if not _of_users(e[0])])
        except BaseException as error:
            self._forget()  # it may hold half of them
            if isinstance(error, InvalidInput):
                raise StoreDamaged(f"study {self.name!r} holds what it can't: {error}") from error
            raise
        self._seen, self._head = row.entries, row.head

    def informed(self) -> Adviser:
        """The adviser, with the whole log."""
        with self.thinking:
            with self.database.read() as connection:
                self.catch_up(connection, self.ledger.present(connection).row)
            return self.adviser

    def pending(self, connection: Connection, row: StudyRow) -> list[dict[str, Any]]:
        """Bring the adviser up to date; return the configurations under evaluation."""
        self.catch_up(connection, row)
        return [params_of(trial.params) for trial in self.ledger.open(connection)]

    # -- trials that callers name -------------------------------------------------------------

    def number(self, trial: object) -> int:
        """The number of a trial of this study."""
        if isinstance(trial, StudyTrial) and trial.study != self.ledger.uid:
            raise UnknownTrial(
                f"expected a trial of study {self.name!r}, got trial {trial.number} of another "
                "study; tell it there"
            )
        if isinstance(trial, StudyTrial | TrialRecord):
            trial = trial.number
        return integer(trial, "trial", at_least=-(2**62), at_most=2**62)

    def known(self, connection: Connection, number: int) -> TrialRow:
        """The trial of that number, or `UnknownTrial`."""
        row = self.ledger.trial(connection, number)
        if row is None:
            raise UnknownTrial(
                f"expected a trial of study {self.name!r}, got number {number}, which was never "
                "asked; tell what ask() gave"
            )
        return row


def _of_users(entry: Entry) -> bool:
    """Whether an entry is for people, or taken in before the adviser is made."""
    return entry.is_note or entry.is_change


def _opened(store: object, name: str, arguments: StudyArguments, mode: int) -> Database:
    try:
        return open_store(store, make=arguments.enough, mode=mode)
    except StoreMissing as error:
        if arguments.space is not None:
            given_direction(arguments.direction)
        raise UnknownStudy(f"expected study {name!r}: {error}") from error
