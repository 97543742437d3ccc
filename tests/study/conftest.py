"""Stores to test on: a file, and a database of a server that runs for the session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.servers import BINARIES, Server, server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    if not (BINARIES / "initdb").exists():
        pytest.skip("no PostgreSQL server is installed")
    with server() as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a study can be made: a path, then a URL."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    made: Server = request.getfixturevalue("postgres")
    return made.fresh()
