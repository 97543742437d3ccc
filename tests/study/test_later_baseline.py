"""A study that was made without a baseline gets one later; all workers and copies see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import stoic
from stoic.errors import InvalidParams, StudyMismatch
from stoic.study.exchange.transfer import export, import_file
from stoic.study.repair.doctor import examine

SPACE = {"x": (0.0, 1.0), "n": (1, 8)}
BASELINE = {"x": 0.5, "n": 4}


def play(study: stoic.Study, rounds: int) -> list[dict[str, Any]]:
    asked = []
    for _ in range(rounds):
        trial = study.ask()
        study.tell(trial, (trial.params["x"] - 0.3) ** 2 + abs(trial.params["n"] - 6))
        asked.append(trial.params)
    return asked


def test_it_is_measured_next_and_in_the_finals(store: str) -> None:
    with stoic.Study(store, space=SPACE, direction="minimize") as study:
        assert BASELINE not in play(study, 12)
        with stoic.Study(store, baseline=BASELINE) as other:
            assert other.widened == (f"the baseline is now {BASELINE}",)
        assert play(study, 1) == [BASELINE]  # of a process that had the study open all the time
        assert study.baseline == BASELINE
    with stoic.Study(store, baseline=BASELINE) as study:
        assert study.widened == ()
        assert study.start_finals(10)
        play(study, 10)
        assert study.verdict is not None
        assert study.verdict.reference == BASELINE
        assert study.verdict.better
    with pytest.raises(StudyMismatch, match=r"expected baseline .*'n': 4.*got .*'n': 5"):
        stoic.Study(store, baseline={"x": 0.5, "n": 5})


def test_with_a_wider_space_in_one_go(store: str) -> None:
    with stoic.Study(store, space=SPACE, direction="minimize") as study:
        play(study, 6)
    with pytest.raises(InvalidParams):
        stoic.Study(store, baseline={"x": 0.5, "n": 12})
    wide, baseline = {"x": (0.0, 1.0), "n": (1, 16)}, {"x": 0.5, "n": 12}
    with stoic.Study(store, space=wide, baseline=baseline) as study:
        assert len(study.widened) == 2
        assert play(study, 1) == [baseline]
    wider = {"x": (-1.0, 1.0), "n": (1, 16)}
    with stoic.Study(store, space=wider) as study:  # the baseline stays
        assert study.baseline == baseline
        assert len(study.widened) == 1


def test_random_search_has_its_own_from_the_start_only(store: str) -> None:
    with stoic.Study(store, space=SPACE, direction="minimize", method="random") as study:
        play(study, 2)
    with pytest.raises(StudyMismatch, match="expected baseline None"):
        stoic.Study(store, baseline=BASELINE)


def test_copies_keep_it(tmp_path: Path) -> None:
    store, file, copy = tmp_path / "a.db", tmp_path / "a.json", tmp_path / "b.db"
    with stoic.Study(store, space=SPACE, direction="minimize") as study:
        play(study, 6)
    with stoic.Study(store, baseline=BASELINE) as study:
        play(study, 1)
    assert all(issue.kind == "fine" for issue in examine(store).issues)
    export(store, "study", file)
    import_file(copy, None, file)
    with stoic.Study(copy) as study:
        assert study.baseline == BASELINE
    with stoic.Study(tmp_path / "c.db", space=SPACE, direction="minimize") as study:
        assert study.baseline is None
