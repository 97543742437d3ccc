"""Reads of the store, in threads of their own: lists, counts and the log; and long ones apart."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from stoic.errors import UnknownStudy
from stoic.server.store.opening import Reading, Studies
from stoic.server.store.writing import StudyRef
from stoic.study import Study, StudySummary, TrialRecord, summaries
from stoic.study.definition import Definition, StudyArguments
from stoic.study.exchange.logs import log_page
from stoic.study.listing import identified
from stoic.study.marks.additions import present_definition
from stoic.study.store import Database, open_store
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, find
from stoic.study.store.rows import FAILED, OPEN, Entry, StudyRow

__all__ = ["Position", "Reader"]

_MAX_OPEN = 64  # studies that are held open
_MAX_LEDGERS = 1024
_RECENT_SECONDS = 1.0  # for which the trials that were read serve further pages

Result = TypeVar("Result")


class Position(NamedTuple):
    """How far a study is."""

    entries: int  # of its log
    next_number: int  # of its trials

    @property
    def key(self) -> str:
        """As an id of an event, after which a client goes on."""
        return f"{self.entries}-{self.next_number}"


class Reader:
    """Reads a store."""

    def __init__(self, store: str) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, "stoic-reader")
        self._long = ThreadPoolExecutor(1, "stoic-trials")  # reads that grow with the study
        self._open = Studies(store, _MAX_OPEN, Reading)  # used by that thread alone
        self._database: Database | None = None
        self._ledgers: dict[str, Ledger] = {}
        self._recent: tuple[str, float, tuple[TrialRecord, ...]] = ("", 0.0, ())

    async def run(self, ref: StudyRef, operation: Callable[[Study], Result]) -> Result:
        """Execute an operation that changes nothing."""
        return await self._in_thread(self._on_study, ref, operation, of=self._long)

    async def studies(self) -> tuple[StudySummary, ...]:
        """The studies of the store, oldest first."""
        return await self._in_thread(lambda: summaries(self._opened()))

    async def find(self, given: str) -> StudyRef | None:
        """The study of a name or a unique id."""
        return await self._in_thread(self._find, given)

    async def position(self, ref: StudyRef) -> Position:
        """How far a study is."""
        row = await self._in_thread(self._row, ref)
        return Position(row.entries, row.next_number)

    async def state(self, ref: StudyRef) -> dict[str, Any]:
        """A study's definition as it is now, and its counts."""
        return await self._in_thread(self._state, ref)

    async def trials(self, ref: StudyRef, *, anew: bool) -> tuple[TrialRecord, ...]:
        """All trials, by number; those of a moment ago unless ``anew``, where a page is turned.

        A first page is read anew: it shows all that was acknowledged before.
        """
        return await self._in_thread(self._trials, ref, anew, of=self._long)

    async def changes(self, ref: StudyRef, arguments: StudyArguments) -> list[str]:
        """What opening a study with these arguments would change, in words; often nothing.

        Raises `StudyMismatch` where they are of another study.
        """
        return await self._in_thread(self._changes, ref, arguments)

    async def log(self, ref: StudyRef, after: int, limit: int) -> dict[str, Any]:
        """Entries of the log after one, each with the parameters of its trial."""
        return await self._in_thread(self._log, ref, after, limit)

    async def since(self, ref: StudyRef, after: int) -> tuple[list[Entry], Position]:
        """The entries of the log after one, and how far the study is."""
        return await self._in_thread(self._since, ref, after)

    def release(self, ref: StudyRef) -> None:
        """Close a study that nobody follows any more, with what was kept of it."""
        with suppress(RuntimeError):  # the threads have ended, and all is closed
            self._long.submit(self._open.forget, ref.uid)

    async def close(self) -> None:
        """End the threads."""
        await asyncio.to_thread(self._thread.shutdown)
        await asyncio.to_thread(self._long.shutdown)
        self._open.close()
        if self._database is not None:
            self._database.close()

    async def _in_thread(
        self, run: Callable[..., Result], *arguments: Any, of: ThreadPoolExecutor | None = None
    ) -> Result:
        thread = of or self._thread
        return await asyncio.get_running_loop().run_in_executor(thread, run, *arguments)

    # -- in the threads ------------------------------------------------------------------------

    def _find(self, given: str) -> StudyRef | None:
        found = identified(self._opened(), given)
        return None if found is None else StudyRef(*found)

    def _opened(self) -> Database:
        if self._database is None:
            self._database = open_store(self.store, make=False)
        return self._database

    def _on_study(self, ref: StudyRef, operation: Callable[[Study], Any]) -> Any:
        try:
            return operation(self._open.get(ref.name, ref.uid))
        except UnknownStudy:
            self._open.forget(ref.uid)
            raise

    def _row(self, ref: StudyRef) -> StudyRow:
        database, ledger = self._ledger(ref)
        with database.read() as connection:
            return ledger.present(connection).row

    def _changes(self, ref: StudyRef, arguments: StudyArguments) -> list[str]:
        database, ledger = self._ledger(ref)
        with database.read() as connection:
            definition = self._definition(connection, ledger)
        return list(definition.changes(definition.continued(arguments, ref.name)))

    def _definition(self, connection: Connection, ledger: Ledger) -> Definition:
        found = find(connection, ledger.name)
        if found is None or found[0].uid != ledger.uid:
            raise UnknownStudy(f"expected study {ledger.name!r} to be there still, got none")
        return present_definition(connection, ledger, found[1])

    def _state(self, ref: StudyRef) -> dict[str, Any]:
        database, ledger = self._ledger(ref)
        with database.read() as connection:
            row = ledger.present(connection).row
            states = ledger.states(connection)
            definition = self._definition(connection, ledger)
        return {
            "name": ref.name,
            "uid": ref.uid,
            "definition": json.loads(definition.text()),
            "asked": row.next_number,
            "finished": row.finished,
            "open": states.get(OPEN, 0),
            "failed": states.get(FAILED, 0),
            "entries": row.entries,
        }

    def _trials(self, ref: StudyRef, anew: bool) -> tuple[TrialRecord, ...]:
        uid, until, found = self._recent
        if anew or uid != ref.uid or time.monotonic() > until:
            found = self._on_study(ref, lambda study: study.trials)
            self._recent = (ref.uid, time.monotonic() + _RECENT_SECONDS, found)
        return found

    def _log(self, ref: StudyRef, after: int, limit: int) -> dict[str, Any]:
        database, ledger = self._ledger(ref)
        with database.read() as connection:
            listed, last = log_page(connection, ledger, after, limit)
            return {"uid": ref.uid, "entries": listed, "last": last}

    def _since(self, ref: StudyRef, after: int) -> tuple[list[Entry], Position]:
        database, ledger = self._ledger(ref)
        with database.read() as connection:
            row = ledger.present(connection).row
            found: list[Entry] = []
            if after < row.entries:
                head = ledger.head(connection, after)
                found = [entry for entry, _ in ledger.entries(connection, row, after, head)]
            return found, Position(row.entries, row.next_number)

    def _ledger(self, ref: StudyRef) -> tuple[Database, Ledger]:
        database = self._opened()
        ledger = self._ledgers.get(ref.uid)
        if ledger is None:
            with database.read() as connection:
                found = find(connection, ref.name)
            if found is None or found[0].uid != ref.uid:
                raise UnknownStudy(f"expected study {ref.name!r} to be there still, got none")
            while len(self._ledgers) >= _MAX_LEDGERS:
                self._ledgers.pop(next(iter(self._ledgers)))
            ledger = self._ledgers[ref.uid] = Ledger(database, found[0])
        return database, ledger
