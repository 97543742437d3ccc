"""Where stores are: paths and URLs, and how they are shown without their passwords."""

from __future__ import annotations

import os
import re
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from stoic.errors import InvalidInput
from stoic.redaction import harmless, redacted_url

__all__ = ["place", "secrets", "shown", "without_password"]

_KINDS = "a path, or a URL like sqlite:///study.db or postgresql://user@host/database"
# Meant to be no file: a URL with pieces missing, user:password@host, libpq's host=… password=…
_ALMOST = re.compile(
    r"postgres\w*(\+\w+)?(:|//).*|[^/\s:@]{2,}:.*@.+|(?=.*\bpassword\s*=)\s*\w+\s*=.*"
    r"|\s*\w+\s*=\s*\S*(\s+\w+\s*=\s*\S*)+\s*",
    re.IGNORECASE | re.DOTALL,
)


def place(store: object) -> sa.URL:
    """The URL of a path or URL; a path is absolute, so that a change of directory is none.

    >>> place("postgresql://ann@db/tuning").drivername
    'postgresql+psycopg'
    """
    if isinstance(store, os.PathLike):
        store = os.fspath(store)
    if not isinstance(store, str):  # not described: it may hold a URL
        raise InvalidInput(f"expected store as {_KINDS}, got {type(store).__name__}")
    if not store or "\0" in store:
        raise _malformed(store)
    if "://" not in store:
        if _ALMOST.fullmatch(store):
            raise _malformed(store)
        return _file(store)
    try:
        url = sa.make_url(store)
    except (ArgumentError, ValueError):
        raise _malformed(store) from None  # the cause may quote a password
    kind = url.drivername.partition("+")[0]
    if kind == "sqlite":
        return _file(url.database or "")
    if kind not in ("postgresql", "postgres"):
        raise InvalidInput(f"expected store as {_KINDS}, got a URL of {url.drivername}")
    if "@" in (url.host or ""):  # a part of the password, which messages would show
        raise _malformed(store)
    return url.set(drivername="postgresql+psycopg")


def shown(url: sa.URL) -> str:
    """A URL for people: without its secrets.

    >>> shown(place("postgresql://ann:hush@db/tuning?sslpassword=hush"))
    'postgresql+psycopg://ann:***@db/tuning?sslpassword=***'
    """
    text = url.render_as_string(hide_password=False)
    return text if url.drivername.startswith("sqlite") else redacted_url(text)


def secrets(url: sa.URL) -> list[str]:
    """What no message may show of a URL; not where it is the same as a part that is shown."""
    query = url.normalized_query.items()
    hidden = [value for name, values in query if not harmless(name) for value in values]
    hidden += [] if url.password is None else [str(url.password)]
    return [value for value in hidden if value not in (url.username, url.host, url.database)]


def without_password(store: str) -> str:
    """A store that is opened with the password of ``PGPASSWORD`` or ``~/.pgpass``.

    >>> without_password("postgresql://ann:hush@db/tuning"), without_password("stoic.db")
    ('postgresql://ann@db/tuning', 'stoic.db')
    """
    if place(store).drivername.startswith("sqlite"):
        return store
    url = sa.make_url(store)._replace(password=None)
    return shown(url.difference_update_query(["password"]))


def _malformed(store: str) -> InvalidInput:
    return InvalidInput(
        f"expected store as {_KINDS}, got {redacted_url(store)!r}; in a password write %40 for @ "
        "and %2F for /, and for a file of such a name ./NAME"
    )


def _file(path: str) -> sa.URL:
    if path in ("", "-", ":memory:") or path.startswith("file:"):
        raise InvalidInput(
            f"expected a file for the study to live in, got {path!r}; "
            "for a run that need not be kept, use stoic.Optimizer"
        )
    named = Path(path).expanduser().absolute()
    # SQLite keeps its log beside the file that a symbolic link leads to, so the lock is there, too
    found = os.path.realpath(named) if os.path.islink(named) else named
    return sa.URL.create("sqlite+pysqlite", database=str(found))
