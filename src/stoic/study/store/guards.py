"""Guard against malicious SQLite files: a store holds the tables that Stoic makes, nothing else.

A file from elsewhere may hold an endless view under a table's name, triggers, generated columns or
virtual tables. SQLite runs those when a row is read. So the definitions are compared with Stoic's
own before any row is read. Reading definitions runs nothing.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from urllib.parse import quote

from stoic.errors import StoreDamaged, StoreMissing, StoreUnavailable
from stoic.forks import Unforked
from stoic.study.store.connection import SQLITE, Connection
from stoic.study.store.rows import RESTORE
from stoic.study.store.schema import FORMAT, STEPS, create, create_first, create_second

__all__ = [
    "APPLICATION",
    "check_files",
    "check_store",
    "check_tables",
    "deadline",
    "guard",
    "objects",
]

APPLICATION = 0x53746F69  # "Stoi", in the header of every store

Definition = tuple[str, str, str, str | None]  # kind, name, of which table, normalised SQL

_CONSTRAINT = re.compile(r",(?:PRIMARYKEY|UNIQUE|FOREIGNKEY)\([^()]*\)(?:REFERENCES\w+\([^()]*\))?")
_MAX_OBJECTS = 32  # tables and indexes that are read; Stoic makes ten
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 2**29,  # bytes of a row; a definition has 2²⁸ at most
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,  # bytes
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 10,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_STATISTICS = {  # what ANALYZE leaves
    ("table", "sqlite_stat1", "sqlite_stat1", "CREATETABLEsqlite_stat1(tbl,idx,stat)"),
    ("table", "sqlite_stat4", "sqlite_stat4",
     "CREATETABLEsqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
}  # fmt: skip
_OPERATIONS_PER_CHECK = 100_000  # steps of SQLite between two checks of the time; about 1 ms
_BASE_SECONDS, _BYTES_PER_SECOND = 10.0, 2e6  # of a check; a slow disk reads faster


def guard(connection: sqlite3.Connection) -> None:
    """Make SQLite trust nothing in the file but its data; called first on every connection."""
    for words in ("trusted_schema=OFF", "cell_size_check=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {words}")
    for limit, value in _LIMITS.items():
        connection.setlimit(limit, value)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)


def objects(connection: sqlite3.Connection) -> int:
    """How many tables, indexes, views and triggers there are."""
    return int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


def check_tables(connection: sqlite3.Connection, path: str) -> None:
    """Raise `StoreDamaged` unless the file holds exactly the tables that Stoic makes."""
    found = _definitions(connection)
    own = [each for each in found if each not in _STATISTICS]
    if set(own) in map(set, _expected()) or _newer(connection, found):
        return
    expected = _expected()[0]
    strange = next((each[:2] for each in own if each not in expected), None)
    missing = next((each[:2] for each in expected if each not in own), ("", ""))
    what = f"another {strange[0]} {strange[1]!r}" if strange else f"no {' '.join(missing)}"
    raise StoreDamaged(
        f"expected {path} to hold the tables of Stoic and nothing else, got {what[:100]}", RESTORE
    )


def _newer(connection: sqlite3.Connection, found: list[Definition]) -> bool:
    """Whether a newer Stoic made the store; the table of its format has not changed since."""
    known = [each for each in _expected()[0] if each[1] == "stoic_meta"]
    if [each for each in found if each[1] == "stoic_meta"] != known:
        return False
    rows = connection.execute("SELECT format FROM stoic_meta LIMIT 2").fetchall()
    return len(rows) == 1 and isinstance(rows[0][0], int) and rows[0][0] > FORMAT


@cache
def _expected() -> list[list[Definition]]:
    """The definitions of new stores of all formats, and of those converted from format 1."""
    converted = [_made(create_first, *STEPS[:count]) for count in range(len(STEPS) + 1)]
    return [_made(create), _made(create_second), *converted]


def _made(*steps: Callable[[Connection], None]) -> list[Definition]:
    """The definitions as SQLite holds them after these steps."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        for step in steps:
            step(Connection(memory, SQLITE))
        return _definitions(memory)


