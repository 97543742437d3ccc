"""Copy a store that is in use: the store at one moment, verified, whole or not at all.

A copy of the file alone, made with ``cp``, misses what is still in the write-ahead log. Nothing in
such a copy shows that: it is a whole store of an earlier moment.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing, suppress

from stoic.errors import InvalidInput, StoreUnavailable
from stoic.files import create, sync_folder
from stoic.study.store import Database, open_store
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, find, names
from stoic.study.store.lockfile import turn_at
from stoic.study.store.sqlite import SQLite
from stoic.study.store.urls import store_url
from stoic.study.store.verify import verify

__all__ = ["back_up", "backup", "remove_store"]

_BESIDE = ("-wal", "-shm", "-lock", "-journal")  # suffixes of the files beside a store
_PATIENCE_SECONDS = 60.0  # wait for writers of a store that is to be replaced


def back_up(
    store: str | os.PathLike[str], path: str | os.PathLike[str], *, force: bool = False
) -> dict[str, int]:
    """Copy a store to a new file; return the number of trials of each study."""
    database = open_store(store, make=False)
    try:
        return backup(database, path, force=force)
    finally:
        database.close()


def backup(
    database: Database, path: str | os.PathLike[str], *, force: bool = False
) -> dict[str, int]:
    """As `back_up`, for a store that is open."""
    if not isinstance(database, SQLite):
        raise InvalidInput(
            "expected a store in a file, got one of a server; use the server's own pg_dump"
        )
    target = store_url(path)
    if not target.is_file:
        raise InvalidInput("expected a file to copy the store to, got a URL; name a file")
    new = target.path
    _check_target(database.path, new, force)
    draft = f"{new}.{secrets.token_hex(4)}.draft"
    try:
        _copy(database, draft)
        counts = _verified(draft)
        _put(draft, new)
    except OSError as cause:
        if isinstance(cause, StoreUnavailable):
            raise
        raise StoreUnavailable(
            f"expected to write {new}, got {cause.strerror}; make room, or make its folder writable"
        ) from cause
    finally:
        remove_store(draft)
    return counts


def _check_target(path: str, new: str, force: bool) -> None:
    if os.path.exists(new) and os.path.samefile(path, new):
        raise InvalidInput(f"expected another file than the store itself, got {new}")
    if os.path.lexists(new) and not os.path.isfile(new):
        raise InvalidInput(
            f"expected a file to write, got {new}, which is not a regular file; name another"
        )
    left = [new + end for end in ("", *_BESIDE) if os.path.lexists(new + end)]
    if left and not force:
        raise InvalidInput(
            f"expected a new file, got {left[0]}, which exists; name another, or use --force "
            "(force=True) to replace it"
        )


def _copy(database: SQLite, draft: str) -> None:
    """Copy the pages of one moment by SQLite's backup, while others may write."""
    create(draft, 0o600)
    with database.read() as connection:
        names(connection)  # the first read sets the moment
        try:
            with closing(sqlite3.connect(draft)) as copy:
                connection.driver.backup(copy)
        except sqlite3.Error as error:
            raise database.explain(error) or error from error


def _verified(draft: str) -> dict[str, int]:
    """Read every row of the copy; return the number of trials of each study."""
    database = open_store(draft, make=False)
    try:
        with database.read() as connection:
            database.check(connection)
            return {name: _study(database, connection, name) for name in names(connection)}
    finally:
        database.close()


def _study(database: Database, connection: Connection, name: str) -> int:
    found = find(connection, name)
    assert found is not None  # within one transaction
    verify(connection, Ledger(database, found[0]), found[0])
    return found[0].next_number


def _put(draft: str, new: str) -> None:
    """Replace the file at ``new`` by the draft, while no writer holds its lock."""
    _synced(draft)
    with turn_at(new, _PATIENCE_SECONDS):
        for end in _BESIDE:
            with suppress(FileNotFoundError):
                os.unlink(new + end)
        os.replace(draft, new)
    sync_folder(os.path.dirname(new))


def _synced(path: str) -> None:
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def remove_store(path: str) -> None:
    """Remove the file of a store and the files beside it."""
    for end in ("", *_BESIDE):
        with suppress(OSError):
            os.unlink(path + end)
