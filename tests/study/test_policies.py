"""Policies in studies: plans, tells in any order, failures, boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput, StudyMismatch

KERNEL = stoic.SquaredExponential(0.3)
ARMS = np.linspace(0.0, 1.0, 7)


def policy(name: str, **own: Any) -> Any:
    return stoic.policies.by_name(name)(stoic.Arms(ARMS), KERNEL, horizon=200, **own)


def payoff(number: int, arm: int) -> float:
    return float(1.0 - (ARMS[arm] - 0.5) ** 2 + 0.1 * np.sin(7.0 * number))


def test_a_study_plays_what_the_policy_would(store: str) -> None:
    alone = policy("tgp-ucb")
    with stoic.Study(store, policy=policy("tgp-ucb")) as study:
        assert study.method == "policy"
        for number in range(15):
            trial = study.ask()
            assert trial.params == {"arm": alone.ask()}
            study.tell(trial, payoff(number, trial.params["arm"]))
            alone.tell(trial.params["arm"], payoff(number, trial.params["arm"]))
        arm, value, interval = alone.recommend()
        answer = study.recommend()
        assert (answer.params, answer.value, answer.interval) == ({"arm": arm}, value, interval)
        assert answer.measured == sum(t.params == {"arm": arm} for t in study.trials)
        result = study.result()
        assert len(result.trials) == 15
        assert result.luckiest is not None
        lucky = result.luckiest.trial.params["arm"]
        own = f"its own estimate is {alone.mean[lucky]:.4g}, against {value:.4g} for the answer"
        same = f"the answer is this arm, estimated at {value:.4g}"
        assert result.luckiest.why == (same if lucky == arm else f"not the answer: {own}")
        assert "arm=" in str(result)


@pytest.mark.parametrize("name", sorted(stoic.policies.names()))
def test_parallel_workers_tell_in_any_order(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(1)
    with stoic.Study(tmp_path / "s.db", policy=policy(name)) as study:
        pending: list[Any] = []
        for _ in range(40):
            while len(pending) < 5:
                pending.append(study.ask())
            trial = pending.pop(int(rng.integers(5)))
            study.tell(trial, payoff(trial.number, trial.params["arm"]))
        following = study.ask()
        best = study.recommend()
    with stoic.Study(tmp_path / "s.db") as again:
        assert again.recommend() == best
        assert again.trials[following.number].params == following.params
        # all payoffs but those that no plan wants yet were learned from
        adviser: Any = again.informed()
        assert adviser.policy.t + len(adviser._held) == 40
        assert len(adviser._held) < 20


def test_minimising_plays_for_the_least(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", policy=policy("gp-ucb"), direction="minimize") as study:
        for _ in range(30):
            trial = study.ask()
            study.tell(trial, -payoff(0, trial.params["arm"]))
        answer = study.recommend()
        assert answer.params["arm"] in (2, 3, 4)
        assert answer.value < 0.0
        assert answer.interval[0] <= answer.value <= answer.interval[1]
        assert study.luckiest.trial.value == min(t.values[0] for t in study.trials)


@pytest.mark.parametrize("name", ["gp-ucb", "tgp-ucb", "uniform"])
def test_an_arm_that_crashes_is_left_alone(tmp_path: Path, name: str) -> None:
    with stoic.Study(tmp_path / "s.db", policy=policy(name)) as study:
        first = study.ask().params["arm"]
        study.fail(0, "crash")
        arms = []
        for _ in range(25):
            trial = study.ask()
            arms.append(trial.params["arm"])
            if trial.params["arm"] == first:
                study.fail(trial, "crash")
            else:
                study.tell(trial, payoff(trial.number, trial.params["arm"]))
        assert arms.count(first) <= 8
        assert study.recommend().params["arm"] != first


def test_a_box_has_coordinates(tmp_path: Path) -> None:
    box = stoic.Box([0.0, -1.0], [1.0, 1.0])
    made = stoic.policies.GPUCB(box, KERNEL)
    with stoic.Study(tmp_path / "s.db", policy=made) as study:
        for _ in range(6):
            trial = study.ask()
            assert list(trial.params) == ["x0", "x1"]
            study.tell(trial, -(trial.params["x0"] ** 2))
        study.add({"x1": 0.5, "x0": 0.25}, -0.0625)
        expected = study.ask()
    with stoic.Study(tmp_path / "s.db") as study:
        assert study.trials[-1].params == expected.params
        assert set(study.recommend().params) == {"x0", "x1"}


def test_the_policys_own_matters(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", policy=policy("gp-ucb")) as study:
        study.tell(study.ask(), 1.0)
    with stoic.Study(tmp_path / "s.db", policy=policy("gp-ucb")) as study:
        assert study.finished == 1
    with pytest.raises(StudyMismatch, match="policy"):
        stoic.Study(tmp_path / "s.db", policy=policy("gp-ucb", lam=0.5))
    with pytest.raises(StudyMismatch, match="space"):
        stoic.Study(tmp_path / "s.db", space={"x": (0.0, 1.0)}, direction="maximize")
    with pytest.raises(InvalidInput, match="two arms"):
        one = stoic.policies.GPUCB(stoic.Arms([0.5]), KERNEL)
        stoic.Study(tmp_path / "one.db", policy=one)


def test_a_schedule_of_ones_own_comes_with_its_policy(tmp_path: Path) -> None:
    class Fixed:
        def width(self, now: Any) -> float:
            return 2.0

    def made() -> Any:
        return policy("gp-ucb", schedule=Fixed())

    with stoic.Study(tmp_path / "s.db", policy=made()) as study:
        study.tell(study.ask(), 1.0)
        expected = study.ask().params
    with stoic.Study(tmp_path / "s.db", policy=made()) as study:
        assert study.trials[1].params == expected
    with pytest.raises(InvalidInput, match="policy="):
        stoic.Study(tmp_path / "s.db")
