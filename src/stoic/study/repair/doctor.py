"""Checks of a store from the file's header to the optimiser, and what they found, in words."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass

from sqlalchemy import Connection

from stoic.errors import StoicError, StoreDamaged, StoreError, StoreUnavailable
from stoic.study.listing import names
from stoic.study.repair.checkup import study_findings
from stoic.study.repair.issues import Finding, damage, fine, note
from stoic.study.repair.verify import not_behind
from stoic.study.repair.wal import read_wal
from stoic.study.store.database import Database
from stoic.study.store.guards import check_files, check_tables, deadline, guard
from stoic.study.store.opening import open_store
from stoic.study.store.probe import APPLICATION
from stoic.study.store.queue import Queue
from stoic.study.store.schema import FORMAT
from stoic.study.store.urls import place, shown

__all__ = ["Diagnosis", "Finding", "examine"]

_MAGIC = b"SQLite format 3\0"
_PATIENCE = 10.0  # seconds; a store that is written all the time is looked at all the same
_MOST = 20  # words of SQLite about its pages


@dataclass(frozen=True)
class Diagnosis:
    """What was found in a store."""

    store: str
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing is damaged."""
        return not any(finding.kind == "damage" for finding in self.findings)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings))


def examine(store: str | os.PathLike[str], watch: Callable[[str], None] | None = None) -> Diagnosis:
    """Look at a store without changing it; ``watch`` hears what is looked at next.

    A file is copied first, for SQLite would repair, and thereby change, what it opens.
    """
    url = place(store)
    watch = watch or (lambda _: None)
    if not url.drivername.startswith("sqlite"):
        return Diagnosis(shown(url), tuple(_content(store, watch)))
    path = str(url.database)
    if not os.path.isfile(path):
        check_files(path)
        raise StoreUnavailable(f"expected a store at {path}, got none; look at the path")
    check_files(path)
    with tempfile.TemporaryDirectory(prefix="stoic-doctor-") as folder:
        watch("copying the file")
        copy = _copied(path, folder)
        found = [*_header(copy), *_wal(copy)]
        if any(finding.stop for finding in found):
            return Diagnosis(path, tuple(found))
        watch("checking the pages")
        found += _pages(copy)
        if not any(finding.stop for finding in found):
            found += _content(copy, watch)
    return Diagnosis(path, tuple(f.about(copy, path) for f in found))


def _copied(path: str, folder: str) -> str:
    """A copy of a store at one moment: nobody writes meanwhile, and the log is copied first."""
    copy = os.path.join(folder, "store.db")
    queue = None
    with suppress(StoreError):  # where there is no lock file, or it is read-only, nobody writes
        queue = Queue(path + "-lock") if os.path.exists(path + "-lock") else None
    try:
        if queue is None:
            _copy(path, copy)
        else:
            with queue.turn(_PATIENCE):
                _copy(path, copy)
    except OSError as error:
        if isinstance(error, StoicError):
            raise
        raise StoreUnavailable(
            f"expected to read {path} and to copy it to {folder}, got {error.strerror}"
        ) from error
    finally:
        if queue is not None:
            queue.close()
    return copy


def _copy(path: str, copy: str) -> None:
    for end in ("-lock", "-shm", "-wal"):
        with suppress(FileNotFoundError):
            shutil.copyfile(path + end, copy + end)
    shutil.copyfile(path, copy)


def _header(path: str) -> Iterator[Finding]:
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        header = file.read(100)
    if size == 0:
        yield note("file", "it is empty: no store yet", stop=True)
        return
    if len(header) < 100 or header[:16] != _MAGIC:
        yield damage("file", "its first bytes are not those of a SQLite file", stop=True)
        return
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    application = int.from_bytes(header[68:72], "big")
    pages = int.from_bytes(header[28:32], "big")
    fresh = not application and read_wal(path).committed  # the first page is in the log still
    if application != APPLICATION and not fresh:
        yield damage("file", f"its application id is {application:#x}, not that of Stoic")
    if page_size < 512 or page_size & (page_size - 1):
        yield damage("file", f"its header tells pages of {page_size} bytes", stop=True)
    elif size % page_size or (size < pages * page_size and not read_wal(path).frames):
        yield damage(
            "file", f"its header tells {pages} pages of {page_size} bytes, it has {size} bytes"
        )
    else:
        yield fine("file", f"{size} bytes, {size // page_size} pages")


def _wal(path: str) -> Iterator[Finding]:
    wal = read_wal(path)
    if wal.damage is not None:
        yield damage("write-ahead log", wal.damage, stop=True)
    elif wal.committed:
        yield fine("write-ahead log", f"{wal.committed} frames, all whole")
    else:
        yield fine("write-ahead log", "nothing waits in it")


def _pages(path: str) -> Iterator[Finding]:
    """SQLite's own check of pages, cells, indexes and constraints, which are to be Stoic's own."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            guard(connection)
            check_tables(connection, path)
            with deadline(connection, path):
                found = connection.execute(f"PRAGMA integrity_check({_MOST})").fetchall()
    except StoreDamaged as error:
        yield damage("tables", _first(error), stop=True)
        return
    except (sqlite3.Error, UnicodeError) as error:
        yield damage("pages", f"SQLite gives up: {error}")
        return
    words = [line for (text,) in found for line in str(text).splitlines()]
    if words == ["ok"]:
        yield fine("pages", "SQLite finds no fault")
    for line in () if words == ["ok"] else words[:_MOST]:
        yield damage("pages", line)


def _content(store: str | os.PathLike[str], watch: Callable[[str], None]) -> Iterator[Finding]:
    """Tables and studies, read as a study reads them."""
    try:
        database = open_store(store, make=False)
    except StoreUnavailable:
        raise
    except StoreError as error:
        yield damage("tables", _first(error))
        return
    try:
        with database.read() as connection:
            found = names(connection)
            yield fine("tables", f"format {FORMAT}; studies: {len(found)}")
            yield from _behind(database, connection)
            for name in found:
                watch(f"reading study {name!r}")
                yield from study_findings(database, connection, name)
    except StoreUnavailable:
        raise
    except (StoreError, UnicodeError) as error:
        yield damage("tables", _first(error))
    finally:
        database.close()


def _behind(database: Database, connection: Connection) -> Iterator[Finding]:
    """Whether studies are as far as was noted beside the file."""
    try:
        not_behind(connection, database.before(), database.url.database)
    except StoreDamaged as error:
        yield damage("tables", _first(error))


def _first(error: Exception) -> str:
    return str(error).partition("; restore")[0]
