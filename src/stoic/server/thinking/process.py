"""The server's side of a process that computes: started when needed, again when it ended."""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
import os
import threading
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from stoic import errors
from stoic.errors import StoicError
from stoic.server.problems import busy
from stoic.server.store.writing import StudyRef
from stoic.server.thinking.child import main

__all__ = ["Computing", "Process"]

_LOG = logging.getLogger("stoic.server")
_MAX_WAITING = 64  # requests to one process; more are told to come again
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_STARTING = threading.Lock()  # the environment is changed meanwhile


class Computing(Exception):
    """A process failed at a task, in a way that only the log explains."""


class Process:
    """One process; it does one task at a time, in the order of the requests."""

    def __init__(self, store: str, module: str) -> None:
        self._store, self._module = store, module
        self._loop = asyncio.get_running_loop()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._starting = asyncio.Lock()
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many requests are not answered."""
        return len(self._waiting)

    async def do(self, task: str, ref: StudyRef, **arguments: Any) -> Any:
        """The result of a task; errors of Stoic are raised as they are."""
        if len(self._waiting) >= _MAX_WAITING or self._closed:
            raise busy("expected fewer computations to wait; try again")
        async with self._starting:
            if self._pipe is None:
                await asyncio.to_thread(self._start)
        request = {"task": task, "name": ref.name, "uid": ref.uid, "arguments": arguments}
        done: asyncio.Future[Any] = self._loop.create_future()
        self._waiting.append(done)
        pipe = self._pipe
        try:
            if pipe is not None:
                pipe.send_bytes(json.dumps(request).encode())
        except OSError:
            self._ended(pipe)
        return await asyncio.shield(done)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        with _STARTING:
            before = {name: os.environ.get(name) for name in _THREADS}
            os.environ.update(dict.fromkeys(_THREADS, "1"))
            try:
                process = context.Process(
                    target=main, args=(theirs, self._store, self._module), daemon=True
                )
                process.start()
            finally:
                for name, value in before.items():
                    os.environ.pop(name) if value is None else os.environ.update({name: value})
        theirs.close()
        self._process, self._pipe = process, ours
        threading.Thread(target=self._listen, args=(ours,), daemon=True).start()

    def _listen(self, pipe: Connection) -> None:
        """In a thread: pass replies on until the process ends."""
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            while True:
                try:
                    reply = json.loads(pipe.recv_bytes())
                except (EOFError, OSError):
                    self._loop.call_soon_threadsafe(self._ended, pipe)
                    return
                self._loop.call_soon_threadsafe(self._answered, pipe, reply)

    def _answered(self, pipe: Connection, reply: dict[str, Any]) -> None:
        if pipe is not self._pipe or not self._waiting:
            return
        done = self._waiting.popleft()
        if done.done():
            return
        if "error" in reply:
            _fail(done, _error(reply["error"], reply["words"]))
        else:
            done.set_result(reply["result"])

    def _ended(self, pipe: Connection | None) -> None:
        """The process ended: those who wait may ask again, and a new one is started."""
        if pipe is None or pipe is not self._pipe:
            return
        process, self._process, self._pipe = self._process, None, None
        pipe.close()
        if process is not None:
            process.kill()
        waiting, self._waiting = self._waiting, deque()
        if waiting and not self._closed:
            _LOG.error("a process that computes ended while %d requests waited", len(waiting))
        for done in waiting:
            if not done.done():
                _fail(done, busy("the process that computes was restarted; try again"))

    async def close(self) -> None:
        """End the process."""
        self._closed = True
        process = self._process
        if process is not None:
            process.terminate()
            await asyncio.to_thread(process.join, 5.0)
            if process.is_alive():
                process.kill()


def _fail(done: asyncio.Future[Any], error: Exception) -> None:
    done.set_exception(error)
    done.exception()  # whoever asked may have gone


def _error(name: str, words: str) -> Exception:
    kind = getattr(errors, name, None) if name in errors.__all__ else None
    if isinstance(kind, type) and issubclass(kind, StoicError):
        return kind(words)
    return Computing(words)
