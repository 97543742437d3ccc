"""One thread that writes: it executes all that waits in one transaction, then acknowledges it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from stoic.errors import UnknownStudy
from stoic.server.problems import busy
from stoic.server.store.opening import Reading, Recording, Studies
from stoic.study import Study
from stoic.study.store import open_store

__all__ = ["StudyRef", "Writer"]

_LOG = logging.getLogger("stoic.server")
_MAX_WAITING = 2000  # operations; more are told to come again
_MAX_GROUP = 128  # operations of one transaction
_MAX_OPEN = 256  # studies that are held open
_MAX_VERIFIED = 10_000  # studies that are remembered as verified

Result = TypeVar("Result")


class StudyRef(NamedTuple):
    """A study by its name and its unique id; a deleted one's name may be given again."""

    name: str
    uid: str


@dataclass
class _Operation:
    """Something to do with a study, or with the store where there is none."""

    ref: StudyRef | None
    run: Callable[..., Any]
    done: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


@dataclass
class Writer:
    """Owns the studies of a store that are open for writing, and the thread that uses them."""

    store: str
    make: bool = True  # the store, where there is none
    _waiting: queue.SimpleQueue[_Operation | None] = field(default_factory=queue.SimpleQueue)

    def __post_init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._database = open_store(self.store, make=self.make)
        self._studies = Studies(self._database, _MAX_OPEN, Recording)
        self._verified: dict[str, asyncio.Task[None]] = {}  # by uid
        self._thread = threading.Thread(target=self._work, name="stoic-writer", daemon=True)
        self._thread.start()

    async def run(self, ref: StudyRef, operation: Callable[[Study], Result]) -> Result:
        """Execute an operation on a study; its changes are on the disk when this returns."""
        await self._verify(ref)
        result: Result = await self._wait(ref, operation)
        return result

    async def run_alone(self, operation: Callable[[], Result]) -> Result:
        """Execute an operation on the store, between the others."""
        result: Result = await self._wait(None, operation)
        return result

    async def _verify(self, ref: StudyRef) -> None:
        """Before a study is first used, verify its log, while others are served."""
        task = self._verified.get(ref.uid)
        if task is None:
            while len(self._verified) >= _MAX_VERIFIED:
                del self._verified[next(iter(self._verified))]
            task = asyncio.create_task(asyncio.to_thread(_verified, self.store, ref))
            self._verified[ref.uid] = task
        try:
            await asyncio.shield(task)
        except Exception:
            self._verified.pop(ref.uid, None)  # what was wrong may be mended
            raise

    async def _wait(self, ref: StudyRef | None, operation: Callable[..., Any]) -> Any:
        if self._waiting.qsize() >= _MAX_WAITING:
            raise busy("expected fewer operations to wait; try again")
        done: asyncio.Future[Any] = self._loop.create_future()
        self._waiting.put(_Operation(ref, operation, done))
        return await done

    async def close(self) -> None:
        """Execute what waits, and close the store."""
        self._waiting.put(None)
        await asyncio.to_thread(self._thread.join, 60.0)

    @property
    def waiting(self) -> int:
        """How many operations wait."""
        return self._waiting.qsize()

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    # -- in the thread ------------------------------------------------------------------------

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            group = [first]
            ended = False
            while len(group) < _MAX_GROUP and not self._waiting.empty():
                another = self._waiting.get()
                if another is None:
                    ended = True
                    break
                group.append(another)
            self._execute(group)
            if ended:
                break
        self._studies.close()
        self._database.close()

    def _execute(self, group: list[_Operation]) -> None:
        """Execute operations in one transaction, those on the store itself before it."""
        by_study: dict[StudyRef, list[_Operation]] = {}
        for operation in group:
            if operation.done.cancelled():
                continue
            if operation.ref is None:
                _attempt(operation)
            else:
                by_study.setdefault(operation.ref, []).append(operation)
        opened = [
            (study, by_study[ref])
            for ref in sorted(by_study)  # servers of one store lock studies in the same order
            if (study := self._opened(ref, by_study[ref])) is not None
        ]
        try:
            with self._database.group():
                for study, operations in opened:
                    for operation in operations:
                        _attempt(operation, study)
        except Exception as error:  # nothing was written
            for _, operations in opened:
                for operation in operations:
                    operation.error = operation.error or error
        for study, operations in opened:
            if any(isinstance(operation.error, UnknownStudy) for operation in operations):
                self._studies.forget(study.uid)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(_acknowledge, group)

    def _opened(self, ref: StudyRef, operations: list[_Operation]) -> Study | None:
        try:
            return self._studies.get(ref.name, ref.uid)
        except Exception as error:
            for operation in operations:
                operation.error = error
            return None


def _verified(store: str, ref: StudyRef) -> None:
    with Reading(store, ref.name) as study:
        if study.uid != ref.uid:
            raise UnknownStudy(f"expected study {ref.name!r} to be there still; it was deleted")


def _attempt(operation: _Operation, *arguments: Study) -> None:
    try:
        operation.result = operation.run(*arguments)
    except Exception as error:
        operation.error = error


def _acknowledge(group: list[_Operation]) -> None:
    for operation in group:
        if operation.done.done():
            continue
        if operation.error is not None:
            operation.done.set_exception(operation.error)
        else:
            operation.done.set_result(operation.result)
