"""The source keeps to its sizes and limits, and the map of it in CONTRIBUTING.md is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stoic
from helpers.house import MAX_ARGUMENTS, MAX_FILES, MAX_LINES, House

ROOT = Path(stoic.__file__).parent
MAP = Path(__file__).parents[1] / "CONTRIBUTING.md"
RULES = tuple(House(ROOT, ()).violations())  # their names alone


@pytest.fixture(scope="module")
def house() -> House:
    """The package, parsed."""
    return House.of(ROOT)


@pytest.fixture(scope="module")
def violations(house: House) -> dict[str, list[str]]:
    """What is against the rules."""
    return house.violations()


@pytest.mark.parametrize("rule", RULES)
def test_limits(rule: str, violations: dict[str, list[str]]) -> None:
    assert not violations[rule], f"{rule}:\n" + "\n".join(violations[rule])


def test_files_and_functions_are_short(house: House) -> None:
    files = sorted(source.lines for source in house.sources)
    functions = sorted(function.lines for function in house.functions)
    assert files[len(files) // 2] <= 125
    assert functions[99 * len(functions) // 100] <= 40


BAD = """
import json
from scipy.linalg._basic import solve
from stoic.checks import number

def long({many}):
    from stoic.kernels import Kernel
    json._default_encoder, number._inside
    return getattr(json, "_default_decoder")

class Policy:
    def fork(self, other):
        if self._calibration is None:
            return other._fork, self._own
{lines}
"""


def test_the_limits_can_be_broken(tmp_path: Path) -> None:
    room = tmp_path / "policies"
    room.mkdir()
    many = ", ".join(f"x{i}" for i in range(MAX_ARGUMENTS + 1))
    bad = BAD.format(many=many, lines="\n" * MAX_LINES)
    (room / "bad.py").write_text(bad, encoding="utf-8")
    for i in range(MAX_FILES):
        (room / f"good{i}.py").write_text("def good():\n    return 1\n", encoding="utf-8")
    found = {rule: len(lines) for rule, lines in House.of(tmp_path).violations().items()}
    assert list(found.values()) == [1, 1, 1, 1, 4, 1, 1]


def rooms_of(text: str) -> set[str]:
    """The rooms that the map names: what stands in each line before two spaces."""
    chapter = text.partition("## Where things live")[2]
    fence = re.search(r"^```[^\n]*\n(.*?)^```", chapter, re.DOTALL | re.MULTILINE)
    assert fence is not None, "no map under the heading 'Where things live'"
    lines = [line for line in fence[1].splitlines() if line[:1].isalpha()]
    names = (re.split(r" {2,}", line)[0] for line in lines)
    return {name.strip("/") for part in names for name in re.split(r"[ ,]+", part) if name}


def test_the_map_names_every_room(house: House) -> None:
    assert rooms_of(MAP.read_text(encoding="utf-8")) == house.rooms


def test_the_map_is_read_by_its_first_column() -> None:
    text = "## Where things live\n\n```\na, b c/  words of it\n  more words\nd        x\n```\n"
    assert rooms_of(text) == {"a", "b", "c", "d"}
