"""A study keeps the constraints of its space, as text, and refuses what they exclude."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import stoic
from stoic.errors import InvalidInput, InvalidParams, StoreDamaged, StudyMismatch
from stoic.randomness import generator
from stoic.spaces import Space
from stoic.study.definition import Definition, StudyArguments
from stoic.study.exchange.transfer import export, import_file
from stoic.study.store.codec import read

RANGES: dict[str, Any] = {"a": (1, 64), "b": (1, 64)}
SPACE = Space(RANGES, valid=["a * b <= 64", "a != b"])


def test_constraints_are_kept(store: str) -> None:
    with stoic.Study(store, space=SPACE, direction="minimize") as study:
        for _ in range(12):
            trial = study.ask()
            SPACE.encode(trial.params)
            study.tell(trial, float(trial.params["a"] - trial.params["b"]))
        with pytest.raises(InvalidParams, match=r"a \* b <= 64"):
            study.enqueue({"a": 9, "b": 8})
        with pytest.raises(InvalidParams, match=r"a != b"):
            study.add({"a": 8, "b": 8}, 1.0)
    for given in (None, SPACE, Space(RANGES, valid=["a!=b", "a*b <= 64"])):
        with stoic.Study(store, space=given) as study:
            assert study.space == SPACE
            assert study.space.valid == SPACE.valid
    with stoic.Study(store) as study:
        SPACE.encode(study.ask().params)


@pytest.mark.parametrize("other", [RANGES, Space(RANGES, valid="a * b <= 65")])
def test_other_constraints_are_another_study(store: str, other: Any) -> None:
    with stoic.Study(store, space=SPACE, direction="minimize"):
        pass
    with pytest.raises(StudyMismatch, match=r"expected valid .*a \* b <= 64.*, got "):
        stoic.Study(store, space=other)


def test_functions_cannot_be_stored(tmp_path: Path) -> None:
    space = Space(RANGES, valid=lambda p: p["a"] < p["b"])
    path = tmp_path / "study.db"
    with pytest.raises(InvalidInput, match="as text, which can be stored, got a function"):
        stoic.Study(path, space=space, direction="minimize")
    assert not path.exists()


@pytest.mark.parametrize("method", ["auto", "random"])
def test_each_method_suggests_what_is_valid(tmp_path: Path, method: str) -> None:
    few = Space({"a": (1, 64), "b": (1, 64), "c": (1, 16)}, valid="a * b * c == 4096")
    with stoic.Study(tmp_path / "s.db", space=few, direction="minimize", method=method) as study:
        for _ in range(4):
            params = study.ask().params
            assert params["a"] * params["b"] * params["c"] == 4096


def test_random_draws_are_as_before_without_constraints(tmp_path: Path) -> None:
    space = {"x": (0.0, 1.0), "n": (1, 8)}
    with stoic.Study(tmp_path / "s.db", space=space, direction="minimize", method="random") as s:
        first, second = generator(0, 0).random(2)  # quantiles, by the seed and the trial's number
        params = s.ask().params
        assert params == {"x": pytest.approx(first, rel=1e-12), "n": 1 + int(8 * second)}


def test_the_stored_form() -> None:
    def definition(space: Any) -> Definition:
        return Definition.of(StudyArguments(space, direction="minimize"))

    free, bound = definition(RANGES), definition(SPACE)
    assert '"valid"' not in free.text()
    assert read(free.text(), "")["space"]["version"] == 1
    assert read(bound.text(), "")["space"]["version"] == 2
    for each in (free, bound):
        again = Definition.from_text(each.text())
        assert again == each
        assert again.text() == each.text()
    with pytest.raises(StoreDamaged):
        Definition.from_text(bound.text().replace("a * b <= 64", "a * c <= 64"))


def test_files_carry_constraints(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", "one", space=SPACE, direction="minimize") as study:
        for _ in range(3):
            study.tell(study.ask(), 1.0)
    out = tmp_path / "one.json"
    export(tmp_path / "s.db", "one", out)
    assert import_file(tmp_path / "t.db", None, out).trials == 3
    with stoic.Study(tmp_path / "t.db", "one") as study:
        assert study.space == SPACE
    table = json.loads(out.read_text())
    assert table["study"]["space"]["valid"] == list(SPACE.valid)
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b,value\n2,3,1.0\n9,8,1.0\n")
    with pytest.raises(InvalidParams, match=r"a \* b <= 64.*nothing was imported"):
        import_file(tmp_path / "t.db", "one", bad)
