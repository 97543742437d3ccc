"""A queue before a file: one writer at a time, without SQLite's long naps.

SQLite makes a writer that finds the file taken sleep for up to a tenth of a second, whatever
the others do; with eight processes some starve. An advisory lock on a file beside it is polled
at intervals of a transaction's length. The kernel drops the lock of a process that dies.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from stoic.errors import StoreUnavailable
from stoic.forks import ForkAware

try:
    import fcntl
except ImportError:  # not a Unix: SQLite's own lock serves alone
    fcntl = None  # type: ignore[assignment]

__all__ = ["Queue"]

_NAP = 0.0005  # seconds; about a transaction


class Queue(ForkAware):
    """A lock file beside a store; held by one Study of one process at a time.

    A lock belongs to all copies of a descriptor: a forked child closes its copy at once, or the
    lock would outlive the parent, and opens the file anew when it needs it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: int | None = None  # None until it is needed, −1 when closed
        self._file = self.file
        self.join_forks()

    @property
    def file(self) -> int:
        """The descriptor of the lock file."""
        if self._file is None:
            try:
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            except OSError as cause:
                raise StoreUnavailable(
                    f"expected to write {self.path}, got {cause.strerror}; make its folder and "
                    "make it writable, or name another store"
                ) from cause
        return self._file

    @contextmanager
    def turn(self, patience: float) -> Iterator[None]:
        """Wait for one's turn, at most ``patience`` seconds."""
        if fcntl is None:
            yield
            return
        self._wait(patience)
        try:
            yield
        finally:
            if self._file is not None:  # None in a child that was forked meanwhile
                with suppress(OSError):
                    fcntl.flock(self._file, fcntl.LOCK_UN)

    def _wait(self, patience: float) -> None:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                pass
            except OSError:  # a file system without such locks: SQLite's own serves alone
                return
            if time.monotonic() > deadline:
                raise StoreUnavailable(
                    f"expected {self.path} to come free within {patience:g} s, got none; "
                    "look for a process that hangs while it writes to the store, and end it"
                )
            time.sleep(_NAP * (0.5 + random.random()))

    def whole(self) -> bool:
        """Whether the file is still the one at its path, where others look for it."""
        try:
            return os.path.samestat(os.fstat(self.file), os.stat(self.path))
        except OSError:
            return False

    def close(self) -> None:
        """Let go of the file."""
        file, self._file = self._file, -1
        if file is not None and file >= 0:
            os.close(file)

    def after_fork_in_child(self) -> None:
        if self._file is not None and self._file >= 0:
            os.close(self._file)
            self._file = None
