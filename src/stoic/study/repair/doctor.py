"""Check a store, from the file's header to the replay of its studies."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass

from stoic.errors import StoicError, StoreDamaged, StoreError, StoreUnavailable
from stoic.study.repair.checkup import study_issues
from stoic.study.repair.issues import Issue, damage, damage_of, fine, note
from stoic.study.store import Database, open_store
from stoic.study.store.connection import Connection
from stoic.study.store.guards import APPLICATION, check_files, check_tables, deadline, guard
from stoic.study.store.ledger import names
from stoic.study.store.lockfile import turn_at
from stoic.study.store.schema import FORMAT
from stoic.study.store.urls import shown, store_url
from stoic.study.store.verify import not_behind
from stoic.study.store.wal import read_wal

__all__ = ["Diagnosis", "Issue", "examine"]

_MAGIC = b"SQLite format 3\0"
_PATIENCE_SECONDS = 10.0  # wait for writers; then the store is copied anyway
_MAX_PAGE_ISSUES = 20


@dataclass(frozen=True)
class Diagnosis:
    """The issues found in a store."""

    store: str
    issues: tuple[Issue, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing is damaged."""
        return not any(issue.kind == "damage" for issue in self.issues)

    def __str__(self) -> str:
        return "\n".join(map(str, self.issues))


def examine(store: str | os.PathLike[str], watch: Callable[[str], None] | None = None) -> Diagnosis:
    """Check a store without changing it; ``watch`` is called with the name of each step.

    A copy is checked, since SQLite repairs, and so changes, the files that it opens.
    """
    url = store_url(store)
    watch = watch or (lambda _: None)
    if not url.is_file:
        return Diagnosis(shown(url), tuple(_content(store, watch)))
    path = url.path
    check_files(path)
    if not os.path.isfile(path):
        raise StoreUnavailable(f"expected a store at {path}, got none; check the path")
    with tempfile.TemporaryDirectory(prefix="stoic-doctor-") as folder:
        watch("copying the file")
        copy = _copied(path, folder)
        found = [*_header(copy), *_wal(copy)]
        if any(issue.stop for issue in found):
            return Diagnosis(path, tuple(found))
        watch("checking the pages")
        found += _pages(copy)
        if not any(issue.stop for issue in found):
            found += _content(copy, watch)
    return Diagnosis(path, tuple(issue.about(copy, path) for issue in found))


def _copied(path: str, folder: str) -> str:
    """A copy of a store at one moment: writers wait, and the write-ahead log is copied first."""
    copy = os.path.join(folder, "store.db")
    try:
        with turn_at(path, _PATIENCE_SECONDS, required=False):
            _copy(path, copy)
    except OSError as error:
        if isinstance(error, StoicError):
            raise
        raise StoreUnavailable(
            f"expected to read {path} and to copy it to {folder}, got {error.strerror}"
        ) from error
    return copy


def _copy(path: str, copy: str) -> None:
    for end in ("-lock", "-shm", "-wal"):
        with suppress(FileNotFoundError):
            shutil.copyfile(path + end, copy + end)
    shutil.copyfile(path, copy)


def _header(path: str) -> Iterator[Issue]:
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        header = file.read(100)
    if size == 0:
        yield note("header", "file", "it is empty: no store yet", stop=True)
        return
    if len(header) < 100 or header[:16] != _MAGIC:
        yield damage("header", "file", "its first bytes are not those of a SQLite file", stop=True)
        return
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    application = int.from_bytes(header[68:72], "big")
    pages = int.from_bytes(header[28:32], "big")
    fresh = not application and read_wal(path).committed  # the first page is still in the log
    if application != APPLICATION and not fresh:
        yield damage("header", "file", f"its application id is {application:#x}, not that of Stoic")
    if page_size < 512 or page_size & (page_size - 1):
        yield damage("header", "file", f"its header has pages of {page_size} bytes", stop=True)
    elif size % page_size or (size < pages * page_size and not read_wal(path).frames):
        words = f"its header has {pages} pages of {page_size} bytes, it has {size} bytes"
        yield damage("header", "file", words)
    else:
        yield fine("header", "file", f"{size} bytes, {size // page_size} pages")


def _wal(path: str) -> Iterator[Issue]:
    wal = read_wal(path)
    if wal.damage is not None:
        yield damage("wal", "write-ahead log", wal.damage, stop=True)
    elif wal.committed:
        yield fine("wal", "write-ahead log", f"{wal.committed} frames, all whole")
    else:
        yield fine("wal", "write-ahead log", "nothing waits in it")


def _pages(path: str) -> Iterator[Issue]:
    """Check that the tables are Stoic's, then let SQLite check pages, indexes and constraints."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            guard(connection)
            check_tables(connection, path)
            with deadline(connection, path):
                found = connection.execute(f"PRAGMA integrity_check({_MAX_PAGE_ISSUES})").fetchall()
    except StoreDamaged as error:
        yield damage_of("tables", "tables", error, stop=True)
        return
    except (sqlite3.Error, UnicodeError) as error:
        yield damage("pages", "pages", f"SQLite gives up: {error}")
        return
    words = [line for (text,) in found for line in str(text).splitlines()]
    if words == ["ok"]:
        yield fine("pages", "pages", "SQLite finds no fault")
    for line in () if words == ["ok"] else words[:_MAX_PAGE_ISSUES]:
        yield damage("pages", "pages", line)


def _content(store: str | os.PathLike[str], watch: Callable[[str], None]) -> Iterator[Issue]:
    """Check tables and studies, read as `stoic.Study` reads them."""
    try:
        database = open_store(store, make=False)
    except StoreUnavailable:
        raise
    except StoreError as error:
        yield damage_of("tables", "tables", error)
        return
    try:
        with database.read() as connection:
            found = names(connection)
            yield fine("tables", "tables", f"format {FORMAT}; studies: {len(found)}")
            yield from _behind(database, connection)
            for name in found:
                watch(f"reading study {name!r}")
                yield from study_issues(database, connection, name)
    except StoreUnavailable:
        raise
    except (StoreError, UnicodeError) as error:
        yield damage_of("tables", "tables", error)
    finally:
        database.close()


def _behind(database: Database, connection: Connection) -> Iterator[Issue]:
    """Check that no study is behind its counters in the lock file."""
    try:
        not_behind(connection, database.counters(), database.url.path)
    except StoreDamaged as error:
        yield damage_of("counters", "tables", error)
