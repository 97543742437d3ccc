"""Errors of the server: every code is explained, and no reply has what is not for clients."""

from __future__ import annotations

import ast
import json
import logging
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

import stoic.server
from stoic import errors
from stoic.errors import (
    ConflictingValue,
    InvalidParams,
    MissingData,
    StoicError,
    StoreDamaged,
    StoreUnavailable,
    UnknownTrial,
)
from stoic.server.problems import Problem, problem_of, reply

ROOT = Path(stoic.server.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "do" / "serve.md"


def codes() -> set[str]:
    """The codes that stand in the source."""
    found = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Problem":
                code = node.args[1] if len(node.args) > 1 else None
                if isinstance(code, ast.Constant):
                    found.add(str(code.value))
    return found | {"internal"}


def test_every_code_is_explained() -> None:
    kinds = [getattr(errors, name) for name in errors.__all__]
    known = {kind.code for kind in kinds if isinstance(kind, type) and issubclass(kind, StoicError)}
    assert {"busy", "invalid-json", "access-denied"} <= codes()
    text = PAGE.read_text(encoding="utf-8").partition("## Errors")[2].partition("\n## ")[0]
    assert [code for code in sorted(codes() - known) if f"`{code}`" not in text] == []


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (UnknownTrial("expected a trial"), 404, "unknown-trial"),
        (ConflictingValue("expected 1"), 409, "conflicting-value"),
        (InvalidParams("expected x"), 422, "invalid-params"),
        (StoreUnavailable("expected to use /hush/a.db"), 503, "store-unavailable"),
        (StoreDamaged("expected /hush/a.db to be whole"), 500, "store-damaged"),
        (MissingData("expected a file at /hush/a"), 500, "missing-data"),
        (RuntimeError("hush"), 500, "internal"),
        (Problem(418, "busy", "hush? no: shown"), 418, "busy"),
    ],
)
def test_errors_as_replies(
    error: Exception, status: int, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    problem = problem_of(error)
    response = reply(problem)
    data = json.loads(bytes(response.body))
    assert (response.status_code, data["status"], data["code"]) == (status, status, code)
    assert response.media_type == "application/problem+json"
    if status >= 500:
        assert "hush" not in data["detail"]
        assert "hush" in caplog.text
        assert data["detail"].rstrip(")").split()[-1] in caplog.text  # the id
        assert (status == 503) == ("retry-after" in response.headers)
    anchor = data["type"].partition("#")[2]
    assert anchor in (code, "errors")


def test_secrets_in_messages_are_masked(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    words = "no answer from postgresql://ann:hush@db/tuning"
    data = json.loads(bytes(reply(problem_of(InvalidParams(words))).body))
    assert "hush" not in data["detail"]
    problem_of(StoreUnavailable(words))
    assert "hush" not in caplog.text
