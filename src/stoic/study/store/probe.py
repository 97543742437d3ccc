"""Whether a file is a store at all, found out without leaving a trace beside it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from urllib.parse import quote

from stoic.errors import StoreDamaged, StoreMissing, StoreUnavailable
from stoic.forks import Unforked
from stoic.study.store.guards import check_files, guard, objects

__all__ = ["APPLICATION", "check_store"]

APPLICATION = 0x53746F69  # "Stoi", in the header of every store

_reading = Unforked()  # SQLite has locks of its own, of which a child can't let go


def check_store(path: str) -> None:
    """Raise unless there is a file at ``path`` that is a store, or was one.

    Where a lock file has notes, somebody used a store: what is wrong with it then shows when it
    is opened. Elsewhere SQLite reads the file as one that nobody changes, which makes no files.
    """
    if not os.path.exists(path):
        raise StoreMissing(
            f"expected a store at {path}, got none; look at the path, or make a study there"
        )
    check_files(path)
    if os.path.isdir(path) or _size(path + "-lock") > 0:
        return
    if _size(path) == 0 and _size(path + "-wal") == 0:
        raise StoreMissing(
            f"expected a store at {path}, got an empty file; look at the path, or "
            "make a study there"
        )
    try:
        with (
            _reading,
            closing(sqlite3.connect(f"file:{quote(path)}?immutable=1", uri=True)) as connection,
        ):
            guard(connection)
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = objects(connection)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # it may quote the damage
        # Of what can't be done at the moment SQLite tells the kind; of a strange file, just this.
        strange = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
        if isinstance(error, sqlite3.OperationalError) and not strange:
            raise StoreUnavailable(
                f"expected to read {path}, got {error}; give access to the file"
            ) from error
        if _size(path + "-wal") > 0 and _application(path) == APPLICATION:
            return  # the log may hold the damaged page anew: opening it will show
        raise _other(path, f"a file of {_size(path)} bytes that is none ({error})") from error
    fresh = not application and not tables and _size(path + "-wal") > 0  # all is in the log
    if application != APPLICATION and not fresh:
        raise _other(path, "another database")


def _other(path: str, what: str) -> StoreDamaged:
    return StoreDamaged(
        f"expected {path} to be a store of Stoic, got {what}; restore a copy if it was one, or "
        "name the file of a store"
    )


def _application(path: str) -> int:
    """The application id as it stands in the file."""
    with open(path, "rb") as file:
        return int.from_bytes(file.read(72)[68:], "big")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
