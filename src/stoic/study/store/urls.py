"""Paths and URLs of stores, and their text without passwords."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote

from stoic.errors import InvalidInput
from stoic.redaction import harmless, redacted_url

__all__ = ["StoreUrl", "connect_arguments", "secrets", "shown", "store_url", "without_password"]

_KINDS = "a path, or a URL like sqlite:///study.db or postgresql://user@host/database"
# Not meant as files: an incomplete URL, user:password@host, libpq's host=… password=…
_ALMOST_URL = re.compile(
    r"postgres\w*(\+\w+)?(:|//).*|[^/\s:@]{2,}:.*@.+|(?=.*\bpassword\s*=)\s*\w+\s*=.*"
    r"|\s*\w+\s*=\s*\S*(\s+\w+\s*=\s*\S*)+\s*",
    re.IGNORECASE | re.DOTALL,
)
_URL = re.compile(
    r"""(?P<scheme>[\w+]+)://
    (?:(?P<user>[^:/]*)(?::(?P<password>[^@]*))?@)?
    (?:\[(?P<host6>[^/?]+)\]|(?P<host>[^/:?]+))?(?::(?P<port>[0-9]+))?
    (?:/(?P<database>[^?]*))?(?:\?(?P<query>.*))?""",
    re.VERBOSE,
)
_HOST_AND_PORT = re.compile(r"[a-zA-Z0-9.-]*:[0-9]*")


@dataclass(frozen=True)
class StoreUrl:
    """The parts of a store's URL, decoded; a file has a ``database`` alone, which is its path."""

    scheme: str
    user: str | None = None
    password: str | None = None
    host: str | None = None
    port: int | None = None
    database: str | None = None
    query: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_file(self) -> bool:
        """Whether the store is a file of SQLite."""
        return self.scheme.partition("+")[0] == "sqlite"

    @property
    def path(self) -> str:
        """The path of a file, the name of a server's database."""
        return self.database or ""

    def text(self) -> str:
        """The URL with its secrets."""
        parts = [f"{self.scheme}://"]
        if self.user is not None:
            secret = "" if self.password is None else ":" + quote(self.password, safe=" +")
            parts.append(f"{quote(self.user, safe=' +')}{secret}@")
        if self.host is not None:
            parts.append(f"[{self.host}]" if ":" in self.host else self.host)
        if self.port is not None:
            parts.append(f":{self.port}")
        if self.database is not None:
            parts.append("/" + quote(self.database, safe=" +/"))
        pairs = [(name, value) for name in sorted(self.query) for value in self.query[name]]
        if pairs:
            words = (f"{quote_plus(name)}={quote_plus(value)}" for name, value in pairs)
            parts.append("?" + "&".join(words))
        return "".join(parts)


def store_url(store: object) -> StoreUrl:
    """The URL of a path or URL; a path is made absolute, in case the directory changes.

    >>> store_url("postgresql://ann@db/tuning").scheme
    'postgresql+psycopg'
    """
    if isinstance(store, os.PathLike):
        store = os.fspath(store)
    if not isinstance(store, str):  # not described: it may hold a URL
        raise InvalidInput(f"expected store as {_KINDS}, got {type(store).__name__}")
    if not store or "\0" in store:
        raise _malformed(store)
    if "://" not in store:
        if _ALMOST_URL.fullmatch(store):
            raise _malformed(store)
        return _file(store)
    if store.lower().startswith(("http://", "https://")):
        raise InvalidInput(
            f"expected store as {_KINDS}, got a server's address; use stoic.connect, or run this "
            "where the server's store is"
        )
    url = _parsed(store)
    if url.is_file:
        return _file(url.path)
    if url.scheme.partition("+")[0] not in ("postgresql", "postgres"):
        raise InvalidInput(f"expected store as {_KINDS}, got a URL of {url.scheme}")
    if "@" in (url.host or ""):  # a part of the password, which messages would show
        raise _malformed(store)
    return replace(url, scheme="postgresql+psycopg")


