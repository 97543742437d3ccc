"""Where stores are: paths and URLs."""

from __future__ import annotations

import os
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from stoic.checks import describe
from stoic.errors import InvalidInput

__all__ = ["place"]

_KINDS = "a path, or a URL like sqlite:///study.db or postgresql://user@host/database"


def place(store: object) -> sa.URL:
    """The URL of a path or URL; a path is absolute, so that a change of directory is none.

    >>> place("postgresql://ann@db/tuning").drivername
    'postgresql+psycopg'
    """
    if isinstance(store, os.PathLike):
        store = os.fspath(store)
    if not isinstance(store, str) or not store or "\0" in store:
        raise InvalidInput(f"expected store as {_KINDS}, got {describe(store)}")
    if "://" not in store:
        return _file(store)
    try:
        url = sa.make_url(store)
    except (ArgumentError, ValueError) as cause:
        raise InvalidInput(f"expected store as {_KINDS}, got {store!r}") from cause
    kind = url.drivername.partition("+")[0]
    if kind == "sqlite":
        return _file(url.database or "")
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise InvalidInput(f"expected store as {_KINDS}, got a URL of {url.drivername}")


def _file(path: str) -> sa.URL:
    if path in ("", ":memory:") or path.startswith("file:"):
        raise InvalidInput(
            f"expected a file for the study to live in, got {path!r}; "
            "for a run that need not be kept, use stoic.Optimizer"
        )
    named = Path(path).expanduser().absolute()
    # SQLite keeps its log beside the file that a symbolic link leads to, so the lock is there, too
    found = os.path.realpath(named) if os.path.islink(named) else named
    return sa.URL.create("sqlite+pysqlite", database=str(found))
