"""The walks of docs/architecture.md name files and functions that exist, in at most eight steps."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import stoic

SOURCE = Path(stoic.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
WALK = re.compile(r"^### (?P<title>.+?)\n(?P<text>.*?)(?=^##)", re.M | re.S)
STEP = re.compile(r"^\d+\. ", re.M)
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
