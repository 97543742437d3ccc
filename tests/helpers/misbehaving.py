"""A real HTTP server that fails in the ways in which networks, proxies and servers fail."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["Misbehaving", "Received", "misbehaving"]


@dataclass(frozen=True)
class Received:
    """A request that arrived whole."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int  # the client's port


@dataclass
class Misbehaving:
    """What arrived, what is committed, and what happens to the next replies."""

    port: int = 0
    script: list[str] = field(default_factory=list)  # of the next requests; then all is well
    received: list[Received] = field(default_factory=list)
    committed: list[bytes] = field(default_factory=list)  # bodies, once for each key
    keys: set[str] = field(default_factory=set)
    elsewhere: str = ""  # where redirections lead
    scheme: str = "http"

    @property
    def url(self) -> str:
        """Its address."""
        return f"{self.scheme}://127.0.0.1:{self.port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    @property
    def state(self) -> Misbehaving:
        found: Misbehaving = self.server.state  # type: ignore[attr-defined]
        return found

    def do_POST(self) -> None:
        self._serve()

    do_GET = do_DELETE = do_POST  # noqa: N815

    def log_message(self, *_: Any) -> None:
        pass

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        state = self.state
        state.received.append(
            Received(self.command, self.path, headers, body, self.client_address[1])
        )
        what = state.script.pop(0) if state.script else "well"
        with suppress(OSError):  # the client went away
            getattr(self, f"_{what}")(body, headers.get("idempotency-key", ""))

    def _commit(self, body: bytes, key: str) -> None:
        if not key or key not in self.state.keys:
            self.state.keys.add(key)
            self.state.committed.append(body)

    def _reply(
        self, status: int, body: bytes, kind: str = "application/json", **headers: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    # -- what may happen --------------------------------------------------------------------

    def _well(self, body: bytes, key: str) -> None:
        self._commit(body, key)
        self._reply(200, json.dumps({"count": len(self.state.committed)}).encode())

    def _lost_reply(self, body: bytes, key: str) -> None:
        self._commit(body, key)
        self.close_connection = True

    def _dropped(self, body: bytes, key: str) -> None:
        del body, key
        self.close_connection = True

    def _idle_close(self, body: bytes, key: str) -> None:
        self._well(body, key)
        self.close_connection = True  # without having said so

    def _broken_body(self, body: bytes, key: str) -> None:
        self._commit(body, key)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        self.wfile.write(b"Content-Length: 5000\r\n\r\n" + b'{"count":')
        self.close_connection = True

    def _garbage(self, body: bytes, key: str) -> None:
        del body, key
        self.wfile.write(b"\x00\xff\x16\x03 no HTTP at all\r\n\r\n")
        self.close_connection = True

    def _busy(self, body: bytes, key: str) -> None:
        del body, key
        self._problem(503, "store-unavailable", "busy", Retry_After="1")

    def _limited(self, body: bytes, key: str) -> None:
        del body, key
        self._problem(429, "too-many-requests", "slower", Retry_After="soon")

    def _gateway(self, body: bytes, key: str) -> None:
        del body, key
        self._reply(502, b"<html>bad gateway</html>", "text/html")

    def _fault(self, body: bytes, key: str) -> None:
        del body, key
        self._reply(500, b"oops", "text/plain")

    def _unknown(self, body: bytes, key: str) -> None:
        del body, key
        self._problem(404, "unknown-study", "expected a study\x1b[31m, got 'x'")

    def _mismatch(self, body: bytes, key: str) -> None:
        del body, key
        self._problem(409, "study-mismatch", "expected another space")

    def _denied(self, body: bytes, key: str) -> None:
        del body, key
        self._problem(401, "access-denied", f"no {self.headers['Authorization']}, no entry")

    def _new_code(self, body: bytes, key: str) -> None:
        del body, key
        self._problem(422, "of-a-later-version", "expected less")

    def _problem(self, status: int, code: str, detail: str, **headers: str) -> None:
        body = json.dumps({"code": code, "detail": detail, "status": status}).encode()
        self._reply(status, body, "application/problem+json", **headers)

    def _html(self, body: bytes, key: str) -> None:
        del body, key
        self._reply(200, b"<html>welcome to the hotel</html>", "text/html")

    def _html_404(self, body: bytes, key: str) -> None:
        del body, key
        self._reply(404, b"<html>not here</html>", "text/html")

    def _no_json(self, body: bytes, key: str) -> None:
        del body, key
        self._reply(200, b'{"count": NaN}')

    def _deep(self, body: bytes, key: str) -> None:
        del body, key
        self._reply(200, b"[" * 100_000)

    def _list(self, body: bytes, key: str) -> None:
        del body, key
        self._reply(200, b"[1, 2]")

    def _announced_huge(self, body: bytes, key: str) -> None:
        del body, key
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        self.wfile.write(b"Content-Length: 10000000000\r\n\r\n")
        self._without_end(lambda: b"x" * 2**20)

    def _huge_chunk(self, body: bytes, key: str) -> None:
        del body, key
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        self.wfile.write(b"Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n")
        self._without_end(lambda: b"x" * 2**20)

    def _endless_headers(self, body: bytes, key: str) -> None:
        del body, key
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        self._without_end(lambda: b"X-Header: " + b"y" * 60_000 + b"\r\n")

    def _slow_headers(self, body: bytes, key: str) -> None:
        self._commit(body, key)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        self._without_end(lambda: _slowly(b"z"))

    def _slow_body(self, body: bytes, key: str) -> None:
        self._commit(body, key)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        self.wfile.write(b"Content-Length: 500\r\n\r\n")
        self._without_end(lambda: _slowly(b" "))

    def _silent(self, body: bytes, key: str) -> None:
        self._commit(body, key)
        self.connection.recv(1)  # until the client goes away

    def _redirect(self, body: bytes, key: str) -> None:
        del body, key
        self._reply(307, b"", Location=self.state.elsewhere)

    def _without_end(self, piece: Callable[[], bytes]) -> None:
        self.close_connection = True
        while True:
            self.wfile.write(piece())
            self.wfile.flush()


def _slowly(piece: bytes) -> bytes:
    time.sleep(0.02)
    return piece


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.sockets: list[Any] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self.sockets.append(request)
        super().process_request(request, client_address)

    def end(self) -> None:
        """End the connections that clients keep open."""
        for each in self.sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_: Any) -> None:
        """Clients that go away are what these tests are about."""


@contextmanager
def misbehaving(*script: str, certificate: Path | None = None) -> Iterator[Misbehaving]:
    """Such a server on the loopback, for as long as the block lasts; with a certificate by TLS."""
    state = Misbehaving(script=list(script), scheme="http" if certificate is None else "https")
    server = _Server(("127.0.0.1", 0), _Handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    server.state = state  # type: ignore[attr-defined]
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        server.end()
        thread.join()
