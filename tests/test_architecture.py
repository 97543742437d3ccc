"""The walks of docs/architecture.md are the calls of a round, in order, in at most eight steps."""

from __future__ import annotations

import ast
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import stoic
from stoic.cli.app import app

SOURCE = Path(stoic.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
WALK = re.compile(r"^### (?P<title>.+?)\n(?P<text>.*?)(?=^##)", re.M | re.S)
STEP = re.compile(r"^\d+\. (?P<words>.*)", re.M)
FILE = re.compile(r"`(?P<path>[a-z_]+(?:/[a-z_]+)*\.py)`")
CALL = re.compile(r"`(?P<path>[a-z_]+(?:/[a-z_]+)*\.py)` `(?P<name>[A-Za-z_.]+)`")
MAX_STEPS = 8

text = PAGE.read_text(encoding="utf-8")
walks = {match["title"]: match["text"] for match in WALK.finditer(text)}


def defined(path: Path) -> set[str]:
    """Functions, classes and ``Class.method`` that a file defines."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{m.name}" for m in node.body if isinstance(m, ast.FunctionDef)}
    return names


def test_there_are_four_walks() -> None:
    assert len(walks) == 4


@pytest.mark.parametrize("title", walks)
def test_a_walk_is_short(title: str) -> None:
    assert 0 < len(STEP.findall(walks[title])) <= MAX_STEPS


def test_every_file_exists() -> None:
    named = {match["path"] for match in FILE.finditer(text) if not match["path"].startswith("test")}
    assert named
    assert not [path for path in sorted(named) if not (SOURCE / path).is_file()]


def test_every_function_is_in_its_file() -> None:
    named = {(match["path"], match["name"]) for match in CALL.finditer(text)}
    assert len(named) > 20
    assert not [
        f"{path}: {name}"
        for path, name in sorted(named)
        if (SOURCE / path).is_file() and name not in defined(SOURCE / path)
    ]


# -- the walks are true -------------------------------------------------------------------------


def calls(act: Callable[[], object]) -> list[tuple[str, str]]:
    """File and function of every call within the package, in all threads, in order."""
    made: list[tuple[str, str]] = []
    folder = f"{SOURCE}/"

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (path := frame.f_code.co_filename).startswith(folder):
            made.append((path.removeprefix(folder), frame.f_code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return made


def steps(title: str) -> list[tuple[str, str]]:
    """File and function of each step: the first that its line names."""
    found = [CALL.match(step["words"]) for step in STEP.finditer(walks[title])]
    return [(call["path"], call["name"]) for call in found if call is not None]


def first_missing(title: str, made: list[tuple[str, str]]) -> tuple[str, str] | None:
    """The first step that is not called after those before it."""
    left = iter(made)
    return next((step for step in steps(title) if step not in left), None)


def policy_round() -> None:
    policy = stoic.policies.TGPUCB(stoic.Arms(np.linspace(0, 1, 9)), stoic.SquaredExponential(0.2))
    policy.tell(3, 1.0)
    policy.ask()


def optimizer_round() -> None:
    optimizer = stoic.Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    for x in np.linspace(0, 1, 9).tolist():
        optimizer.tell({"x": x}, (x - 0.3) ** 2)
    optimizer.tell({"x": 0.25}, 0.05**2)  # a replicate, so that none is due
    optimizer.ask()


def study_round() -> None:
    with stoic.Study("a.db", space={"x": (0.0, 1.0)}, direction="minimize") as study:
        study.tell(study.ask(), 1.0)


def tune() -> None:
    command = ["tune", "--minimize", "--budget", "1", "-p", "x=1:9", "--", "echo", "{x}"]
    assert CliRunner().invoke(app, command).exit_code == 0


ROUNDS = {
    "A policy's round": policy_round,
    "The optimiser's round": optimizer_round,
    "A study's round": study_round,
    "stoic tune": tune,
}


@pytest.mark.parametrize("title", walks)
def test_a_walk_is_what_is_called(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(steps(title)) == len(STEP.findall(walks[title]))
    assert first_missing(title, calls(ROUNDS[title])) is None


def test_a_wrong_order_is_noticed() -> None:
    title = "A policy's round"
    made = steps(title)
    assert first_missing(title, made) is None
    assert first_missing(title, made[1:] + made[:1]) == made[1]
