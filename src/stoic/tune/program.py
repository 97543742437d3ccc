"""Run a command once: capture its output, end its process group, report how it ended."""

from __future__ import annotations

import os
import selectors
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from stoic.forks import Lock
from stoic.tune.output.captured import Captured
from stoic.tune.process.child import Child
from stoic.tune.process.usage import Usage, adopt_orphans, reap_group

__all__ = ["Ended", "Program"]

_GRACE_SECONDS = 3.0  # between SIGTERM and SIGKILL
_DRAIN_SECONDS = 0.5  # to read output that is still in the pipe when the program has ended
_PIPE_POLL_SECONDS = 1.0  # between checks whether a pipe without output is still read


@dataclass(frozen=True)
class Ended:
    """How a run ended; ``trouble`` is None where the program reported success."""

    seconds: float  # from its start to its end, on a clock that nobody sets
    stdout: Captured
    stderr: Captured
    trouble: str | None = None
    started: bool = True  # False where the system could not start it
    stopped: bool = False  # True where we ended it because the user asked to stop
    usage: Usage = field(default_factory=Usage)


def _nobody(pid: int) -> None:
    """The default callback, which does nothing."""


class Program:
    """Runs commands, several at a time from several threads, and can end them all.

    Each command runs in a process group of its own, without input. When the program has ended, the
    rest of its group is killed, so that the next measurement has the machine to itself.

    ``accounts`` is ``"cpu"`` or ``"rss"`` where `Ended.usage` must include processes that no one
    waited for; with ``"rss"``, the memory of this process is kept out of the figures.
    """

    def __init__(
        self,
        timeout: float | None = None,
        *,
        begun: Callable[[int], None] | None = None,
        ended: Callable[[int], None] | None = None,
        secrets: Sequence[str] = (),
        accounts: str | None = None,
    ) -> None:
        self.timeout, self._secrets = timeout, secrets
        self._begun, self._ended = (
            begun or _nobody,
            ended or _nobody,
        )  # of a process
        self._adopts = accounts in ("cpu", "rss") and adopt_orphans()
        self._small_parent = self._adopts and accounts == "rss"
        self._running: set[Child] = set()
        self._cut: set[Child] = set()  # ended by us
        self._lock = Lock()
        self._stopping = threading.Event()

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Ended:
        """Run a command to its end, or to the time-out; a failure of the program raises nothing."""
        out, err = Captured(secrets=self._secrets), Captured(secrets=self._secrets)
        try:
            child = self._start(arguments, environment)
        except (OSError, ValueError) as error:  # ValueError: a NUL character in an argument
            why = error.strerror if isinstance(error, OSError) else str(error)
            return Ended(0.0, out, err, f"could not be started: {why}", started=False)
        if child is None:
            return Ended(0.0, out, err, "stopped", stopped=True)
        over = threading.Event()
        readers = [_reader(child.stdout, out, over), _reader(child.stderr, err, over)]
        self._begun(child.pid)
        expired = child.wait(self.timeout)
        _drain(readers)
        child.signal(signal.SIGKILL)
        _drain(readers)  # without effect where a daemon left the group and holds the pipe
        over.set()
        orphans = reap_group(child.group) if self._adopts else Usage()
        with self._lock:
            self._running.discard(child)
        self._ended(child.pid)
        trouble = f"no end within {self.timeout:g} s" if expired else _trouble(child.code, err)
        usage = child.usage.and_of(orphans)
        return Ended(child.seconds, out, err, trouble, stopped=child in self._cut, usage=usage)

    def _start(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Child | None:
        with self._lock:  # after stop() nothing may start
            if self._stopping.is_set():
                return None
            child = Child.start(arguments, environment, small_parent=self._small_parent)
            self._running.add(child)
            return child

    def stop(self, *, grace: float = _GRACE_SECONDS) -> None:
        """End all running programs, and start no more."""
        self._stopping.set()
        with self._lock:
            running = [child for child in self._running if child.code is None]
            self._cut.update(running)
        for child in running:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + grace
        while time.monotonic() < deadline and any(child.code is None for child in running):
            time.sleep(0.02)
        for child in running:
            child.signal(signal.SIGKILL)

    def kill(self) -> None:
        """Kill all running programs; may be called from a signal handler."""
        self._stopping.set()
        for child in tuple(self._running):  # no lock: the handler's thread may hold it
            child.signal(signal.SIGKILL)


def _reader(pipe: IO[bytes] | None, into: Captured, over: threading.Event) -> threading.Thread:
    """Read to the end, or until ``over`` is set: a daemon must not keep the thread and the file."""

    def read() -> None:
        if pipe is None:
            return
        with pipe, selectors.DefaultSelector() as ready:
            ready.register(pipe, selectors.EVENT_READ)
            while not over.is_set():
                if ready.select(_PIPE_POLL_SECONDS):
                    chunk = os.read(pipe.fileno(), 65536)
                    if not chunk:
                        return
                    into.write(chunk)

    thread = threading.Thread(target=read, daemon=True, name="stoic-reader")
    thread.start()
    return thread


def _drain(readers: Sequence[threading.Thread]) -> None:
    deadline = time.monotonic() + _DRAIN_SECONDS
    for reader in readers:
        reader.join(max(deadline - time.monotonic(), 0.0))


def _trouble(code: int | None, err: Captured) -> str | None:
    if not code:
        return None
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        how = f"killed by {name}"
    else:
        how = f"exit code {code}"
    line = err.in_short()
    return f"{how}: {line}" if line else how
