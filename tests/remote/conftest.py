"""One server for the tests that need no other; each test has studies of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

pytest.importorskip("fastapi")

from helpers.service import Service, serving

_NUMBERS = count()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running server."""
    with serving(tmp_path_factory.mktemp("service") / "studies.db") as made:
        yield made


@pytest.fixture
def name() -> str:
    """A name that no other study has."""
    return f"study-{next(_NUMBERS)}"
