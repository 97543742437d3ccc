"""A study goes on in a wider space: the log stays, suggestions use it, and all workers see it."""

from __future__ import annotations

import math
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import stoic
from helpers.going_on import go_on
from stoic.errors import InvalidInput, InvalidParams, StoreDamaged, StudyMismatch
from stoic.spaces import Categorical, Float, Grid, Int, Space
from stoic.spaces.widening import changes, widened
from stoic.study import summaries
from stoic.study.exchange.transfer import export, import_file
from stoic.study.repair.doctor import examine
from stoic.study.repair.recovery import recover

NARROW = {"x": (0.0, 1.0), "n": (1, 8), "gc": ["g1", "zgc"]}
WIDE = {"x": (-1.0, 3.0), "n": (1, 64), "gc": ["zgc", "none", "g1"]}


def play(study: stoic.Study, rounds: int) -> list[dict[str, Any]]:
    """Ask and tell; the best is outside the narrow space. Every seventh trial fails."""
    asked = []
    for _ in range(rounds):
        trial = study.ask()
        p = trial.params
        if trial.number % 7 == 6:
            study.fail(trial, "crash")
        else:
            study.tell(trial, -abs(p["x"] - 2.0) - abs(math.log2(p["n"] / 32)))
        asked.append(p)
    return asked


@pytest.mark.parametrize("method", ["auto", "random"])
def test_it_goes_on_in_the_wider_space(store: str, method: str) -> None:
    with stoic.Study(store, space=NARROW, direction="maximize", method=method) as study:
        before = play(study, 10)
        records = study.trials
    with stoic.Study(store, space=WIDE) as study:
        assert study.space.parameters == Space(
            {"x": (-1.0, 3.0), "n": (1, 64), "gc": ["g1", "zgc", "none"]}
        ).parameters  # fmt: skip
        assert len(study.widened) == 3
        assert study.trials == records
        after = play(study, 20)
        result = study.result()
    assert all(Space(NARROW).encode(p).size for p in before)
    assert any(not 0.0 <= p["x"] <= 1.0 for p in after)
    assert any(p["n"] > 8 for p in after)
    assert [t.params for t in result.trials] == before + after
    if method == "auto":
        assert result.best is not None
        assert result.best.params["x"] > 1.0
    with stoic.Study(store) as study:
        assert study.space.parameters["n"] == Int(1, 64)
        assert study.widened == ()
        assert study.finished == 30
    with pytest.raises(StudyMismatch, match=r"or a wider one.*narrower.*leave it out"):
        stoic.Study(store, space=NARROW)
    assert summaries(store)[0].trials == 30


@pytest.mark.parametrize("method", ["auto", "random"])
def test_stopped_or_not_it_asks_the_same(tmp_path: Path, method: str) -> None:
    first, again = tmp_path / "a.db", tmp_path / "b.db"
    with stoic.Study(first, space=NARROW, direction="maximize", method=method, seed=2) as study:
        expected = play(study, 13)
        with stoic.Study(first, space=WIDE) as other:
            assert other.widened
        expected += play(study, 14)  # of a process that had the study open all the time
        assert study.space.parameters["n"] == Int(1, 64)
    asked: list[dict[str, Any]] = []
    given = {"direction": "maximize", "method": method, "seed": 2}
    for number in range(27):  # of a process for each trial
        space = NARROW if number < 13 else WIDE
        with stoic.Study(again, space=space, **given) as study:  # type: ignore[arg-type]
            asked += play(study, 1)
    assert asked == expected


def test_a_worker_that_has_it_open_takes_it_in(store: str) -> None:
    with (
        stoic.Study(store, space=NARROW, direction="maximize") as study,
        stoic.Study(store, space=NARROW) as other,
    ):
        play(study, 3)
        waiting = other.ask()
        with pytest.raises(InvalidParams):
            other.add({"x": 2.5, "n": 8, "gc": "g1"}, 1.0)
        stoic.Study(store, space=WIDE).close()
        other.add({"x": 2.5, "n": 8, "gc": "g1"}, 1.0)
        other.tell(waiting, -3.0)
        assert study.ask().number == 5
        assert study.space == other.space == Space(dict(WIDE, gc=["g1", "zgc", "none"]))


def test_two_workers_widen_it_at_once(store: str) -> None:
    stoic.Study(store, space={"x": (0.0, 1.0)}, direction="maximize").close()
    ready, found = threading.Barrier(4), []

    def work(high: float) -> None:
        ready.wait()
        try:
            stoic.Study(store, space={"x": (0.0, high)}).close()
            found.append(high)
        except StudyMismatch:  # one that was wider came first
            pass

    threads = [threading.Thread(target=work, args=(1.0 + i,)) for i in range(1, 4)]
    for thread in threads:
        thread.start()
    ready.wait()
    for thread in threads:
        thread.join()
    assert 4.0 in found
    with stoic.Study(store) as study:
        assert study.space.parameters["x"] == Float(0.0, 4.0)


