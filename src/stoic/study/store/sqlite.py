"""Stores in a file: SQLite with a write-ahead log that is synced at every commit."""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import time
from contextlib import AbstractContextManager, suppress
from typing import Any

from stoic.errors import StoreDamaged, StoreError, StoreUnavailable
from stoic.files import create
from stoic.study.store import clocks, schema
from stoic.study.store.connection import SQLITE, Connection
from stoic.study.store.database import Database
from stoic.study.store.guards import (
    APPLICATION,
    check_files,
    check_tables,
    deadline,
    guard,
    objects,
)
from stoic.study.store.lockfile import Counters, LockFile
from stoic.study.store.presence import Presence
from stoic.study.store.urls import StoreUrl
from stoic.study.store.wal import check_wal

__all__ = ["SQLite"]

_MIN_BYTES = 512  # of a database; SQLite accepts a file of one byte as an empty one
_PATIENCE_SECONDS = 60.0  # that a writer waits for the others

_UNAVAILABLE = {
    sqlite3.SQLITE_PERM: "is not ours to write; change its permissions",
    sqlite3.SQLITE_BUSY: "is locked by another program; end that program, then go on",
    sqlite3.SQLITE_LOCKED: "is locked by another program; end that program, then go on",
    sqlite3.SQLITE_NOMEM: "needs more memory than there is; free some, then go on",
    sqlite3.SQLITE_READONLY: "is read-only; make the file and its folder writable",
    sqlite3.SQLITE_IOERR: "could not be read or written; check the disk, then go on",
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

_torn: set[tuple[int, int]] = set()  # device and inode of files whose locks were inherited


class SQLite(Database):
    """A store in a file, without a server."""

    begin_write = "BEGIN IMMEDIATE"
    begin_read = "BEGIN"

    def __init__(self, url: StoreUrl, mode: int = 0o600, *, convert: bool = True) -> None:
        self.path, self._convert = url.path, convert
        if os.path.isdir(self.path):
            raise StoreUnavailable(f"expected a file, got the folder {self.path}; name a file")
        check_files(self.path)
        self._mode = mode  # of new files
        self._presence = Presence(self.path)
        self._schema: int | None = None  # changes with the tables
        self._lock_file = self._make_lock_file()
        try:
            self._check_size()
            super().__init__(url)
        except BaseException:
            self.close()
            raise

    def _make_lock_file(self) -> LockFile:
        with suppress(OSError):  # opening the lock file will explain it
            there = os.path.exists(self.path)
            mode = stat.S_IMODE(os.stat(self.path).st_mode) & 0o666 if there else self._mode
            create(self.path + "-lock", mode)
        return LockFile(self.path + "-lock")

    def _check_size(self) -> None:
        """Check the file's size; to open it here would drop the locks of other connections."""
        with self._turn():
            try:
                size = os.stat(self.path).st_size
            except OSError:
                self._lock_file.drop_counters()  # the file was deleted, and with it its studies
                return
        if 0 < size < _MIN_BYTES or (size == 0 and self._lock_file.counters()):
            raise self._rest_of(size)

    def _rest_of(self, size: int) -> StoreDamaged:
        return StoreDamaged(
            f"expected {self.path} to be a whole store of Stoic, got a rest of {size} bytes",
            "restore a copy, or name another file to begin anew",
        )

    def _committed(self) -> None:
        self._presence.check()
        changed, self._changed = self._changed, {}
        for row in changed.values():
            if row is not None:
                with suppress(OSError):  # the commit stands without its counters
                    counters = Counters(row.uid, row.next_number, row.entries)
                    self._lock_file.write_counters(row.id, counters)

    def counters(self) -> dict[int, Counters]:
        return self._lock_file.counters()

    def deleted(self, study: int) -> None:
        super().deleted(study)
        self._lock_file.drop_counters(study)  # before the commit: else they might outlive the study

    def _prepare(self) -> None:
        if not os.path.exists(self.path):
            self._make_file()
        self._connection = self._connect()
        known = self._is_store()
        if self._pragma("journal_mode") != "wal":
            self._pragma("journal_mode=WAL")
        with self._transaction(self.begin_read if known else self.begin_write) as connection:
            if not known:
                connection.execute(f"PRAGMA application_id={APPLICATION}")
                connection.execute(f"PRAGMA user_version={secrets.randbits(31)}")
            schema.prepare(connection, convert=self._convert)
        uid = self._pragma("user_version")
        self._presence.opened(uid)
        self._schema = self._pragma("schema_version")
        with suppress(OSError):
            self._lock_file.claim(f"{uid:032x}")

    def _make_file(self) -> None:
        """Make an empty file; set aside what is left of an earlier store at this path."""
        try:
            with suppress(FileNotFoundError):  # it may hold the only copy of values
                os.replace(f"{self.path}-wal", f"{self.path}-wal.old")
            with suppress(FileNotFoundError):  # of workers that still have the former store open
                os.unlink(f"{self.path}-shm")
            create(self.path, self._mode)
        except OSError as cause:
            raise StoreUnavailable(
                f"expected to make {self.path}, got {cause.strerror}; make its folder writable, or "
                "name another store"
            ) from cause

    def _is_store(self) -> bool:
        """Whether the file is a store with its tables; False where it is empty."""
        assert self._connection is not None
        application, driver = self._pragma("application_id"), self._connection.driver
        if application == APPLICATION:
            check_tables(driver, self.path)
            return True
        if application or objects(driver):
            raise StoreDamaged(
                f"expected {self.path} to be a store of Stoic or an empty file, got another "
                "database",
                "name another file",
            )
        if self._lock_file.counters():
            raise self._rest_of(os.path.getsize(self.path))
        return False

    def _connect(self) -> Connection:
        self._check_fork()
        self._presence.check()
        check_wal(self.path)  # before SQLite, which would drop damaged frames without an error
        driver = sqlite3.connect(
            self.path, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            guard(driver)  # nothing in the file is trusted beyond its data
            driver.execute("PRAGMA synchronous=FULL")  # durable at every commit
            driver.execute("PRAGMA foreign_keys=ON")
        except BaseException:
            driver.close()
            raise
        return Connection(driver, SQLITE)

    def _begun(self, begin: str) -> Connection:
        if self._connection is not None:
            try:
                self._presence.check()
            except StoreUnavailable:
                self.drop()  # closing saves what is in a log that was deleted
                raise
        return super()._begun(begin)

    def _entered(self, connection: Connection) -> None:
        if self._presence.new:
            self._presence.connected(connection.value("PRAGMA user_version"))
        found = connection.value("PRAGMA schema_version")
        if self._schema is not None and found != self._schema:
            check_tables(connection.driver, self.path)
            self._schema = found

    def drop(self) -> None:
        super().drop()
        self._presence.disconnected()

    def _pragma(self, words: str) -> Any:
        assert self._connection is not None
        return self._connection.value(f"PRAGMA {words}")

    def check(self, connection: Connection) -> None:
        with deadline(connection.driver, self.path):
            found = connection.value("PRAGMA integrity_check(1)")
        if found != "ok":
            raise StoreDamaged(f"expected {self.path} to be whole, got {found!r}", "restore a copy")

    def exclusive(self, connection: Connection) -> None:
        """Nothing to do: every transaction that writes is exclusive."""

    def now(self, clock: object) -> float:
        del clock
        return time.time()

    @property
    def lease_clock(self) -> str:  # type: ignore[override]
        return clocks.machine()

    def lease_now(self, now: float) -> float:
        del now  # the machine's clock is used instead
        return clocks.seconds()

    def _turn(self) -> AbstractContextManager[None]:
        self._check_fork()
        if not self._lock_file.whole():
            self._lock_file.close()
            self._lock_file = self._make_lock_file()
        return self._lock_file.turn(_PATIENCE_SECONDS)

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
        # SQLite keeps a process's locks by file. In a child, a new connection would take the locks
        # of an inherited one for its own, and other processes would delete the log in use.
        self.drop()

    def after_fork_in_child(self) -> None:
        identity = self._identity()
        rested = self._quiet and not self._within and self._connection is None
        if identity is not None and not rested:
            _torn.add(identity)
        super().after_fork_in_child()

    def _driver_errors(self) -> type[Exception]:
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
            f"expected {self.path} to be a whole store of Stoic, got {error}",
            "restore a copy, or name another file",
        )

    def close(self) -> None:
        if hasattr(self, "driver_errors"):
            super().close()
        self._lock_file.close()
