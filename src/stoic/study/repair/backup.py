"""A copy of a store in use: as it is at one moment, verified, whole or not at all.

To copy the file alone with ``cp`` loses what is still in its write-ahead log, and the copy can't
know: it is a whole store of some earlier moment.
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

_BESIDE = ("-wal", "-shm", "-lock", "-journal")  # ends of names of the files beside a store
_PATIENCE_SECONDS = 60.0  # for those who write to a store that is to be replaced


def back_up(
    store: str | os.PathLike[str], path: str | os.PathLike[str], *, force: bool = False
) -> dict[str, int]:
    """Copy a store to a new file; how many trials each of its studies has."""
    database = open_store(store, make=False)
    try:
        return backup(database, path, force=force)
    finally:
        database.close()


def backup(
    database: Database, path: str | os.PathLike[str], *, force: bool = False
) -> dict[str, int]:
    """As `back_up`, of a store that is open."""
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
        raise InvalidInput(f"expected a file to write, got {new}, which is none; name another")
    left = [new + end for end in ("", *_BESIDE) if os.path.lexists(new + end)]
    if left and not force:
        raise InvalidInput(
            f"expected a new file, got {left[0]}, which exists; name another, or use --force "
            "(force=True) to replace it"
        )


def _copy(database: SQLite, draft: str) -> None:
    """SQLite's own copy: the pages of one moment, whoever writes meanwhile."""
    create(draft, 0o600)
    with database.read() as connection:
        names(connection)  # the first row that is read sets the moment
        try:
            with closing(sqlite3.connect(draft)) as copy:
                connection.driver.backup(copy)
        except sqlite3.Error as error:
            raise database.explain(error) or error from error


def _verified(draft: str) -> dict[str, int]:
    """How many trials each study of the copy has, once every row was read."""
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
    """Take the place of what was there, in the turn of those who write to it."""
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
    """Remove a store in a file, with what stands beside it."""
    for end in ("", *_BESIDE):
        with suppress(OSError):
            os.unlink(path + end)