def _definitions(connection: sqlite3.Connection) -> list[Definition]:
    words = f"SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT {_MAX_OBJECTS}"
    return [
        (str(kind), str(name), str(table), None if sql is None else _normal(str(sql)))
        for kind, name, table, sql in connection.execute(words)
    ]


def _normal(sql: str) -> str:
    """A definition without spaces and quotes, its constraints sorted, since their order varies.

    >>> _normal('CREATE TABLE "t" (a INTEGER, UNIQUE (a), PRIMARY KEY (a))')
    'CREATETABLEt(aINTEGER),PRIMARYKEY(a),UNIQUE(a)'
    """
    text = re.sub(r'[\s"]+', "", sql)
    return _CONSTRAINT.sub("", text) + "".join(sorted(_CONSTRAINT.findall(text)))


@contextmanager
def deadline(connection: sqlite3.Connection, path: str) -> Iterator[None]:
    """Interrupt a check of the whole file that takes far longer than reading it."""
    seconds = _BASE_SECONDS + os.path.getsize(path) / _BYTES_PER_SECOND
    end = time.monotonic() + seconds
    connection.set_progress_handler(lambda: int(time.monotonic() > end), _OPERATIONS_PER_CHECK)
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_INTERRUPT:
            raise
        raise StoreDamaged(
            f"expected the check of {path} to end within {seconds:.0f} s, got no end", RESTORE
        ) from error
    finally:
        connection.set_progress_handler(None, 0)


def check_files(path: str) -> None:
    """Raise `StoreDamaged` where one of a store's files is a pipe, a device or a socket.

    Reading a pipe would never end.
    """
    for end in ("", "-wal", "-shm", "-lock"):
        try:
            mode = os.stat(path + end).st_mode
        except OSError:
            continue
        if not stat.S_ISREG(mode) and not (end == "" and stat.S_ISDIR(mode)):
            raise StoreDamaged(
                f"expected {path}{end} to be a regular file, got another kind",
                "remove it, or name another store",
            )


_reading = Unforked()  # a forked child can't release locks inside SQLite


def check_store(path: str) -> None:
    """Raise unless there is a file at ``path`` that is a store, or was one.

    Where a lock file has counters, the file was a store: opening it will show what is wrong with
    it. Elsewhere SQLite reads the file as immutable, which makes no other files.
    """
    if not os.path.exists(path):
        raise StoreMissing(
            f"expected a store at {path}, got none; check the path, or make a study there"
        )
    check_files(path)
    if os.path.isdir(path) or _size(path + "-lock") > 0:
        return
    if _size(path) == 0 and _size(path + "-wal") == 0:
        raise StoreMissing(
            f"expected a store at {path}, got an empty file; check the path, or make a study there"
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
        # Failed access raises an OperationalError with a specific code; a strange file does not.
        strange = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
        if isinstance(error, sqlite3.OperationalError) and not strange:
            raise StoreUnavailable(
                f"expected to read {path}, got {error}; give access to the file"
            ) from error
        if _size(path + "-wal") > 0 and _application(path) == APPLICATION:
            return  # the log may hold a whole copy of the page: opening it will show
        raise _other(path, f"a file of {_size(path)} bytes that is not one ({error})") from error
    fresh = not application and not tables and _size(path + "-wal") > 0  # all is in the log
    if application != APPLICATION and not fresh:
        raise _other(path, "another database")


def _other(path: str, what: str) -> StoreDamaged:
    return StoreDamaged(
        f"expected {path} to be a store of Stoic, got {what}",
        "restore a copy if it was one, or name the file of a store",
    )


def _application(path: str) -> int:
    """The application id in the file's header."""
    with open(path, "rb") as file:
        return int.from_bytes(file.read(72)[68:], "big")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
