"""URLs of stores: their parts, what the driver is given, and what people see."""

from __future__ import annotations

from typing import Any

import pytest

from stoic.errors import InvalidInput
from stoic.study.store.urls import connect_arguments, shown, store_url, without_password

PATIENCE = {"connect_timeout": 10}
ARGUMENTS: list[tuple[str, dict[str, Any]]] = [
    ("//ann:p%40s%2Fs+x@db:5433/tuning%20two",
     {"user": "ann", "password": "p@s/s+x", "host": "db", "port": 5433, "dbname": "tuning two"}),
    ("//[::1]:77/x", {"host": "::1", "port": 77, "dbname": "x"}),
    ("///x?host=/tmp/s&options=-csearch_path%3Dt1%20-cwork_mem%3D1MB+",
     {"dbname": "x", "host": "/tmp/s", "options": "-csearch_path=t1 -cwork_mem=1MB "}),
    ("//ann@/x?host=a,b&port=1,2", {"user": "ann", "dbname": "x", "host": "a,b", "port": "1,2"}),
    ("//ann@/x?host=a:1&host=b:2", {"user": "ann", "dbname": "x", "host": "a,b", "port": "1,2"}),
    ("///x?host=a:1", {"dbname": "x", "host": "a", "port": "1"}),
    ("//db/x?connect_timeout=3", {"host": "db", "dbname": "x", "connect_timeout": "3"}),
]  # fmt: skip


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
@pytest.mark.parametrize(("url", "expected"), ARGUMENTS, ids=lambda each: str(each)[:20])
def test_the_driver_gets_the_parts_decoded(scheme: str, url: str, expected: dict[str, Any]) -> None:
    assert connect_arguments(store_url(f"{scheme}:{url}")) == PATIENCE | expected


@pytest.mark.parametrize(
    "url",
    ["postgresql://db:/x", "postgresql:///x?host=a:1&host=b:2&port=3", "postgresql:///x?port=no"],
)
def test_ports_that_are_none_are_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        connect_arguments(store_url(url))


def test_a_url_is_shown_as_it_can_be_given_again() -> None:
    for url in ("postgresql+psycopg://ann@db:5433/x?host=%2Ftmp%2Fs", "postgresql+psycopg:///x"):
        assert shown(store_url(url)) == url
        assert without_password(url) == url
    secret = "postgresql://ann:Hush7%40@db/x?password=Hush7&sslmode=require"
    assert shown(store_url(secret)) == (
        "postgresql+psycopg://ann:***@db/x?password=***&sslmode=require"
    )
    assert without_password(secret) == "postgresql://ann@db/x?sslmode=require"
