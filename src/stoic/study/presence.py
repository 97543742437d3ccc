"""Whether the files that a connection has open are still those at the store's path.

A file that is deleted or replaced stays open: what is written goes into nothing, and SQLite does
not say so. The same holds for its write-ahead log.
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

    def opened(self) -> None:
        """Note which file is the store; once, after it was opened first."""
        self._store = self._store or _identity(self._path)

    def connected(self) -> None:
        """Note which file is the log of a new connection, within its first transaction."""
        self._log = self._log or _identity(f"{self._path}-wal")

    def disconnected(self) -> None:
        """Forget the log: the last connection deletes it, the next one makes it anew."""
        self._log = None

    def check(self) -> None:
        """Raise `StoreUnavailable` where the store is gone, or another file took its place."""
        if self._store is None:
            return
        found = _identity(self._path)
        if found != self._store:
            what = "another file in its place" if found else "none"
            raise StoreUnavailable(
                f"expected the store {self._path} that was opened, got {what}: it was deleted, "
                "moved or replaced, and nothing more was acknowledged; put it back to go on, or "
                "open the study again"
            )
        if self._log is not None and _identity(f"{self._path}-wal") != self._log:
            raise StoreUnavailable(
                f"expected {self._path}-wal, the log of {self._path}, as it was opened, got another "
                "or none: it was deleted or replaced; end the other workers one by one, so that "
                "the last one saves what is in it, then go on"
            )


def _identity(path: str) -> Identity:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
