"""Secrets in texts: whatever holds one is shown without it, and nothing else is changed."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic.checks import describe
from stoic.redaction import MASK, masked, redacted, redacted_command, redacted_url, secrets_of

SECRET = "Hush7"

TEXTS = [
    "postgresql://ann:Hush7@db/tuning",
    "redis://:Hush7@db",
    "postgresql://ann:Hush7@Hush7@db/tuning",
    "postgresql://ann:Hush7/Hush7?Hush7@db/tuning",
    "postgres//ann:Hush7@db",
    "postgresql:/ann:Hush7@db",
    "postgresql+psycopg:ann:Hush7@db",
    "from postgresql://ann:Hush7@a/x,postgresql://bob:Hush7@b/x",
    "postgresql:///x?user=ann&password=Hush7&host=db",
    "postgresql:///x?PassWord=Hush7",
    "postgresql:///x?pass%77ord=Hush7",
    "postgresql:///x?sslpassword=Hush7&passwd=Hush7&pwd=Hush7",
    "https://api/v1?token=Hush7&access_token=Hush7&key=Hush7&api_key=Hush7&secret=Hush7",
    "host=db password=Hush7 user=ann",
    "host=db password = 'Hush7 and Hush7' user=ann",
    r"host=db password='it\'s Hush7' user=ann",
    '{"user": "ann", "password": "Hush7"}',
    "curl -H 'Authorization: Bearer Hush7'",
    "X-Api-Key: Hush7",
    "PGPASSWORD=Hush7 GITHUB_TOKEN=Hush7 ./bench",
    "./bench --password Hush7 --auth-token=Hush7",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_shown_without_its_secrets(text: str) -> None:
    shown = redacted(text)
    assert SECRET not in shown
    assert MASK in shown
    assert redacted(shown) == shown
    assert SECRET not in redacted_url(text) if "//" in text else True


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:two words Hush7@db",
        "postgresql://ann:Hush7",
        "postgresql://ann:Hush7/tuning",
        "postgresql://ann@db:Hush7/tuning",
        "postgresql:ann:Hush7",
        "ann:Hush7@db/tuning",
        "postgresql://ann@db/tuning?pasword=Hush7",
        "postgresql://ann@db/tuning?host=a&kennwort=Hush7",
    ],
)
def test_what_was_meant_as_a_url_may_hold_a_password_anywhere(url: str) -> None:
    assert SECRET not in redacted_url(url)
    assert redacted_url(redacted_url(url)) == redacted_url(url)


@pytest.mark.parametrize(
    "text",
    [
        "stoic.db",
        "runs:3/stoic.db",
        "postgresql://ann@db:5432/tuning?host=%2Ftmp&options=-csearch_path%3Dt1",
        "postgresql://[::1]:5432/tuning",
        "--max-tokens 512 --token-budget=5 --sort-key id --passes=3 --monkey 1",
        "got an unexpected token: '}'",
        "http://localhost:8080/run",
        "cache=64 threads=8",
        "user@host:path",
    ],
)
def test_nothing_else_is_changed(text: str) -> None:
    assert redacted(text) == text
    assert redacted_url(text) == text
    assert redacted_command(text.split()) == text.split()


COMMANDS = [
    ["./bench", "--password", "Hush7 Hush7", "-v"],
    ["./bench", "-password", "-Hush7"],
    ["./bench", "--password=Hush7 Hush7"],
    ["env", "PGPASSWORD=Hush7 Hush7", "./bench"],
    ["./bench", "--db", "postgresql://ann:Hush7@db/{x}"],
    ["sh", "-c", "PGPASSWORD=Hush7 ./bench --token Hush7 {x}"],
    ["./bench", '--config={{"secret": "Hush7"}}'],
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_shown_without_its_secrets(command: list[str]) -> None:
    shown = redacted_command(command)
    assert SECRET not in " ".join(shown)
    assert len(shown) == len(command)
    assert redacted_command(shown) == shown
    assert all(SECRET in secret for secret in secrets_of(command))
    assert SECRET not in masked(f"unknown: {' '.join(command)}", secrets_of(command))


def test_the_place_of_a_parameter_is_no_secret() -> None:
    command = ["./bench", "--token", "{t}", "--key={k}", '{{"password": "{p}"}}']
    assert redacted_command(command) == command
    assert secrets_of(command) == []


@given(
    user=st.text(st.characters(exclude_characters=":/@?[", exclude_categories=["Cs"])),
    password=st.text(min_size=1),
)
def test_no_password_is_such_that_it_shows(user: str, password: str) -> None:
    url = f"postgresql://{user}:{SECRET}{password}@db/tuning"
    assert SECRET not in redacted_url(url)
    encoded = quote(password, safe="", errors="replace")
    inside = f"no answer from postgresql://ann:{SECRET}{encoded}@db/tuning, nothing"
    assert redacted(inside) == "no answer from postgresql://ann:***@db/tuning, nothing"


def test_a_value_that_is_cut_in_a_message_is_redacted_before() -> None:
    assert SECRET not in describe([f"postgresql://ann:{SECRET}{'x' * 80}@db/tuning"])
