"""The outermost layer: checks before any route, security headers, time limits, log and metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import MutableMapping
from typing import Any

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from stoic.server.guard.hosts import Hosts
from stoic.server.hub import Hub
from stoic.server.problems import Problem, busy, problem_of, reply
from stoic.server.settings import Settings
from stoic.server.watch.logs import AccessLog
from stoic.server.watch.metrics import Metrics

__all__ = ["SECURITY_HEADERS", "Outer"]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_EVERY = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
_NO_STORE = (b"cache-control", b"no-store")
_MAX_DRAINED_BYTES = 65536  # of a body that is received though its reply is sent
_MAX_TARGET_BYTES = 4096  # of path and query


class Outer:
    """An ASGI application around the routes of another.

    FastAPI's own layers around its routes are left out: they would answer errors with other texts,
    and take a third of the time of a request.
    """

    def __init__(self, app: FastAPI, settings: Settings, metrics: Metrics) -> None:
        self.app, self._settings, self._metrics = app, settings, metrics
        self._hosts = Hosts(settings)
        self._log = AccessLog(settings.access_log)
        self._running = 0

    @property
    def hub(self) -> Hub:
        """What the routes use, once the server has started."""
        hub: Hub = self.app.state.hub
        return hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            scope["app"] = self.app
            await self.app.router(scope, receive, send)
        elif scope["type"] == "http":
            await _Exchange(scope, receive, send).run(self)
        else:  # no route is a websocket
            await send({"type": "websocket.close", "code": 1008})

    async def answer(self, exchange: _Exchange) -> None:
        """Check a request, and answer it."""
        scope, limits = exchange.scope, self._settings.limits
        self._running += 1
        try:
            self._check(scope)
            exchange.expires(limits.request_seconds)
            scope["app"] = self.app
            await self.app.router(scope, exchange.receive, exchange.send)
        finally:
            self._running -= 1

    def _check(self, scope: Scope) -> None:
        limits = self._settings.limits
        headers = scope["headers"]
        size = sum(len(name) + len(value) for name, value in headers)
        if len(headers) > limits.headers or size > limits.header_bytes:
            raise Problem(431, "too-large", "expected fewer or shorter headers", _CLOSE)
        if len(scope.get("raw_path", b"")) + len(scope["query_string"]) > _MAX_TARGET_BYTES:
            raise Problem(414, "too-large", "expected a shorter path and query", _CLOSE)
        self._hosts.check(scope["method"], Headers(scope=scope))
        if self._running > limits.requests:
            raise busy("expected fewer requests at once; try again")

    def finished(self, exchange: _Exchange) -> None:
        """Count a request, and log it."""
        seconds = time.perf_counter() - exchange.began
        route = exchange.scope.get("stoic.route", "none")
        self._metrics.request(exchange.scope["method"], route, exchange.status, seconds)
        self._log.write(exchange.scope, exchange.status, seconds)


_CLOSE = {"Connection": "close"}


class _Exchange:
    """One request and its reply."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self._more = _announces_much(scope)  # of the body, than was read
        self.status, self.began = 0, time.perf_counter()
        self._timeout: asyncio.Timeout | None = None
        self._seconds = 0.0

    def expires(self, seconds: float) -> None:
        """Let the exchange end so many seconds from now, and from each sent part."""
        self._seconds = seconds
        self._renew()

    def _renew(self) -> None:
        if self._timeout is not None:
            self._timeout.reschedule(asyncio.get_running_loop().time() + self._seconds)

    async def run(self, outer: Outer) -> None:
        try:
            async with asyncio.timeout(None) as self._timeout:
                await outer.answer(self)
        except Exception as error:
            self._timeout = None  # it is over
            if not self.status:
                problem = problem_of(_explained(error))
                await reply(problem)(self.scope, self.receive, self.send)
            elif not isinstance(error, TimeoutError):
                problem_of(error)  # for the log: the reply had begun
                raise
        finally:
            outer.finished(self)

    async def receive(self) -> Message:
        """Receive, and note when the body is there."""
        message = await self._receive()
        if not message.get("more_body", False):
            self._more = False
        return message

    async def send(self, message: Message) -> None:
        """Send on, with the security headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = _secured(message)
            if self._more:  # the rest of the body is not worth reading
                message["headers"].append((b"connection", b"close"))
        if self._seconds:
            self._renew()
        await self._send(message)


def _announces_much(scope: Scope) -> bool:
    """Whether a body is to come that is long, or of unknown length."""
    for name, value in scope["headers"]:
        if name == b"transfer-encoding":
            return True
        if name == b"content-length":
            return not value.isdigit() or int(value[:18]) > _MAX_DRAINED_BYTES
    return False


def _explained(error: Exception) -> Exception:
    """The error of a layer below as a problem, where it is known."""
    if isinstance(error, TimeoutError):
        return busy("expected to answer in time; try again", 2)
    if isinstance(error, HTTPException) and error.status_code == 405:
        return Problem(405, "wrong-method", "expected another method here", error.headers)
    if isinstance(error, HTTPException):
        return Problem(404, "not-found", "expected a path of this server, got another")
    return error


def _secured(message: MutableMapping[str, Any]) -> list[tuple[bytes, bytes]]:
    headers = [*message.get("headers", ()), *_EVERY]
    if not any(name == b"cache-control" for name, _ in headers):
        headers.append(_NO_STORE)
    return headers
