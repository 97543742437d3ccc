"""Stores in a file: SQLite with a write-ahead log that is synced at every commit."""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import time
from contextlib import AbstractContextManager, suppress
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.pool import NullPool

from stoic.errors import StoreDamaged, StoreError, StoreUnavailable
from stoic.files import create
from stoic.study.repair.wal import check_wal
from stoic.study.store import clocks, schema
from stoic.study.store import counters as marks
from stoic.study.store.database import Database
from stoic.study.store.guards import check_files, check_tables, deadline, guard, objects
from stoic.study.store.presence import Presence
from stoic.study.store.probe import APPLICATION
from stoic.study.store.queue import Queue
from stoic.study.store.statements import driver

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

    def __init__(self, url: sa.URL, mode: int = 0o600) -> None:
        self.path = str(url.database)
        if os.path.isdir(self.path):
            raise StoreUnavailable(f"expected a file, got the folder {self.path}; name a file")
        check_files(self.path)
        self._mode = mode  # of new files
        self._presence = Presence(self.path)
        self._schema: int | None = None  # changes with the tables
        self._queue = self._make_queue()
        try:
            self._look()
            super().__init__(url)
        except BaseException:
            self.close()
            raise

    def _make_queue(self) -> Queue:
        with suppress(OSError):  # which the queue explains
            there = os.path.exists(self.path)
            mode = stat.S_IMODE(os.stat(self.path).st_mode) & 0o666 if there else self._mode
            create(self.path + "-lock", mode)
        return Queue(self.path + "-lock")

    def _look(self) -> None:
        """Look at the file's size; to open it here would drop the locks of other connections."""
        with self._turn():
            try:
                size = os.stat(self.path).st_size
            except OSError:
                marks.forget(self._queue.file)  # the file was deleted, and with it its studies
                return
        if 0 < size < _LEAST or (size == 0 and marks.marks(self._queue.file)):
            raise self._rest_of(size)

    def _rest_of(self, size: int) -> StoreDamaged:
        return StoreDamaged(
            f"expected {self.path} to be a whole store of Stoic, got a rest of {size} bytes; "
            "restore a copy, or name another file to begin anew"
        )

    def _committed(self) -> None:
        self._presence.check()
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
        if not os.path.exists(self.path):
            self._make_file()
        self._connection = self._connected()
        known = self._is_store()
        if self._pragma("journal_mode") != "wal":
            self._pragma("journal_mode=WAL")
        with self._transaction(self.begin_read if known else self.begin_write) as connection:
            if not known:
                connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
                connection.exec_driver_sql(f"PRAGMA user_version={secrets.randbits(31)}")
            schema.prepare(connection)
        uid = self._pragma("user_version")
        self._presence.opened(uid)
        self._schema = self._pragma("schema_version")
        with suppress(OSError):
            marks.belong(self._queue.file, f"{uid:032x}")

    def _make_file(self) -> None:
        """An empty file; what is left of a store that was here is not taken for its own."""
        try:
            with suppress(FileNotFoundError):  # values may be there and nowhere else
                os.replace(f"{self.path}-wal", f"{self.path}-wal.old")
            with suppress(FileNotFoundError):  # of workers that have the former store open still
                os.unlink(f"{self.path}-shm")
            create(self.path, self._mode)
        except OSError as cause:
            raise StoreUnavailable(
                f"expected to make {self.path}, got {cause.strerror}; make its folder writable, or "
                "name another store"
            ) from cause

    def _is_store(self) -> bool:
        """Whether the file is a store, with the tables of one; False where nothing is in it."""
        assert self._connection is not None
        application, raw = self._pragma("application_id"), driver(self._connection)
        if application == APPLICATION:
            check_tables(raw, self.path)
            return True
        if application or objects(raw):
            raise StoreDamaged(
                f"expected {self.path} to be a store of Stoic or an empty file, got another "
                "database; name another file"
            )
        if marks.marks(self._queue.file):
            raise self._rest_of(os.path.getsize(self.path))
        return False

    def _connected(self) -> Connection:
        self._check_fork()
        self._presence.check()
        check_wal(self.path)  # before SQLite, which would drop what is damaged and say nothing
        return super()._connected()

    def _begun(self, begin: str) -> Connection:
        if self._connection is not None:
            try:
                self._presence.check()
            except StoreUnavailable:
                self.drop()  # which saves what is in a log that was deleted
                raise
        return super()._begun(begin)

    def _entered(self, connection: Connection) -> None:
        raw = driver(connection)
        if self._presence.new:
            self._presence.connected(raw.execute("PRAGMA user_version").fetchone()[0])
        found = raw.execute("PRAGMA schema_version").fetchone()[0]
        if self._schema is not None and found != self._schema:
            check_tables(raw, self.path)
            self._schema = found

    def drop(self) -> None:
        super().drop()
        self._presence.disconnected()

    def _pragma(self, words: str) -> Any:
        assert self._connection is not None
        return self._connection.exec_driver_sql(f"PRAGMA {words}").scalar()

    def check(self, connection: Connection) -> None:
        with deadline(driver(connection), self.path):
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
        if not self._queue.whole():
            self._queue.close()
            self._queue = self._make_queue()
        return self._queue.turn(_PATIENCE)

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
    guard(connection)
    for words in ("synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {words}")
