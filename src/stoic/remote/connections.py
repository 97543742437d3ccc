"""Connections to one server that stay open, each used by one thread at a time."""

from __future__ import annotations

import select
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any, NamedTuple

from stoic.forks import ForkAware, Lock
from stoic.remote.address import Address
from stoic.remote.reading import limited

__all__ = ["Connections", "Reply", "Request", "Stale"]

_CONNECT_SECONDS = 10.0
_MAX_REPLY_BYTES = 2**26  # the definition of a policy on very many arms is the longest
_PIECE_BYTES = 2**16
_MAX_IDLE = 8  # connections that are kept; more are closed after use


class Request(NamedTuple):
    """A request as it goes over the wire."""

    method: str
    path: str
    body: bytes | None
    headers: Mapping[str, str]


class Reply(NamedTuple):
    """A whole reply."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Stale(ConnectionError):
    """A connection that the server had closed while it was idle: the next one may work at once."""


class Connections(ForkAware):
    """A few connections to one server. A forked child begins without any."""

    def __init__(self, address: Address) -> None:
        self._address = address
        # the machine's certificate authorities, or those of the file in SSL_CERT_FILE
        self._trusted: ssl.SSLContext | None = None
        self._idle: list[HTTPConnection] = []
        self._all: set[HTTPConnection] = set()
        self._guard = Lock()
        self._closed = False
        self.join_forks()

    def after_fork_in_child(self) -> None:
        """Close the child's copies, which does not end the parent's connections."""
        for connection in self._all:
            _close(connection)
        self._idle, self._all = [], set()

    def close(self) -> None:
        """Close those that are idle, and each other one after its use."""
        with self._guard:
            self._closed = True
            for connection in self._idle:
                self._drop(connection)
            self._idle = []

    def exchange(self, request: Request, seconds: float) -> Reply:
        """Send a request and read the whole reply within ``seconds``."""
        deadline = time.monotonic() + seconds
        connection, used = self._take(seconds)
        whole = False
        try:
            reply, whole = _exchanged(connection, request, deadline)
        except ConnectionError as error:
            if used:
                raise Stale(*error.args) from error
            raise
        finally:
            self._give_back(connection, whole)
        return reply

    def _take(self, seconds: float) -> tuple[HTTPConnection, bool]:
        """A connection, and whether it was used before."""
        with self._guard:
            while self._idle:
                connection = self._idle.pop()
                if not _ended(connection):
                    return connection, True
                self._drop(connection)
            made = self._made(min(seconds, _CONNECT_SECONDS))
            self._all.add(made)
            return made, False

    def _made(self, seconds: float) -> HTTPConnection:
        where = self._address
        if where.scheme == "http":
            return HTTPConnection(where.host, where.port, timeout=seconds)
        if self._trusted is None:
            self._trusted = ssl.create_default_context()
        return HTTPSConnection(where.host, where.port, timeout=seconds, context=self._trusted)

    def _give_back(self, connection: HTTPConnection, whole: bool) -> None:
        with self._guard:
            if connection not in self._all:
                return  # of the parent, before a fork
            if whole and not self._closed and len(self._idle) < _MAX_IDLE:
                self._idle.append(connection)
            else:
                self._drop(connection)

    def _drop(self, connection: HTTPConnection) -> None:
        self._all.discard(connection)
        _close(connection)


def _exchanged(connection: HTTPConnection, request: Request, deadline: float) -> tuple[Reply, bool]:
    """The reply, and whether the connection may be used again."""
    if connection.sock is None:
        connection.connect()
    connection.sock.settimeout(max(deadline - time.monotonic(), 0.001))

    def response(sock: Any, *words: Any, **named: Any) -> HTTPResponse:
        return HTTPResponse(limited(sock, deadline, _MAX_REPLY_BYTES), *words, **named)

    connection.response_class = response  # type: ignore[assignment]  # it is called, no more
    connection.request(request.method, request.path, request.body, dict(request.headers))
    with connection.getresponse() as answer:
        parts = []
        while part := answer.read(_PIECE_BYTES):  # in one piece, its length would be allocated
            parts.append(part)
        if answer.length:
            raise IncompleteRead(b"", answer.length)
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, headers, b"".join(parts)), not answer.will_close


def _ended(connection: HTTPConnection) -> bool:
    """Whether an idle connection was closed by the server, or has bytes that nobody asked for."""
    sock = connection.sock
    if sock is None:
        return True
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(sock, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _close(connection: HTTPConnection) -> None:
    with suppress(OSError):
        connection.close()
