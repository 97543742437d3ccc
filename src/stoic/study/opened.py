"""An open study: its store, its rows, and an adviser that follows the log."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from stoic.checks import given_direction
from stoic.errors import (
    InvalidInput,
    StoreDamaged,
    StoreMissing,
    StoreUnavailable,
    UnknownStudy,
    UnknownTrial,
)
from stoic.forks import ForkAware, held_elsewhere
from stoic.study.advisers import Adviser
from stoic.study.advisers.following import Follower, Logged, logged
from stoic.study.definition import Definition, StudyArguments
from stoic.study.marks.additions import change, last_change, present_definition
from stoic.study.records import numbered
from stoic.study.store import Database, open_store
from stoic.study.store.codec import params_of
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, create, find, names
from stoic.study.store.rows import StudyRow, TrialRow
from stoic.study.store.verify import not_behind, verify

_LOG = logging.getLogger("stoic.study")

__all__ = ["OpenStudy", "Use"]


@dataclass(frozen=True)
class Use:
    """What a study is opened for: a server opens it several times, each time for a part."""

    follows: bool = True  # else the adviser gets the log when it is first needed, if ever
    verifies: bool = True  # else another connection of the process has just verified the study
    reclaims: bool = True  # trials of workers that ended on this machine


class OpenStudy(ForkAware):
    """One study of one store, verified when opened, with an adviser that follows the log.

    A thread holds the lock ``thinking`` while it uses the adviser, and never waits for it within
    a transaction. In a child that was forked while another thread held it, a new adviser is made.
    A store that was given open is shared, and stays open.
    """

    def __init__(
        self,
        store: object,
        name: str,
        arguments: StudyArguments,
        mode: int = 0o600,
        use: Use | None = None,
    ) -> None:
        self.name, self._use = name, use or Use()
        wanted = Definition.of(arguments) if arguments.enough else None
        self._shared = isinstance(store, Database)
        self.database = _opened(store, name, arguments, mode)
        self._thinking = threading.RLock()
        self._undone = self.database.undone
        try:
            row, definition = self._found(arguments, wanted)
            definition = definition.asking(arguments)
            changed = definition.continued(arguments, name) != definition
            self.ledger = Ledger(self.database, row)
            self._follower = Follower(name, row.uid, definition, arguments.policy)
            self.join_forks()
            self._load()
            self.changes = self._change(arguments) if changed else ()
            _LOG.info("study %r is open with %d entries in its log", name, self.seen)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the store, unless it is shared."""
        if not self._shared:
            self.database.close()

    @property
    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Held by the thread that uses the adviser; within a group of operations, nobody waits."""
        if not self._thinking.acquire(blocking=not self.database.grouped):
            raise StoreUnavailable(
                f"expected study {self.name!r} to be free within a group of operations, got one "
                "whose model another thread uses; ask with a proposal, or try again"
            )
        try:
            yield
        finally:
            self._thinking.release()

    def _found(
        self, arguments: StudyArguments, wanted: Definition | None
    ) -> tuple[StudyRow, Definition]:
        counters = self.database.counters()
        with self.database.read() as connection:
            if self._use.verifies:
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
        if self.database.grouped:
            raise InvalidInput("expected to change a study apart from a group of operations")
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
            if not self._use.follows or not self.adviser.needs_history:
                if self._use.verifies:
                    verify(connection, self.ledger, row)
                self._follower.begin(last_change(connection, self.ledger))
                return
            entries: list[Logged] = []
            verify(connection, self.ledger, row, lambda *each: entries.append(each))
            self._follower.take(entries, row.entries, row.head)

    # -- the adviser --------------------------------------------------------------------------

    @property
    def definition(self) -> Definition:
        """What the study is about, as far as the adviser has the log."""
        return self._follower.definition

    @property
    def adviser(self) -> Adviser:
        """The adviser, with the log up to the last `catch_up`."""
        return self._follower.adviser

    @property
    def seen(self) -> int:
        """How many entries of the log the adviser has."""
        return self._follower.seen

    def after_fork_in_child(self) -> None:
        if held_elsewhere(self._thinking):
            self._thinking = threading.RLock()
            self._follower.forget()

    def catch_up(self, connection: Connection, row: StudyRow) -> None:
        """Give the adviser the entries of the log that are new to it."""
        follower = self._follower
        if self._undone != self.database.undone:  # it may hold entries that were never written
            self._undone = self.database.undone
            follower.forget()
        other = row.entries == follower.seen and row.head != follower.head
        if row.entries < follower.seen or other:
            raise StoreDamaged(
                f"expected the log of study {self.name!r} to go on from entry {follower.seen}, got "
                f"another of {row.entries} entries; was it replaced by an old copy?"
            )
        entries = self._after(connection, row)
        if follower.needs_all(entries):
            follower.forget()
            entries = self._after(connection, row)
        follower.take(entries, row.entries, row.head)

    def keep_definition(self, connection: Connection, row: StudyRow) -> None:
        """Take in a changed definition, where the adviser needs nothing else of the log."""
        last = last_change(connection, self.ledger)
        if last is None or last.seq <= self._follower.change_seq:
            return
        if self._follower.seen:
            self.catch_up(connection, row)
        else:
            self._follower.begin(last)

    def renew_definition(self) -> None:
        """Take in a definition that another worker changed."""
        with self.thinking, self.database.read() as connection:
            self.keep_definition(connection, self.ledger.present(connection).row)

    def _after(self, connection: Connection, row: StudyRow) -> list[Logged]:
        """Entries that are new to the adviser."""
        follower = self._follower
        after = self.ledger.entries(connection, row, follower.seen, follower.head)
        return [logged(entry, trial) for entry, trial in after]

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
        return numbered(trial, self.ledger.uid, self.name)

    def known(self, connection: Connection, number: int) -> TrialRow:
        """The trial of that number, or `UnknownTrial`."""
        row = self.ledger.trial(connection, number)
        if row is None:
            raise UnknownTrial(
                f"expected a trial of study {self.name!r}, got number {number}, which was never "
                "asked; tell what ask() gave"
            )
        return row


def _opened(store: object, name: str, arguments: StudyArguments, mode: int) -> Database:
    if isinstance(store, Database):
        return store
    try:
        return open_store(store, make=arguments.enough, mode=mode)
    except StoreMissing as error:
        if arguments.space is not None:
            given_direction(arguments.direction)
        raise UnknownStudy(f"expected study {name!r}: {error}") from error
