"""Stores in a file: SQLite with a write-ahead log that is synced at every commit."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import AbstractContextManager, suppress
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.pool import NullPool

from stoic.errors import StoreDamaged, StoreError, StoreUnavailable
from stoic.study import clocks, marks, schema
from stoic.study.database import Database
from stoic.study.looking import APPLICATION
from stoic.study.queue import Queue
from stoic.study.wal import check_wal

__all__ = ["SQLite"]

_LEAST = 512  # bytes of a database; SQLite takes a single byte for an empty one
_PATIENCE = 60.0  # seconds that a writer waits for the others

_UNAVAILABLE = {
    sqlite3.SQLITE_PERM: "is not ours to write; change its permissions",
    sqlite3.SQLITE_BUSY: "is locked by another program; end that program, then go on",
    sqlite3.SQLITE_LOCKED: "is locked by another program; end that program, then go on",
    sqlite3.SQLITE_NOMEM: "needs more memory than there is; free some, then go on",
    sqlite3.SQLITE_READONLY: "is read-only; make the file and its folder writable",
    sqlite3.SQLITE_IOERR: "could not be read or written; look at the disk, then go on",
    sqlite3.SQLITE_FULL: "has no room to grow; free space on the disk, then go on",
    sqlite3.SQLITE_CANTOPEN: "can't be opened; make its folder, or give access to the file",
}
_DAMAGED = {
    sqlite3.SQLITE_ERROR,  # a table or column is missing
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_NOTADB,
}

_torn: set[tuple[int, int]] = set()  # device and inode of files of which locks were inherited


class SQLite(Database):
    """A file that needs no server."""

    begin_write = "BEGIN IMMEDIATE"
    begin_read = "BEGIN"
    clock = sa.null()

    def __init__(self, url: sa.URL) -> None:
        self.path = str(url.database)
        if os.path.isdir(self.path):
            raise StoreUnavailable(f"expected a file, got the folder {self.path}; name a file")
        self._queue = Queue(self.path + "-lock")
        try:
            self._look()
            super().__init__(url)
        except BaseException:
            self.close()
            raise

    def _look(self) -> None:
        """Look at the file's size; to open it here would drop the locks of other connections."""
        with self._turn():
            try:
                size = os.stat(self.path).st_size
            except OSError:
                marks.forget(self._queue.file)  # the file was deleted, and with it its studies
                return
        if 0 < size < _LEAST or (size == 0 and marks.marks(self._queue.file)):
            raise StoreDamaged(
                f"expected {self.path} to be a whole store of Stoic, got a rest of {size} bytes; "
                "restore a copy, or name another file to begin anew"
            )

    def _committed(self) -> None:
        row, self._changed = self._changed, None
        if row is not None:
            mark = marks.Mark(row.uid, row.next_number, row.entries)
            with suppress(OSError):  # what was committed is; the note is for later
                marks.note(self._queue.file, row.id, mark)

    def before(self) -> dict[int, marks.Mark]:
        return marks.marks(self._queue.file)

    def deleted(self, place: int) -> None:
        marks.forget(self._queue.file, place)

    def _make_engine(self) -> sa.Engine:
        engine = sa.create_engine(
            self.url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            connect_args={"check_same_thread": False, "timeout": _PATIENCE},
        )
        sa.event.listen(engine, "connect", _configure)
        return engine

    def _prepare(self) -> None:
        check_wal(self.path)  # before SQLite, which would drop what is damaged and say nothing
        self._connection = self._connected()
        application = self._pragma("application_id")
        if application != APPLICATION:
            objects = self._connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
            if application or objects.scalar_one():
                raise StoreDamaged(
                    f"expected {self.path} to be a store of Stoic or an empty file, got another "
                    "database; name another file"
                )
        if self._pragma("journal_mode") != "wal":
            self._pragma("journal_mode=WAL")
        begin = self.begin_read if application == APPLICATION else self.begin_write
        with self._transaction(begin) as connection:
            if application != APPLICATION:
                connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
            schema.prepare(connection)

    def _pragma(self, words: str) -> Any:
        assert self._connection is not None
        return self._connection.exec_driver_sql(f"PRAGMA {words}").scalar()

    def check(self, connection: Connection) -> None:
        found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
        if found != "ok":
            raise StoreDamaged(f"expected {self.path} to be whole, got {found!r}; restore a copy")

    def exclusive(self, connection: Connection) -> None:
        """Every transaction that writes is."""

    def now(self, clock: object) -> float:
        del clock
        return time.time()

    @property
    def lease_clock(self) -> str:  # type: ignore[override]
        return clocks.machine()

    def lease_now(self, now: float) -> float:
        del now  # this client's, and nobody else's
        return clocks.seconds()

    def _turn(self) -> AbstractContextManager[None]:
        self._check_fork()
        return self._queue.turn(_PATIENCE)

    def _connected(self) -> Connection:
        self._check_fork()
        return super()._connected()

    def _check_fork(self) -> None:
        if _torn and self._identity() in _torn:
            raise StoreUnavailable(
                f"expected a process that was not forked within a transaction on {self.path}, got "
                "one that was: SQLite takes its parent's locks for its own; use the store in a "
                "process that is started anew"
            )

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _rest(self) -> None:
        # SQLite knows the locks of a process by the file: in a child, a new connection would take
        # locks of an inherited one for its own, and others would delete the log under it.
        self.drop()

    def after_fork_in_child(self) -> None:
        identity = self._identity()
        rested = self._quiet and not self._within and self._connection is None
        if identity is not None and not rested:
            _torn.add(identity)
        super().after_fork_in_child()

    def driver_error(self) -> type[Exception]:
        return sqlite3.Error

    def explain(self, error: BaseException) -> StoreError | None:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:  # text that is not UTF-8 comes without a code
            decoded = isinstance(error, sqlite3.OperationalError)
            return self._damaged(error) if decoded else None
        kind = code & 0xFF
        if kind in _UNAVAILABLE:
            return StoreUnavailable(
                f"expected to use {self.path}, which {_UNAVAILABLE[kind]} ({error}); "
                "what was acknowledged is safe"
            )
        return self._damaged(error) if kind in _DAMAGED else None

    def _damaged(self, error: BaseException) -> StoreDamaged:
        return StoreDamaged(
            f"expected {self.path} to be a whole store of Stoic, got {error}; "
            "restore a copy, or name another file"
        )

    def close(self) -> None:
        if hasattr(self, "_engine"):
            super().close()
        self._queue.close()


def _configure(connection: Any, record: object) -> None:
    """Durable at every commit; nothing in the file is trusted beyond its data."""
    del record
    for words in (
        "synchronous=FULL",
        "foreign_keys=ON",
        "trusted_schema=OFF",
        "cell_size_check=ON",
        "temp_store=MEMORY",
    ):
        connection.execute(f"PRAGMA {words}")
