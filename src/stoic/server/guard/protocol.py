"""Connections: how many there may be, and how long a request's headers may take."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from stoic.server.guard.outer import SECURITY_HEADERS
from stoic.server.settings import Limits

__all__ = ["limited"]

_PROBLEM = {
    "type": "docs/do/serve.md#errors",
    "title": "The request can't be read",
    "status": 400,
    "code": "invalid-request",
    "detail": "expected a request of HTTP/1.1 with headers of usual size",
}
_BODY = json.dumps(_PROBLEM, separators=(",", ":")).encode()
_HEADERS = [
    (b"content-type", b"application/problem+json"),
    (b"content-length", b"%d" % len(_BODY)),
    (b"connection", b"close"),
    (b"cache-control", b"no-store"),
    *((name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()),
]


def limited(limits: Limits) -> type[asyncio.Protocol]:
    """The protocol of a server with these limits."""

    class Limited(H11Protocol):
        """HTTP/1.1 with time limits where none is under way, and replies to what can't be read."""

        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                transport.abort()
            else:
                self._expect_headers()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not self._answering():
                self._expect_headers()
            elif self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def connection_lost(self, exc: Exception | None) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
            super().connection_lost(exc)

        def _answering(self) -> bool:
            """Whether a request is under way: the application has its own time limits."""
            cycle = self.cycle
            return bool(cycle) and not cycle.response_complete

        def _expect_headers(self) -> None:
            """Close, unless the headers of a request are there in time."""
            if self._deadline is None:
                self._deadline = self.loop.call_later(limits.header_seconds, self._late)

        def _late(self) -> None:
            self._deadline = None
            if not self._answering():
                self.transport.close()

        def send_400_response(self, msg: str) -> None:
            """Say that a request can't be read, unless a reply is under way."""
            del msg
            if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
                self.transport.close()
                return
            response = h11.Response(status_code=400, headers=_HEADERS, reason=b"Bad Request")
            for event in (response, h11.Data(data=_BODY), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
            self.transport.close()

    return Limited
