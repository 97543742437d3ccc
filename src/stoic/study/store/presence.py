"""Whether the files that a connection has open are still those at the store's path.

A file that is deleted or replaced stays open: what is written to it is lost, and SQLite reports
no error. The same holds for its write-ahead log.
"""

from __future__ import annotations

import os

from stoic.errors import StoreUnavailable

__all__ = ["Presence"]

Identity = tuple[int, int] | None  # device and inode; None where there is no file


class Presence:
    """The files of a store, as they were when it was opened."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._store: Identity = None
        self._log: Identity = None
        self._uid: int | None = None

    def opened(self, uid: int) -> None:
        """Note the store's file, after it was first opened."""
        self._store, self._uid = _identity(self._path), uid

    @property
    def new(self) -> bool:
        """Whether a connection is in its first transaction."""
        return self._log is None

    def connected(self, uid: int) -> None:
        """Note the log file of a new connection, and check that its store is the noted one.

        The inode alone is not enough: a new file may get that of a deleted one.
        """
        if self._uid not in (None, uid):
            raise self._gone("another file in its place")
        self._log = _identity(f"{self._path}-wal")

    def disconnected(self) -> None:
        """Forget the log file: the last connection deletes it, the next one makes another."""
        self._log = None

    def check(self) -> None:
        """Raise `StoreUnavailable` where the store's file was deleted or replaced."""
        if self._store is None:
            return
        found = _identity(self._path)
        if found != self._store:
            raise self._gone("another file in its place" if found else "none")
        if self._log is not None and _identity(f"{self._path}-wal") != self._log:
            raise StoreUnavailable(
                f"expected {self._path}-wal, the log of {self._path}, as it was opened, got "
                "another or none: it was deleted or replaced; end the other workers one by one, so "
                "that the last one saves what is in it, then go on"
            )

    def _gone(self, what: str) -> StoreUnavailable:
        return StoreUnavailable(
            f"expected the store {self._path} that was opened, got {what}: it was deleted, moved "
            "or replaced, and nothing more was acknowledged; put it back to go on, or open the "
            "study again"
        )


def _identity(path: str) -> Identity:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
