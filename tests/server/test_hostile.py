"""Hostile requests against a real server: each is refused, and none changes anything."""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from helpers.attacks import ATTACKS, Attack, send
from helpers.here import Here, running
from helpers.service import Service, serving
from stoic.server.guard.outer import SECURITY_HEADERS
from stoic.server.settings import Limits
from stoic.study import Study

SPACE = {"x": (0.0, 1.0), "n": (1, 9)}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    path = tmp_path_factory.mktemp("hostile") / "studies.db"
    with Study(path, "mine", space=SPACE, direction="minimize", method="random") as study:
        study.ask()
    with serving(path) as made:
        yield made


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_is_refused(service: Service, attack: Attack) -> None:
    draws = random.Random(attack.name)
    for _ in range(4 if "gigabyte" in attack.name else 12):
        status, sent = send(service.port, attack, draws)
        assert status in attack.right
        assert sent < 2**24  # of a gigabyte, the rest is not taken


def test_nothing_changed(service: Service) -> None:
    """After all of the above, in the order of this file."""
    with Study(service.store, "mine") as study:
        assert (study.asked, study.finished) == (1, 0)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    limits = Limits(header_seconds=0.4, body_seconds=0.4, connections=20, studies=3, streams=2,
                    streams_of_token=2)  # fmt: skip
    with running(tmp_path_factory.mktemp("slow"), limits=limits) as made:
        yield made


def read_all(connection: socket.socket) -> bytes:
    reply = b""
    while piece := connection.recv(4096):
        reply += piece
    return reply


def test_slow_headers_end(here: Here) -> None:
    with socket.create_connection(("127.0.0.1", here.port), 10) as connection:
        began = time.monotonic()
        connection.sendall(b"GET /v1 HTTP/1.1\r\nHost: x\r\nX-A: ")
        assert read_all(connection) == b""
        assert time.monotonic() - began < 8.0


def test_slow_headers_end_after_a_reply(here: Here) -> None:
    with socket.create_connection(("127.0.0.1", here.port), 10) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        reply = b""
        while not reply.endswith(b"}"):  # headers and body may come one after the other
            piece = connection.recv(65536)
            assert piece, reply
            reply += piece
        assert reply.startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /")
        assert read_all(connection) == b""


def test_slow_bodies_end(here: Here) -> None:
    head = b"POST /v1/studies HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", here.port), 10) as connection:
        connection.sendall(head + b"Content-Length: 100\r\n\r\n{")
        reply = read_all(connection)
    assert reply.startswith(b"HTTP/1.1 408"), reply
    assert b'"code":"too-slow"' in reply


def test_too_many_connections_are_dropped(here: Here) -> None:
    held = [socket.create_connection(("127.0.0.1", here.port), 10) for _ in range(40)]
    try:
        time.sleep(1.0)  # the limit on headers ends them all
    finally:
        for each in held:
            each.close()
    here.close()
    assert here.call("GET", "/healthz").status == 200


def test_every_reply_has_the_headers(here: Here) -> None:
    replies = [
        here.call("GET", "/healthz"),
        here.call("GET", "/nothing"),
        here.call("PUT", "/v1"),
        here.call("POST", "/v1/studies", body=b"{"),
        here.call("GET", "/v1", headers={"Host": "evil.example"}),
        here.call("GET", "/v1", headers={f"X-{i}": "a" for i in range(90)}),
    ]
    assert [reply.status for reply in replies] == [200, 404, 405, 400, 421, 431]
    for reply in replies:
        assert SECURITY_HEADERS.items() <= reply.headers.items()
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert reply.headers["cache-control"] == "no-store"
        if reply.status > 200:
            assert reply.headers["content-type"] == "application/problem+json"
            assert set(reply.data) == {"type", "title", "status", "code", "detail"}


def test_studies_are_limited(here: Here) -> None:
    for number in range(3):
        here.made(f"s{number}", method="random")
    body = {"name": "s3", "space": ["x=0:1.0"], "direction": "minimize"}
    reply = here.call("POST", "/v1/studies", body)
    assert (reply.status, reply.data["code"]) == (409, "too-many-studies")


def test_rates_are_limited(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(per_second=0.5, burst=3)) as made:
        replies = [made.call("GET", "/v1") for _ in range(5)]
    assert [reply.status for reply in replies] == [200, 200, 200, 429, 429]
    assert replies[-1].headers["retry-after"] == "2"


def test_a_fault_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with running(tmp_path) as made:
        made.made("mine", method="random")
        os.unlink(tmp_path / "studies.db")
        reply = made.call("POST", "/v1/studies/mine:ask", {})
    assert reply.status == 503, reply.body
    assert reply.headers["retry-after"]
    assert str(tmp_path).encode() not in reply.body
    capfd.readouterr()
