"""Opening a store, whatever it is."""

from __future__ import annotations

from stoic.study.database import Database
from stoic.study.looking import check_store
from stoic.study.places import place
from stoic.study.postgres import PostgreSQL
from stoic.study.sqlite import SQLite

__all__ = ["open_store"]


def open_store(store: object, *, make: bool, mode: int = 0o600) -> Database:
    """The store at a path or URL; a file that is none is made one only if ``make``.

    ``mode`` are the permissions of new files.
    """
    url = place(store)
    if url.drivername.startswith("postgresql"):
        return PostgreSQL(url)
    if not make:
        check_store(str(url.database))
    return SQLite(url, mode)
