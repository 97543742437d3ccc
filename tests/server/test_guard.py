"""The guards one by one: strict JSON, hosts and origins, rates, sessions, and what is logged."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("fastapi")

from starlette.datastructures import Headers

from helpers.here import Here, running
from stoic.server.guard.bodies import parse_json, read_body
from stoic.server.guard.hosts import Hosts
from stoic.server.guard.rates import Rates
from stoic.server.problems import Problem
from stoic.server.settings import Limits, Settings
from stoic.server.tokens import TokenFile

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_what_json_can_hold_is_read_as_it_is(data: Any) -> None:
    body = json.dumps(data, allow_nan=False, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        found = parse_json(body, 32)
    except Problem:  # lone surrogates are not UTF-8
        body.decode("utf-8", "surrogatepass").encode("utf-8", "replace").index(b"?")
        return
    assert found == data
    assert repr(found) == repr(data)


@pytest.mark.parametrize("depth", [1, 2, 32])
def test_depth_is_limited_exactly(depth: int) -> None:
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        inner = b'"[[[{{{\\"[["'
        assert parse_json(opening * depth + inner + closing * depth, depth) is not None
        with pytest.raises(Problem, match="levels"):
            parse_json(opening * (depth + 1) + inner + closing * (depth + 1), depth)


@pytest.mark.parametrize(
    "body",
    [b"NaN", b"[Infinity]", b"-Infinity", b"1e999", b'{"a":1,"a":1}', b'{"a":{"b":1,"b":2}}',
     b"\xff", b"{", b"", b"1 2", b"1" * 5000, b"\xef\xbb\xbf1", b'"\xed\xa0\x80"'],
)  # fmt: skip
def test_ambiguous_json_is_refused(body: bytes) -> None:
    with pytest.raises(Problem) as refused:
        parse_json(body, 32)
    assert (refused.value.status, refused.value.code) == (400, "invalid-json")


def test_a_body_is_counted_while_it_comes() -> None:
    sent = 0

    async def receive() -> dict[str, Any]:
        nonlocal sent
        sent += 1
        return {"type": "http.request", "body": b"a" * 1000, "more_body": True}

    with pytest.raises(Problem) as refused:
        asyncio.run(read_body(receive, Headers({}), Limits(body_bytes=10_000)))
    assert (refused.value.status, sent) == (413, 11)


@pytest.mark.parametrize(
    ("settings", "host", "accepted"),
    [
        (Settings(), "localhost:8313", True),
        (Settings(), "127.0.0.1", True),
        (Settings(), "[::1]:1", True),
        (Settings(), "LOCALHOST", True),
        (Settings(), "10.0.0.1", False),
        (Settings(), "evil.example", False),
        (Settings(), "localhost.", False),
        (Settings(), "localhost:80:80", False),
        (Settings(), "", False),
        (Settings(allow_hosts=("Tuner.Lan",)), "tuner.lan:80", True),
        (Settings(host="0.0.0.0", token_file="t"), "10.0.0.1:8313", True),
        (Settings(host="0.0.0.0", token_file="t"), "evil.example:8313", False),
        (Settings(host="::", token_file="t"), "[fd00::1]:8313", True),
    ],
)
def test_hosts(settings: Settings, host: str, accepted: bool) -> None:
    hosts = Hosts(settings)
    for _ in range(2):  # the second time from memory
        try:
            hosts.check("GET", Headers({"host": host}))
            assert accepted
        except Problem as problem:
            assert not accepted
            assert problem.status == 421


@pytest.mark.parametrize(
    ("headers", "accepted"),
    [
        ({}, True),
        ({"origin": "http://localhost:1"}, True),
        ({"origin": "https://LOCALHOST:1"}, True),
        ({"origin": "http://localhost:2"}, False),
        ({"origin": "http://localhost"}, False),
        ({"origin": "null"}, False),
        ({"origin": "file://localhost:1"}, False),
        ({"origin": "http://[bad"}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"sec-fetch-site": "cross-site"}, False),
    ],
)
def test_origins(headers: dict[str, str], accepted: bool) -> None:
    every = Headers({"host": "localhost:1", **headers})
    Hosts(Settings()).check("GET", every)
    try:
        Hosts(Settings()).check("POST", every)
        assert accepted
    except Problem as problem:
        assert (problem.status, accepted) == (403, False)


def test_rates_fill_up_with_time() -> None:
    now = 0.0
    rates = Rates(per_second=2.0, burst=3.0, clock=lambda: now)
    for _ in range(3):
        rates.take("a")
    with pytest.raises(Problem) as refused:
        rates.take("a")
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
    rates.take("b")
    now = 0.5
    rates.take("a")
    with pytest.raises(Problem):
        rates.check("a")


@pytest.fixture
def signed(tmp_path: Path) -> Any:
    path = str(tmp_path / "tokens.json")
    token = TokenFile(path).add(("read", "ask", "admin"), ())
    limits = Limits(refused_per_second=0.01, refused_burst=5)
    with running(tmp_path, token_file=path, limits=limits, access_log=True) as here:
        yield here, token


def login(here: Here, token: str) -> Any:
    return here.call("POST", "/login", headers=FORM, body=f"token={token}".encode())


def test_a_browser_signs_in_and_out(signed: tuple[Here, str]) -> None:
    here, token = signed
    reply = login(here, token)
    cookie = reply.headers["set-cookie"]
    assert (reply.status, reply.headers["location"]) == (303, "/")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert token.split("_", 2)[2] not in cookie
    headers = {"Cookie": cookie.partition(";")[0]}
    assert here.call("GET", "/v1/studies", headers=headers).status == 200
    body = {"name": "a", "space": ["x=0:1.0"], "direction": "minimize"}
    assert here.call("POST", "/v1/studies", body, headers).status == 401  # it has no CSRF token
    out = here.call("POST", "/logout", headers=headers | FORM, body=b"csrf=wrong")
    assert out.status == 403
    session = here.service.app.app.state.gate.sessions.find(headers["Cookie"].partition("=")[2])
    out = here.call("POST", "/logout", headers=headers | FORM, body=f"csrf={session.csrf}".encode())
    assert out.status == 303
    assert here.call("GET", "/v1/studies", headers=headers).status == 401


def test_a_session_ends_with_its_token(signed: tuple[Here, str], tmp_path: Path) -> None:
    here, token = signed
    headers = {"Cookie": login(here, token).headers["set-cookie"].partition(";")[0]}
    assert here.call("GET", "/v1/studies", headers=headers).status == 200
    TokenFile(str(tmp_path / "tokens.json")).revoke(token.split("_")[1])
    assert here.call("GET", "/v1/studies", headers=headers).status == 401


def test_tokens_can_not_be_guessed_for_long(signed: tuple[Here, str]) -> None:
    here, token = signed
    replies = [login(here, "stoic_aaaaaaaa_" + "b" * 43).status for _ in range(7)]
    assert replies == [303] * 5 + [429] * 2
    headers = {"Authorization": f"Bearer {token}"}
    assert here.call("GET", "/v1", headers=headers).status == 200


def logged(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The lines of the access log."""
    names = [(record.name, record.message) for record in caplog.records]
    return [json.loads(text) for name, text in names if name == "stoic.server.access"]


def test_logs_hold_no_secrets(signed: tuple[Here, str], caplog: pytest.LogCaptureFixture) -> None:
    here, token = signed
    with caplog.at_level(logging.INFO, "stoic.server"):
        login(here, token)
        here.call("GET", f"/v1/{token}?token={token}", headers={"Authorization": f"Bearer {token}"})
        here.call("GET", f"/v1?token={token}", headers={"Authorization": "Bearer stoic_x"})
        here.call("GET", "/v1", headers={"Authorization": f"Bearer {token}"})
        deadline = time.monotonic() + 10
        while len(lines := logged(caplog)) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)  # a line is written when its reply is sent
    assert [line["status"] for line in lines] == [303, 404, 401, 200]
    assert lines[-1]["token"] == token.split("_")[1]
    assert token.split("_", 2)[2] not in caplog.text
    assert lines[1]["path"] == "/v1/***"