def test_wider_again_and_again(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    for high in range(8, 80, 8):
        with stoic.Study(store, space={"n": (1, high)}, direction="maximize") as study:
            go_on_line(study)
    with stoic.Study(store) as study:
        assert study.space == Space({"n": (1, 72)})
        assert study.finished == 18
    assert examine(store).healthy


def go_on_line(study: stoic.Study) -> None:
    for _ in range(2):
        trial = study.ask()
        study.tell(trial, float(trial.params["n"]))


def test_copies_have_the_wider_space_too(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with stoic.Study(store, space=NARROW, direction="maximize") as study:
        play(study, 4)
    with stoic.Study(store, space=WIDE) as study:
        play(study, 8)
        study.add({"x": 3.0, "n": 64, "gc": "none"}, 0.5)
        study.backup(tmp_path / "backup.db")
        expected = study.trials
    export(store, "study", tmp_path / "s.json")
    import_file(tmp_path / "imported.db", None, tmp_path / "s.json")
    again = import_file(store, None, tmp_path / "s.json")
    assert (again.trials, again.outcomes) == (0, 0)
    (kept,) = recover(store, tmp_path / "recovered.db")
    assert kept.share == 1.0
    for name in ("backup", "imported", "recovered"):
        with stoic.Study(tmp_path / f"{name}.db") as study:
            assert study.space.parameters["x"] == Float(-1.0, 3.0), name
            assert [t.params for t in study.trials] == [t.params for t in expected]
    assert examine(store).healthy
    assert examine(tmp_path / "recovered.db").healthy


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ((1, 8), (2, 64), "narrower"),
        ((1, 8), (1.0, 64.0), "another type"),
        ((1, 8), (1, 64, "log"), "another scale"),
        ((1, 8), Int(1, 9, step=2), "another step"),
        (Int(2, 8, step=2), Int(1, 9, step=2), "another grid"),
        (Float(0.0, 1.0, step=0.1), Float(-0.05, 1.05, step=0.1), "another grid"),
        (["a", "b"], ["a", "c"], "narrower"),
        ([1, 2], [True, 2, 3], "narrower"),
        (Grid([1, 2, 4]), Grid([4, 2, 1, 8]), "another order"),
        (Grid([1, 2, 4]), [1, 2, 4, 8], "another type"),
    ],
    ids=str,
)
def test_what_is_not_wider_is_refused(tmp_path: Path, old: object, new: object, why: str) -> None:
    store = tmp_path / "s.db"
    with stoic.Study(store, space={"p": old, "x": (0.0, 1.0)}, direction="maximize") as study:
        go_on(study, 1)
    with pytest.raises(StudyMismatch, match=why):
        stoic.Study(store, space={"p": new, "x": (0.0, 2.0)})
    with stoic.Study(store) as study:
        assert study.space.parameters["x"] == Float(0.0, 1.0)


def test_other_parameters_conditions_and_constraints_are_refused() -> None:
    old = Space({"gc": ["a", "b"], "n": Int(1, 8, when={"gc": "a"})}, valid="n <= 7")
    for new, why in (
        (Space({"gc": ["a", "b"], "m": Int(1, 8, when={"gc": "a"})}), "other parameters: 'm', 'n'"),
        (Space({"gc": ["a", "b"], "n": (1, 64)}, valid="n <= 7"), "another condition"),
        (Space({"gc": ["a", "b"], "n": Int(1, 64, when={"gc": "a"})}), "constraints"),
    ):
        with pytest.raises(InvalidInput, match=why):
            widened(old, new)
    wide = Space({"n": Int(1, 64), "gc": ["c", "a", "b"]}, valid="n <= 7")
    narrow = Space({"gc": ["a", "b"], "n": (1, 8)}, valid="n <= 7")
    found = widened(narrow, wide)
    assert found.parameters["gc"] == Categorical(["a", "b", "c"])
    assert len(list(changes(narrow, found))) == 2
    stepped = widened(Space({"n": Int(2, 8, step=2)}), Space({"n": Int(0, 64, step=2)}))
    assert stepped.parameters["n"] == Int(0, 64, step=2)


def test_a_policy_has_no_wider_space(tmp_path: Path) -> None:
    arms = stoic.policies.Uniform(stoic.Arms([0.0, 1.0]), stoic.Matern(2.5, 0.5))
    stoic.Study(tmp_path / "s.db", policy=arms).close()
    with pytest.raises(StudyMismatch, match="expected space"):
        stoic.Study(tmp_path / "s.db", space={"arm": (0, 5)})


def test_a_damaged_entry_is_found(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with stoic.Study(store, space=NARROW, direction="maximize") as study:
        play(study, 3)
    stoic.Study(store, space=WIDE).close()
    with closing(sqlite3.connect(store)) as raw:
        raw.execute("UPDATE stoic_log SET reason = replace(reason, '64', '65') WHERE trial = -1")
        raw.commit()
    with pytest.raises(StoreDamaged, match="entry 4"):
        stoic.Study(store)
    assert not examine(store).healthy
