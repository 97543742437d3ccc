"""Stores of studies: SQLite files and PostgreSQL databases, every row with its digest."""

from stoic.study.store.database import Database
from stoic.study.store.guards import check_store
from stoic.study.store.postgres import PostgreSQL
from stoic.study.store.sqlite import SQLite
from stoic.study.store.urls import store_url

__all__ = ["Database", "open_store"]


def open_store(store: object, *, make: bool, mode: int = 0o600, convert: bool = True) -> Database:
    """Open the store at a path or URL; a new store is made only if ``make``.

    ``mode`` are the permissions of new files. Without ``convert``, a store of an older format is an
    error; else it is converted.
    """
    url = store_url(store)
    if not url.is_file:
        return PostgreSQL(url, convert=convert)
    if not make:
        check_store(url.path)
    return SQLite(url, mode, convert=convert)