def _parsed(store: str) -> StoreUrl:
    found = _URL.fullmatch(store)
    if found is None:
        raise _malformed(store)
    query: dict[str, tuple[str, ...]] = {}
    for name, value in parse_qsl(found["query"] or ""):
        query[name] = (*query.get(name, ()), value)
    user, password, database = (
        None if found[part] is None else unquote(found[part])
        for part in ("user", "password", "database")
    )
    host, port = found["host"] or found["host6"], int(found["port"]) if found["port"] else None
    return StoreUrl(found["scheme"], user, password, host, port, database, query)


def connect_arguments(url: StoreUrl) -> dict[str, Any]:
    """The arguments of ``psycopg.connect``: libpq's names, several hosts joined by commas."""
    own = {"user": url.user, "password": url.password, "host": url.host, "port": url.port,
           "dbname": url.database}  # fmt: skip
    arguments: dict[str, Any] = {name: value for name, value in own.items() if value}
    arguments |= {name: ",".join(values) for name, values in url.query.items()}
    hosts = url.query.get("host", ())
    ports = url.query.get("port", ())
    if len(hosts) > 1 or (hosts and not ports and _HOST_AND_PORT.fullmatch(hosts[0])):
        pairs = [host.partition(":") for host in hosts]  # host=a:5432&host=b:5433
        arguments["host"] = ",".join(host for host, _, _ in pairs)
        if not ports:
            arguments["port"] = ",".join(port for _, _, port in pairs)
        elif any(port for _, _, port in pairs):
            raise _no_ports(url)
    if not re.fullmatch("[0-9,]*", str(arguments.get("port", ""))):
        raise _no_ports(url)
    return {"connect_timeout": 10, **arguments}


def _no_ports(url: StoreUrl) -> InvalidInput:
    return InvalidInput(
        f"expected a URL of PostgreSQL with a whole number as the port of each host, got "
        f"{shown(url)}; correct it"
    )


def shown(url: StoreUrl) -> str:
    """A URL for display, without its secrets.

    >>> shown(store_url("postgresql://ann:hush@db/tuning?sslpassword=hush"))
    'postgresql+psycopg://ann:***@db/tuning?sslpassword=***'
    """
    return url.text() if url.is_file else redacted_url(url.text())


def secrets(url: StoreUrl) -> list[str]:
    """Parts of a URL that no message may show, unless they equal a part that is shown."""
    hidden = [value for name, values in url.query.items() if not harmless(name) for value in values]
    hidden += [] if url.password is None else [url.password]
    return [value for value in hidden if value not in (url.user, url.host, url.database)]


def without_password(store: str) -> str:
    """The URL without its password, which ``PGPASSWORD`` or ``~/.pgpass`` must then give.

    >>> without_password("postgresql://ann:hush@db/tuning"), without_password("stoic.db")
    ('postgresql://ann@db/tuning', 'stoic.db')
    """
    if store_url(store).is_file:
        return store
    url = _parsed(store)
    query = {name: values for name, values in url.query.items() if name != "password"}
    return shown(replace(url, password=None, query=query))


def _malformed(store: str) -> InvalidInput:
    return InvalidInput(
        f"expected store as {_KINDS}, got {redacted_url(store)!r}; in a password write %40 for @ "
        "and %2F for /, and for a file of such a name ./NAME"
    )


def _file(path: str) -> StoreUrl:
    if path in ("", "-", ":memory:") or path.startswith("file:"):
        raise InvalidInput(
            f"expected a file for the study to live in, got {path!r}; "
            "for a run that need not be kept, use stoic.Optimizer"
        )
    named = Path(path).expanduser().absolute()
    # SQLite keeps its log beside the target of a symbolic link, so the lock file is there, too
    found = os.path.realpath(named) if os.path.islink(named) else named
    return StoreUrl("sqlite+pysqlite", database=str(found))
