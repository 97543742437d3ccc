"""The lock file beside a store: a lock for writers, and counters of the rows of each study.

SQLite lets a writer that finds the file locked sleep for up to a tenth of a second, even if the
lock is free before; with eight processes some starve. The advisory lock on a file beside the store
is polled at intervals of a transaction's length. The kernel drops the lock of a process that ends.

If the write-ahead log is damaged, SQLite returns without an error to the last transaction before
the damage: a whole store, but an old one. So after every commit the counters of the study are
written to the lock file, which is not part of the database. A store that is behind its counters
has lost rows. Counters are not synced: after a power cut they may be behind the store, never
ahead.
"""

from __future__ import annotations

import os
import random
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import NamedTuple

from stoic.errors import StoreUnavailable
from stoic.forks import ForkAware

try:
    import fcntl
except ImportError:  # not a Unix: only SQLite's own lock is used
    fcntl = None  # type: ignore[assignment]

__all__ = ["Counters", "LockFile", "turn_at"]

_POLL_SECONDS = 0.0005  # about the time of a transaction
_SLOT = struct.Struct("<32sQQ16s")  # uid, counters, digest
_MAX_SLOTS = 100_000  # studies of a store
_STORE_SLOT = 0  # holds the uid of the store; the slot of a study is the id of its row, from 1


class Counters(NamedTuple):
    """How many trials and entries of the log a study had."""

    uid: str
    next_number: int
    entries: int


class LockFile(ForkAware):
    """A lock file beside a store; held by one Study of one process at a time.

    A lock belongs to all copies of a descriptor. A forked child closes its copy at once, or the
    lock would outlive the parent; it opens the file again when it needs it.
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

    # -- lock ---------------------------------------------------------------------------------

    @contextmanager
    def turn(self, patience: float) -> Iterator[None]:
        """Hold the lock; wait for it at most ``patience`` seconds."""
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
            except OSError:  # a file system without such locks: only SQLite's own is used
                return
            if time.monotonic() > deadline:
                raise StoreUnavailable(
                    f"expected {self.path} to come free within {patience:g} s, got none; "
                    "find a process that hangs while it writes to the store, and end it"
                )
            time.sleep(_POLL_SECONDS * (0.5 + random.random()))

    def whole(self) -> bool:
        """Whether the open file is still the one at its path, which other processes open."""
        try:
            return os.path.samestat(os.fstat(self.file), os.stat(self.path))
        except OSError:
            return False

    # -- counters -----------------------------------------------------------------------------

    def counters(self) -> dict[int, Counters]:
        """The counters of studies by the id of their row; a slot that is not whole has none."""
        found = self._slots()
        found.pop(_STORE_SLOT, None)
        return found

    def write_counters(self, slot: int, counters: Counters) -> None:
        """Write the counters of the study whose row has the id ``slot``."""
        uid = counters.uid.encode("ascii")
        summed = _digest(uid, counters.next_number, counters.entries)
        data = _SLOT.pack(uid, counters.next_number, counters.entries, summed)
        os.pwrite(self.file, data, slot * _SLOT.size)

    def claim(self, uid: str) -> None:
        """Make the counters those of the store ``uid``; drop those of another store."""
        store = self._slots().get(_STORE_SLOT)
        if store is not None and store.uid != uid:
            self.drop_counters()
        if store is None or store.uid != uid:
            self.write_counters(_STORE_SLOT, Counters(uid, 0, 0))

    def drop_counters(self, slot: int | None = None) -> None:
        """Drop the counters of a study that was deleted, or all of them."""
        if slot is None:
            os.ftruncate(self.file, 0)
        else:
            os.pwrite(self.file, bytes(_SLOT.size), slot * _SLOT.size)

    def _slots(self) -> dict[int, Counters]:
        found = {}
        data = os.pread(self.file, _MAX_SLOTS * _SLOT.size, 0)
        for slot in range(len(data) // _SLOT.size):
            uid, next_number, entries, summed = _SLOT.unpack_from(data, slot * _SLOT.size)
            if summed == _digest(uid, next_number, entries):
                found[slot] = Counters(uid.decode("ascii", "replace"), next_number, entries)
        return found

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, -1
        if file is not None and file >= 0:
            os.close(file)

    def after_fork_in_child(self) -> None:
        if self._file is not None and self._file >= 0:
            os.close(self._file)
            self._file = None


def _digest(uid: bytes, next_number: int, entries: int) -> bytes:
    return blake2b(b"%s %d %d" % (uid, next_number, entries), digest_size=16).digest()


@contextmanager
def turn_at(store: str, patience: float, *, required: bool = True) -> Iterator[None]:
    """Hold the writers' lock of the file ``store``; does nothing where there is no lock file.

    A lock file that can't be opened is an error if ``required``.
    """
    lock_file = None
    try:
        lock_file = LockFile(f"{store}-lock") if os.path.exists(f"{store}-lock") else None
    except StoreUnavailable:
        if required:
            raise
    if lock_file is None:
        yield
        return
    try:
        with lock_file.turn(patience):
            yield
    finally:
        lock_file.close()
