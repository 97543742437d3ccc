"""A running program: a process group of its own, without input, whose output is captured."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

from stoic.tune.process.usage import Usage

__all__ = ["Child"]

_GRACE_SECONDS = 3.0  # between SIGTERM and SIGKILL
# A process that is started counts, as its own, the memory of the process that started it, which
# may be larger than all that it uses. So a small shell starts it, and ends before the program
# begins, so that only we wait for it. The shell's input is a socket: it writes the number of the
# process, and the process then reads the line that lets the program begin.
_SMALL_PARENT = """
exec 3<&0
{ read -r go <&3; exec "$@" 3<&- </dev/null; } &
echo "$!" >&3
"""


class Child:
    """A program that was started; `wait` is called once, by one thread."""

    def __init__(self, started: subprocess.Popen[bytes], pid: int) -> None:
        self.began = time.monotonic()
        self.pid = pid  # of the program
        self.group = started.pid  # of its process group
        self.stdout: IO[bytes] | None = started.stdout
        self.stderr: IO[bytes] | None = started.stderr
        self.code: int | None = None
        self.usage = Usage()
        self.seconds = 0.0
        self._popen = started
        self._ended = threading.Event()
        self._expired = False

    @classmethod
    def start(
        cls, arguments: Sequence[str], environment: Mapping[str, str], *, small_parent: bool
    ) -> Child:
        """Start a program; ``small_parent`` is needed to measure its memory."""
        if not small_parent:
            started = _popen(arguments, environment, subprocess.DEVNULL)
            return cls(started, started.pid)
        if shutil.which(arguments[0]) is None:
            raise FileNotFoundError(2, "No such file or directory")
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                words = ["/bin/sh", "-c", _SMALL_PARENT, "sh", *arguments]
                started = _popen(words, environment, theirs.fileno())
            number = ours.makefile("rb").readline().strip()
            started.wait()
            if not number.isdigit():
                raise OSError(0, "the shell could not start it")
            child = cls(started, int(number))
            ours.sendall(b"\n")
        return child

    def wait(self, timeout: float | None) -> bool:
        """Wait for the end of the program; return whether the time-out came first."""
        timer = None
        if timeout is not None:
            timer = threading.Timer(timeout, self._expire)
            timer.daemon = True
            timer.start()
        _, status, used = os.wait4(self.pid, 0)
        self.seconds = time.monotonic() - self.began
        self.usage = Usage.of(used)
        self.code = os.waitstatus_to_exitcode(status)
        if self._popen.returncode is None:
            self._popen.returncode = self.code
        self._ended.set()
        if timer is not None:
            timer.cancel()
        return self._expired

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the whole group, if any process of it is left."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, number)

    def _expire(self) -> None:
        if self._ended.is_set():
            return
        self._expired = True
        self.signal(signal.SIGTERM)
        if not self._ended.wait(_GRACE_SECONDS):
            self.signal(signal.SIGKILL)


def _popen(
    arguments: Sequence[str], environment: Mapping[str, str], stdin: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(arguments),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        start_new_session=True,
    )
