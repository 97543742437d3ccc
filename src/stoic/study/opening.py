"""Opening a store, whatever it is."""

from __future__ import annotations

import os

from stoic.errors import StoreUnavailable
from stoic.study.database import Database
from stoic.study.places import place
from stoic.study.postgres import PostgreSQL
from stoic.study.sqlite import SQLite

__all__ = ["open_store"]


def open_store(store: object, *, make: bool) -> Database:
    """The store at a path or URL; a file that is not there is made only if ``make``."""
    url = place(store)
    if url.drivername.startswith("postgresql"):
        return PostgreSQL(url)
    if not make and not os.path.exists(str(url.database)):
        raise StoreUnavailable(
            f"expected a store at {url.database}, got none; look at the path, or make a study there"
        )
    return SQLite(url)
