"""Requests reach a server that fails on the way, once each, and errors are final ones."""

from __future__ import annotations

import logging
import os
import resource
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from helpers.misbehaving import misbehaving
from stoic.errors import (
    AccessDenied,
    InvalidInput,
    StoreUnavailable,
    StudyMismatch,
    UnknownStudy,
)
from stoic.remote.address import Token, address
from stoic.remote.calling import Caller, Times

TOKEN = "stoic_ab12_0123456789abcdef0123456789abcdef"
QUICK = Times(attempt=0.6, patience=8.0, first=8.0)


def caller(url: str, times: Times = QUICK, token: str | None = TOKEN) -> Caller:
    return Caller(address(url), None if token is None else Token(token), times)


# -- failures that another attempt cures ---------------------------------------------------------

CURED = (
    "lost_reply", "dropped", "broken_body", "garbage", "busy", "limited", "gateway", "fault",
    "html", "no_json", "deep", "list", "slow_headers", "slow_body", "silent",
)  # fmt: skip


@pytest.mark.parametrize("failure", CURED)
def test_a_request_arrives_once(failure: str) -> None:
    with misbehaving(failure, failure) as server:
        assert caller(server.url).post("/v1/x", {"n": 1}, key="k" * 32) == {"count": 1}
        assert server.committed == [b'{"n":1}']
        assert len(server.received) == 3
        assert {each.headers["idempotency-key"] for each in server.received} == {"k" * 32}
        assert {each.body for each in server.received} == {b'{"n":1}'}


def test_a_closed_idle_connection_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "stoic")
    with misbehaving(*["idle_close"] * 5) as server:
        ours = caller(server.url)
        for count in range(1, 6):
            assert ours.post("/v1/x", {"n": count}) == {"count": count}
        ours.close()
    assert not caplog.records


def test_a_server_that_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "stoic")
    with misbehaving() as server:
        ours = caller(server.url)
        ours.post("/v1/x", {})
        port = server.port
    waiting = ThreadPoolExecutor(1).submit(ours.post, "/v1/x", {"n": 2})
    time.sleep(1.5)
    assert not waiting.done()
    with _again(port) as served:
        assert waiting.result(8.0) == {"back": True}
    assert served
    assert "server unavailable, next try in" in caplog.text
    assert TOKEN not in caplog.text


class _again:  # noqa: N801
    """A server on a port that another one had: one reply."""

    def __init__(self, port: int) -> None:
        self._listening = socket.create_server(("127.0.0.1", port))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._requests: list[bytes] = []

    def _serve(self) -> None:
        connection, _ = self._listening.accept()
        with connection:
            self._requests.append(connection.recv(65536))
            body = b'{"back": true}'
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n"
            connection.sendall(head + b"Connection: close\r\n\r\n" + body)

    def __enter__(self) -> list[bytes]:
        self._thread.start()
        return self._requests

    def __exit__(self, *_: object) -> None:
        self._listening.close()


def test_retry_after_is_waited_for() -> None:
    with misbehaving("busy") as server:
        before = time.monotonic()
        caller(server.url).get("/v1/x")
        assert time.monotonic() - before >= 1.0


def test_threads_share_a_caller_but_no_connection() -> None:
    with misbehaving() as server:
        ours = caller(server.url)
        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(ours.post, "/v1/x", {"n": n}) for n in range(200)]:
                done.result()
        ours.close()
        assert sorted(server.committed) == sorted(b'{"n":%d}' % n for n in range(200))
        assert len({each.connection for each in server.received}) <= 8


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "error", "words"),
    [
        ("unknown", UnknownStudy, r"expected a study\\x1b\[31m, got 'x'"),
        ("mismatch", StudyMismatch, "expected another space"),
        ("denied", AccessDenied, r"no Bearer \*\*\*, no entry"),
        ("new_code", InvalidInput, "expected less"),
        ("html_404", StoreUnavailable, "got status 404 and a reply of the type text/html"),
        ("announced_huge", StoreUnavailable, "the reply is too long"),
        ("huge_chunk", StoreUnavailable, "the reply is too long"),
        ("endless_headers", StoreUnavailable, "too long|more than 100 headers"),
    ],
)
def test_errors_are_typed_and_final(failure: str, error: type[Exception], words: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with misbehaving(*[failure] * 3) as server:
        ours = caller(server.url, Times(5.0, 8.0, 8.0))
        with pytest.raises(error, match=words) as caught:
            ours.post("/v1/x", {})
    assert TOKEN not in str(caught.value)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 300, "the client kept what it need not"


@pytest.mark.parametrize("failure", ["fault", "html", "no_json", "deep"])
def test_what_stays_broken_is_an_error_soon(failure: str) -> None:
    with misbehaving(*[failure] * 9) as server:
        with pytest.raises(StoreUnavailable, match="is it running"):
            caller(server.url, QUICK._replace(patience=60.0)).get("/v1/x")
        assert len(server.received) == 3


def test_patience_ends() -> None:
    with misbehaving(*["gateway"] * 99) as server:
        with pytest.raises(StoreUnavailable, match="status 502"):
            caller(server.url, QUICK._replace(first=0.5)).get("/v1/x")
        assert 3 <= len(server.received) <= 20


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(
        StoreUnavailable, match=f"the server at http://127.0.0.1:{port}, got.*efuse"
    ):
        caller(f"http://127.0.0.1:{port}", QUICK._replace(first=0.3)).get("/v1/x")


def test_an_unknown_host_is_an_error_at_once() -> None:
    with pytest.raises(StoreUnavailable, match="is it spelled right"):
        caller("http://nowhere.invalid", token=None).get("/v1/x")


# -- the token -----------------------------------------------------------------------------------


def test_redirections_are_not_followed() -> None:
    with misbehaving() as other, misbehaving("redirect") as server:
        server.elsewhere = f"http://ann:hush@127.0.0.1:{other.port}/v1/x"
        with pytest.raises(StoreUnavailable, match="redirection") as caught:
            caller(server.url).get("/v1/x")
        assert not other.received
        assert "hush" not in str(caught.value)


def test_the_token_goes_into_one_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with misbehaving() as server:
        ours = caller(server.url)
        ours.post("/v1/x", {"n": 1}, key="k")
        sent = server.received[0]
        assert sent.headers["authorization"] == f"Bearer {TOKEN}"
        rest = {name: text for name, text in sent.headers.items() if name != "authorization"}
        assert TOKEN not in f"{sent.path} {rest} {sent.body!r}"
        assert TOKEN not in repr(vars(ours))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_connections_of_its_own() -> None:
    with misbehaving() as server:
        ours = caller(server.url)
        ours.post("/v1/x", {"n": 1})
        child = os.fork()
        if not child:
            code = 1
            try:
                code = 0 if ours.post("/v1/x", {"n": 2}) == {"count": 2} else 1
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert ours.post("/v1/x", {"n": 3}) == {"count": 3}
        first, second, third = (each.connection for each in server.received)
        assert first == third != second
        ours.close()
