"""Opening a store, whatever it is."""

from __future__ import annotations

from stoic.study.store.database import Database
from stoic.study.store.postgres import PostgreSQL
from stoic.study.store.probe import check_store
from stoic.study.store.sqlite import SQLite
from stoic.study.store.urls import place

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
