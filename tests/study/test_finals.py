"""Finals of a study: the same for every worker, after every restart, and in a whole log."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput, InvalidParams, StoreDamaged, StudyMismatch
from stoic.study.repair.doctor import examine

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
BASELINE = {"x": 0.9, "y": 0.1}
MADE: dict[str, Any] = {"space": SPACE, "direction": "minimize", "baseline": BASELINE}


def value(params: Any, number: int) -> float:
    bowl = (params["x"] - 0.3) ** 2 + (params["y"] - 0.6) ** 2
    return float(20.0 + 20.0 * bowl + 0.5 * np.random.default_rng(number).standard_normal())


def go_on(study: stoic.Study, n: int) -> list[dict[str, Any]]:
    asked = []
    for _ in range(n):
        trial = study.ask()
        asked.append(trial.params)
        study.tell(trial, value(trial.params, trial.number))
    return asked


def play(study: stoic.Study, budget: int, until: int = 10**9, **limits: Any) -> stoic.Result:
    """Run a study's loop, but stop it after so many finished trials."""
    numbers = iter(range(study.finished, 10**6))

    def fn(**params: Any) -> float:
        return value(params, next(numbers))

    def stop(trial: stoic.optimize.Trial) -> None:
        if trial.number + 1 >= until:
            raise StopIteration

    return study.optimize(fn, budget, callback=stop, **limits)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], str]:
    """What a study asks that never stops, and its verdict."""
    with stoic.Study(tmp_path_factory.mktemp("whole") / "s.db", **MADE) as study:
        result = play(study, 30)
        assert result.verdict == study.verdict
        return [trial.params for trial in study.trials], str(result.verdict)


@pytest.mark.parametrize("stops", [(3, 19), (20, 21, 25), (29,)])
def test_a_stopped_study_goes_on_bit_by_bit(
    whole: tuple[list[dict[str, Any]], str], tmp_path: Path, stops: tuple[int, ...]
) -> None:
    for until in (*stops, 30):
        with stoic.Study(tmp_path / "s.db", **MADE) as study:
            result = play(study, 30, until)
    assert ([t.params for t in result.trials], str(result.verdict)) == whole
    with stoic.Study(tmp_path / "s.db") as study:
        assert str(study.verdict) == whole[1]
        assert study.baseline == BASELINE


def test_workers_share_the_finals(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", **MADE) as one, stoic.Study(tmp_path / "s.db") as two:
        go_on(one, 14)
        assert one.verdict is None
        assert one.start_finals(10)
        assert two.start_finals(50)  # another worker is first, and its finals count
        assert two.informed().finals == (14, 10)
        asked = []
        for _ in range(5):
            first, second = one.ask(), two.ask()
            asked += [first.params, second.params]
            two.tell(second, value(second.params, second.number))
            one.tell(first, value(first.params, first.number))
        counts = Counter(map(str, asked))
        assert counts[str(BASELINE)] == 5
        assert len(counts) == 2
        assert one.verdict == two.verdict
        assert one.verdict is not None
        assert one.verdict.measurements == 5
        two.end_finals()
        assert one.verdict is None


def test_a_lost_worker_leaves_its_contender_to_others(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", **MADE) as study:
        go_on(study, 14)
        study.start_finals(10)
        lost = study.ask()
        study.release(lost)
        again = study.ask()
        assert (again.number, again.params, again.attempt) == (lost.number, lost.params, 2)


def test_a_larger_budget_searches_on_and_holds_finals_again(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", **MADE) as study:
        first = play(study, 30).verdict
        result = play(study, 45)
        assert result.verdict is not None
        assert result.verdict != first
        assert result.verdict.measurements == 4
        assert len(result.trials) == 45
        asked = Counter(str(trial.params) for trial in study.trials[30:34])
        assert len(asked) > 2  # a search


def test_no_finals_are_as_before(tmp_path: Path) -> None:
    plain: dict[str, Any] = {"space": SPACE, "direction": "minimize"}
    with stoic.Study(tmp_path / "a.db", **plain) as study:
        expected = go_on(study, 20)
    with stoic.Study(tmp_path / "b.db", **plain) as study:
        result = play(study, 20, confirm=False)
        assert [trial.params for trial in study.trials] == expected
    assert result.verdict is None


def test_repeats_of_a_trial_count_once(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", **MADE) as study:
        for _ in range(12):
            trial = study.ask()
            for i in range(3):
                study.tell(trial, value(trial.params, 3 * trial.number + i), measurement=i)
        study.start_finals(10)
        assert study.informed().finals == (12, 10)


def test_the_log_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with stoic.Study(path, **MADE) as study:
        play(study, 24)
        verdict = study.verdict
        study.backup(tmp_path / "copy.db")
        assert all(len(trial.values) == 1 for trial in study.trials)
        assert study.finished == 24
    assert not [i for i in examine(path).issues if i.kind == "damage"]
    with stoic.Study(tmp_path / "copy.db") as study:
        assert study.verdict == verdict


def test_a_damaged_mark_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with stoic.Study(path, **MADE) as study:
        go_on(study, 12)
        study.start_finals(6)
    with sqlite3.connect(path) as connection:
        changed = "UPDATE stoic_log SET reason = replace(reason, '6', '8') WHERE measurement < 0"
        assert connection.execute(changed).rowcount == 1
    with pytest.raises(StoreDamaged):
        stoic.Study(path)


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InvalidParams):
        stoic.Study(tmp_path / "a.db", space=SPACE, direction="minimize", baseline={"x": 3.0})
    policy = stoic.policies.GPUCB(stoic.Arms([[0.0], [1.0]]), stoic.SquaredExponential(0.2))
    with pytest.raises(InvalidInput, match="baseline"):
        stoic.Study(tmp_path / "b.db", policy=policy, baseline={"arm": 0})
    with stoic.Study(tmp_path / "c.db", policy=policy) as study:
        study.tell(study.ask(), 1.0)
        assert not study.start_finals(4)
        assert study.verdict is None
    with stoic.Study(tmp_path / "d.db", **MADE) as study:
        assert not study.start_finals(4)  # nothing is known yet
        assert len(study.trials) == 0
    with pytest.raises(StudyMismatch, match="baseline"):
        stoic.Study(tmp_path / "d.db", baseline={"x": 0.5, "y": 0.5})
    with stoic.Study(tmp_path / "e.db", method="random", **MADE) as study:
        first = study.ask()
        assert first.params == BASELINE
        study.tell(first, 1.0)
        assert play(study, 10).verdict is None
