"""The description of the API in the documentation is that of this version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from stoic.server.access import TABLE
from stoic.server.describing import text

FILE = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"


def test_the_description_has_not_drifted() -> None:
    made = json.loads(text())
    command = "python -m stoic.server.describing docs/reference/openapi.json"
    assert json.loads(FILE.read_text(encoding="utf-8")) == made, f"run: {command}"


def test_every_route_of_the_api_is_described() -> None:
    paths = json.loads(FILE.read_text(encoding="utf-8"))["paths"]
    described = {(method.upper(), path) for path, found in paths.items() for method in found}
    assert {
        route for route in TABLE if route[1].startswith("/v1") and "clude" not in route[1]
    } <= described
