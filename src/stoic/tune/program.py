"""Run a command once: capture its output, end its process group, report how it ended."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from stoic.forks import Lock
from stoic.tune.captured import Captured

__all__ = ["Ended", "Program"]

_GRACE_SECONDS = 3.0  # between SIGTERM and SIGKILL
_DRAIN_SECONDS = 0.5  # to read output that is still in the pipe when the program has ended
_PIPE_POLL_SECONDS = 1.0  # between checks whether a pipe without output is still read


@dataclass(frozen=True)
class Ended:
    """How a run ended; ``trouble`` is None where the program reported success."""

    seconds: float
    stdout: Captured
    stderr: Captured
    trouble: str | None = None
    started: bool = True  # False where the system could not start it
    stopped: bool = False  # True where we ended it because the user asked to stop


def _nobody(pid: int) -> None:
    """The default callback, which does nothing."""


class Program:
    """Runs commands, several at a time from several threads, and can end them all.

    Each command runs in a process group of its own, without input. When the program has ended, the
    rest of its group is killed, so that the next measurement has the machine to itself.
    """

    def __init__(
        self,
        timeout: float | None = None,
        *,
        begun: Callable[[int], None] = _nobody,
        ended: Callable[[int], None] = _nobody,
        secrets: Sequence[str] = (),
    ) -> None:
        self.timeout, self._secrets = timeout, secrets
        self._begun, self._ended = begun, ended  # called with the process's number
        self._running: set[subprocess.Popen[bytes]] = set()
        self._cut: set[subprocess.Popen[bytes]] = set()  # ended by us
        self._lock = Lock()
        self._stopping = threading.Event()

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Ended:
        """Run a command to its end, or to the time-out; a failure of the program raises nothing."""
        begun = time.monotonic()
        out, err = Captured(secrets=self._secrets), Captured(secrets=self._secrets)
        try:
            process = self._start(arguments, environment)
        except (OSError, ValueError) as error:  # ValueError: a NUL character in an argument
            why = error.strerror if isinstance(error, OSError) else str(error)
            return Ended(0.0, out, err, f"could not be started: {why}", started=False)
        if process is None:
            return Ended(0.0, out, err, "stopped", stopped=True)
        self._begun(process.pid)
        over = threading.Event()
        readers = [_reader(process.stdout, out, over), _reader(process.stderr, err, over)]
        expired = self._wait(process)
        seconds = time.monotonic() - begun
        _drain(readers)
        _signal(process, signal.SIGKILL)
        _drain(readers)  # without effect where a daemon left the group and holds the pipe
        over.set()
        with self._lock:
            self._running.discard(process)
        self._ended(process.pid)
        trouble = f"no end within {self.timeout:g} s" if expired else _trouble(process, err)
        return Ended(seconds, out, err, trouble, stopped=process in self._cut)

    def _start(
        self, arguments: Sequence[str], environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes] | None:
        with self._lock:  # after stop() nothing may start
            if self._stopping.is_set():
                return None
            process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **environment},
                start_new_session=True,
            )
            self._running.add(process)
            return process

    def _wait(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether the time-out came first."""
        try:
            process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            return True
        return False

    def stop(self, *, grace: float = _GRACE_SECONDS) -> None:
        """End all running programs, and start no more."""
        self._stopping.set()
        with self._lock:
            running = [process for process in self._running if process.poll() is None]
            self._cut.update(running)
        for process in running:
            _signal(process, signal.SIGTERM)
        deadline = time.monotonic() + grace
        while time.monotonic() < deadline and any(p.poll() is None for p in running):
            time.sleep(0.02)
        for process in running:
            _signal(process, signal.SIGKILL)

    def kill(self) -> None:
        """Kill all running programs; may be called from a signal handler."""
        self._stopping.set()
        for process in tuple(self._running):  # no lock: the handler's thread may hold it
            _signal(process, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes]) -> None:
    _signal(process, signal.SIGTERM)
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the whole group, if any process of it is left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


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


def _trouble(process: subprocess.Popen[bytes], err: Captured) -> str | None:
    code = process.returncode
    if code == 0:
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
