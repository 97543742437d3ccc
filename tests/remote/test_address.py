"""Addresses and tokens are checked before anything is sent."""

from __future__ import annotations

import pytest

from stoic.errors import InvalidInput
from stoic.remote.address import Token, address

TOKEN = Token("stoic_ab12_0123456789abcdef")


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("http://127.0.0.1:8313", ("http", "127.0.0.1", 8313, "")),
        ("http://localhost/", ("http", "localhost", 80, "")),
        ("HTTPS://Tuning.Example", ("https", "tuning.example", 443, "")),
        ("https://host:8443/a/b/", ("https", "host", 8443, "/a/b")),
        ("http://[::1]:8313", ("http", "::1", 8313, "")),
    ],
)
def test_addresses(url: str, parts: tuple[str, str, int, str]) -> None:
    found = address(url)
    assert (found.scheme, found.host, found.port, found.prefix) == parts
    assert address(str(found)) == found


@pytest.mark.parametrize(
    "url",
    [
        "", "stoic.db", "ftp://host", "http://", "http:///v1", "http://host:99999", "http://host:0",
        "http://host:x", "http://host/?study=x", "http://host/#a", "http://host/a b",
        "http://host\r\nX: y", "http://ho st", "http://host/..%00", "http://h\u00f6st", 8313, None,
        "http://host/a\\b", "http://[::1",
    ],
)  # fmt: skip
def test_refused_addresses(url: object) -> None:
    with pytest.raises(InvalidInput, match="expected the address of a server"):
        address(url)


def test_no_password_in_an_address() -> None:
    with pytest.raises(InvalidInput, match="without a user and a password") as caught:
        address("http://ann:hush@host")
    assert "hush" not in str(caught.value)


def test_segments_stay_segments() -> None:
    assert address("http://host/a").path("studies", "../x?y#z/\u00e9") == (
        "/a/v1/studies/..%2Fx%3Fy%23z%2F%C3%A9"
    )


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]", "http://localhost"]
)
def test_loopback_may_get_a_token(url: str) -> None:
    address(url).allow(TOKEN)


@pytest.mark.parametrize("url", ["http://10.0.0.1", "http://localhost.example", "http://db"])
def test_a_token_in_the_open_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address(url).allow(None)
    address(url.replace("http:", "https:")).allow(TOKEN)
    with pytest.raises(InvalidInput, match="STOIC_ALLOW_HTTP=1") as caught:
        address(url).allow(TOKEN)
    assert TOKEN.text not in str(caught.value)
    monkeypatch.setenv("STOIC_ALLOW_HTTP", "1")
    address(url).allow(TOKEN)


def test_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STOIC_TOKEN", raising=False)
    assert Token.given(None) is None
    assert Token.given(TOKEN.text) == TOKEN
    monkeypatch.setenv("STOIC_TOKEN", TOKEN.text)
    assert Token.given(None) == TOKEN
    assert TOKEN.text not in f"{TOKEN!r} {TOKEN}"
    assert Token.given("other") == Token("other")


@pytest.mark.parametrize("token", ["", "hush hush", "hush\r\nX: y", "h\u00fcsh", 5, "h" * 501])
def test_refused_tokens(token: object) -> None:
    with pytest.raises(InvalidInput, match="expected a token") as caught:
        Token.given(token)
    assert "hush" not in str(caught.value)
