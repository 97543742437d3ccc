"""Call a server until it answers: each request may be repeated, so failures of the way are cured.

Every request of this package can be sent twice without harm: what asks or adds has a key by which
the server recognises it, and all others say how things are to be. So a lost reply, a server that
starts again, or one that is busy, is met by sending the same request again.
"""

from __future__ import annotations

import json
import logging
import math
import ssl
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from random import SystemRandom
from socket import gaierror
from typing import Any, NamedTuple

import stoic
from stoic.errors import StoicError, StoreUnavailable
from stoic.forks import ForkAware, Lock
from stoic.printable import visible
from stoic.remote.address import Address, Token
from stoic.remote.connections import Connections, Reply, Request, Stale
from stoic.remote.problems import Garbled, data_of, error_of, words_of
from stoic.remote.reading import TooLong

__all__ = ["Caller", "Times"]

_LOG = logging.getLogger("stoic.remote")
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.05, 5.0
_BUSY = (408, 425, 429, 502, 503, 504)  # statuses that end by themselves
_HURRIED_SECONDS = 2.0  # of patience where a run ends
_MAX_STRANGE = 3  # replies in a row that are broken, or report a fault of the server
_JITTER = SystemRandom()  # so that many clients do not come back at the same moment


class Times(NamedTuple):
    """How long to wait, in seconds."""

    attempt: float = 30.0
    """For one reply."""
    patience: float = 60.0
    """From the first failure of a request until it is an error."""
    first: float = 10.0
    """The same, as long as the server has never answered: the address may be wrong."""


class _Failed(Exception):
    """An attempt that another one may cure."""

    def __init__(self, words: str, *, pause: float = 0.0, strange: bool = False) -> None:
        super().__init__(words)
        self.pause = pause  # that the server asks for, in seconds
        self.strange = strange  # counted: it may be no passing state


class Caller(ForkAware):
    """Sends requests to one server, and its token nowhere else."""

    def __init__(self, address: Address, token: Token | None, times: Times) -> None:
        address.allow(token)
        self.address, self.times = address, times
        self._token = token
        self._connections = Connections(address)
        weakref.finalize(self, self._connections.close)
        self._reached = False  # whether the server ever answered
        self._guard = Lock()
        self.after_fork_in_child()
        self.join_forks()

    def after_fork_in_child(self) -> None:
        self._hurried, self._hurry = 0, threading.Event()

    def close(self) -> None:
        """Close the connections; a later call opens others."""
        self._connections.close()

    @contextmanager
    def hurried(self) -> Iterator[None]:
        """Have little patience within the block, also with requests that wait already."""
        with self._guard:
            self._hurried += 1
            self._hurry.set()
        try:
            yield
        finally:
            with self._guard:
                self._hurried -= 1
                if not self._hurried:
                    self._hurry.clear()

    def get(self, path: str, query: Mapping[str, int] | None = None) -> dict[str, Any]:
        """The object at a path."""
        asked = "&".join(f"{name}={value}" for name, value in (query or {}).items())
        return self._answer(self._request("GET", f"{path}?{asked}" if asked else path))

    def post(self, path: str, data: Mapping[str, Any], *, key: str | None = None) -> dict[str, Any]:
        """The answer to an object; ``key`` is the same for the same wish."""
        body = json.dumps(data, allow_nan=False, separators=(",", ":")).encode("ascii")
        return self._answer(self._request("POST", path, body, key))

    def delete(self, path: str) -> dict[str, Any]:
        """The answer to a removal."""
        return self._answer(self._request("DELETE", path))

    def _request(
        self, method: str, path: str, body: bytes | None = None, key: str | None = None
    ) -> Request:
        headers = {"Accept": "application/json", "User-Agent": f"stoic/{stoic.__version__}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token.text}"
        return Request(method, path, body, headers)

    # -- attempts -----------------------------------------------------------------------------

    def _answer(self, request: Request) -> dict[str, Any]:
        """The answer, after as many attempts as it needs, or a typed error."""
        pause, strange, began = _FIRST_PAUSE_SECONDS, 0, math.inf
        while True:
            try:
                return self._attempt(request)
            except _Failed as failed:
                now = time.monotonic()
                began = min(began, now)
                strange += failed.strange
                left = began + self._patience - now
                if left <= 0 or strange >= _MAX_STRANGE:
                    raise self._gave_up(failed) from failed.__cause__
                seconds = min(max(failed.pause, pause * _JITTER.uniform(0.5, 1.0)), left)
                words = "server unavailable, next try in %.2g s: %s"
                _LOG.log(self._level(pause), words, seconds, failed)
                if self._hurry.wait(seconds):
                    time.sleep(min(seconds, _FIRST_PAUSE_SECONDS))
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _level(self, pause: float) -> int:
        """The first few tries are usual."""
        return logging.WARNING if pause >= 0.5 else logging.DEBUG

    @property
    def _patience(self) -> float:
        """Seconds from the first failure of a request until it is an error."""
        usual = self.times.patience if self._reached else min(self.times.first, self.times.patience)
        return min(usual, _HURRIED_SECONDS) if self._hurry.is_set() else usual

    def _gave_up(self, failed: _Failed) -> StoicError:
        return StoreUnavailable(
            f"expected an answer of the server at {self.address}, got {failed}; is it running, and "
            "is the address right?"
        )

    def _attempt(self, request: Request) -> dict[str, Any]:
        seconds = self.times.attempt
        seconds = min(seconds, _HURRIED_SECONDS) if self._hurry.is_set() else seconds
        try:
            try:
                reply = self._connections.exchange(request, seconds)
            except Stale:  # closed while idle: a new connection is made at once
                reply = self._connections.exchange(request, seconds)
        except TooLong as error:
            raise StoreUnavailable(
                f"expected a reply of usual length from {self.address}, got {error}"
            ) from error
        except (OSError, HTTPException) as error:
            raise self._failure(error) from error
        return self._read(reply)

    def _failure(self, error: Exception) -> _Failed:
        """What failed on the way; raises where the address or the certificate is wrong."""
        if isinstance(error, ssl.SSLCertVerificationError):
            raise StoreUnavailable(
                f"expected a certificate of {self.address.host} that this machine trusts, got "
                f"another ({visible(error.verify_message)}); name its authority in SSL_CERT_FILE"
            ) from error
        if isinstance(error, gaierror) and not self._reached:
            raise StoreUnavailable(
                f"expected a host that can be found, got {self.address.host}; is it spelled right?"
            ) from error
        if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
            raise StoreUnavailable(
                f"expected a server of https at {self.address}, got another; is it http?"
            ) from error
        if isinstance(error, TimeoutError):
            return _Failed("no reply in time")
        strange = isinstance(error, HTTPException) and not isinstance(error, ConnectionError)
        words = visible(error)[:200] or type(error).__name__
        return _Failed(words, strange=strange and not self._reached)

    def _read(self, reply: Reply) -> dict[str, Any]:
        if 200 <= reply.status < 300:
            try:
                data = data_of(reply)
            except Garbled as found:
                raise _Failed(str(found), strange=not self._reached) from found
            self._reached = True
            return data
        if reply.status in _BUSY:
            pause = reply.headers.get("retry-after", "")
            seconds = float(pause) if pause.isdecimal() and len(pause) < 5 else 0.0
            words = words_of(reply, self._token) or "it is busy"
            raise _Failed(f"status {reply.status}: {words}", pause=seconds)
        if reply.status >= 500:
            words = words_of(reply, self._token) or "a fault of the server"
            raise _Failed(f"status {reply.status}: {words}", strange=True)
        raise error_of(reply, self.address, self._token)
