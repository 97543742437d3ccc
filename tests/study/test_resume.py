"""A study that was stopped goes on bit by bit as if it never had been."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from helpers.going_on import go_on, tell

SCRIPT = Path(__file__).parents[1] / "helpers" / "going_on.py"

SPACE = {"x": (0.0, 1.0), "rate": (1e-4, 1.0, "log"), "gc": ["g1", "zgc", "none"]}
ROUNDS = 26


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What a study asks that never stops."""
    with stoic.Study(
        tmp_path_factory.mktemp("whole") / "s.db", space=SPACE, direction="maximize", seed=5
    ) as study:
        return go_on(study, ROUNDS)


@pytest.mark.parametrize("stop", [1, 8, 12, 17, 24])
def test_stopped_anywhere(whole: list[Any], tmp_path: Path, stop: int) -> None:
    with stoic.Study(tmp_path / "s.db", space=SPACE, direction="maximize", seed=5) as study:
        asked = go_on(study, stop)
    with stoic.Study(tmp_path / "s.db") as study:
        asked += go_on(study, ROUNDS - stop)
    assert asked == whole


def test_stopped_after_every_trial(whole: list[Any], store: str) -> None:
    asked = []
    for _ in range(14):
        with stoic.Study(store, space=SPACE, direction="maximize", seed=5) as study:
            asked += go_on(study, 1)
    assert asked == whole[:14]


def test_in_another_process(whole: list[Any], store: str) -> None:
    with stoic.Study(store, "mine", space=SPACE, direction="maximize", seed=5) as study:
        asked = go_on(study, 11)
    done = subprocess.run(
        [
            sys.executable,
            str(SCRIPT),
            store,
            "mine",
            "6",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked + json.loads(done.stdout) == whole[:17]


def test_with_open_trials(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "a.db", space=SPACE, direction="maximize") as study:
        expected = go_on(study, 14, at_once=3)
    with stoic.Study(tmp_path / "b.db", space=SPACE, direction="maximize") as study:
        pending = [study.ask() for _ in range(3)]
    asked = [t.params for t in pending]
    for rounds in range(14):
        with stoic.Study(tmp_path / "b.db") as study:
            if rounds:
                pending.append(study.ask())
                asked.append(pending[-1].params)
            tell(study, pending.pop(0))
    assert asked == expected


@pytest.mark.parametrize("name", ["gp-ucb", "tgp-ucb", "mom-gp-ucb", "rgp-pe", "bkb", "uniform"])
def test_policies(tmp_path: Path, name: str) -> None:
    kind = stoic.policies.by_name(name)
    kernel = stoic.SquaredExponential(0.3)

    def play(path: Path, stops: int) -> tuple[list[Any], Any]:
        policy = kind(stoic.Arms(np.linspace(0, 1, 6)), kernel, horizon=100, seed=2)
        asked = []
        for _ in range(stops):
            with stoic.Study(path, policy=policy) as study:
                for _ in range(24 // stops):
                    trial = study.ask()
                    asked.append(trial.params["arm"])
                    study.tell(trial, float(np.cos(trial.params["arm"]) + trial.number % 3))
                best = study.recommend()
        return asked, best

    assert play(tmp_path / "a.db", 1) == play(tmp_path / "b.db", 6)
