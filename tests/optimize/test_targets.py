"""Answers estimate what was asked for, no suspect moves them, and they are possible."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput
from stoic.optimize import Optimizer, Verdict
from stoic.optimize.aim import Aim
from stoic.optimize.answers.possible import Possible
from stoic.optimize.finals.verdict import compared
from stoic.report import Result

SQUARE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def told(
    noise: str, seed: int = 0, n: int = 40, *, offset: float = 20.0, **question: object
) -> Optimizer:
    """An optimiser that knows n times, two thirds of them near the least."""
    rng = np.random.default_rng(seed)
    made = Optimizer(SQUARE, direction="minimize", **question)  # type: ignore[arg-type]
    for i in range(n):
        u = rng.random(2) if i % 3 == 0 else np.clip(0.4 + 0.1 * rng.standard_normal(2), 0, 1)
        error = rng.lognormal(0.0, 1.2) if noise == "lognormal" else rng.standard_normal()
        value = offset + 10.0 * float(((u - 0.4) ** 2).sum()) + float(error)
        value *= 50.0 if noise == "spikes" and rng.random() < 0.1 else 1.0
        made.tell({"x": float(u[0]), "y": float(u[1])}, value)
    return made


def test_a_mean_is_above_a_median_where_the_tail_is() -> None:
    higher = 0
    for seed in range(4):
        median = told("lognormal", seed).recommend()
        mean = told("lognormal", seed, target="mean").recommend()
        assert mean.params == median.params
        assert (median.target, mean.target) == ("median", "mean")
        assert "average" in str(mean)
        assert "median" in str(median)
        higher += mean.value > median.value
    assert higher == 4


def test_suspects_move_neither_value_nor_interval() -> None:
    for seed in range(3):
        made = told("spikes", seed)
        conclusion = made.conclude()
        gone = {suspect.trial for suspect in conclusion.suspects}
        assert gone
        again = Optimizer(SQUARE, direction="minimize")
        again.tell_all([(t.params, t.value, None) for t in made.trials if t.number not in gone])
        same, best = again.estimate(conclusion.answer.params), conclusion.answer
        assert same.value == pytest.approx(best.value, rel=1e-9)
        assert same.interval == pytest.approx(best.interval, rel=1e-9)
        assert not again.suspects()


def test_a_single_run_scatters_more_than_the_median() -> None:
    best = told("normal").recommend()
    assert best.single_run[0] < best.interval[0] < best.interval[1] < best.single_run[1]
    errors = np.random.default_rng(1).standard_normal(10_000)
    truth = 20.0 + 10.0 * sum((best.params[k] - 0.4) ** 2 for k in SQUARE)
    runs = truth + errors
    assert 0.75 < np.mean((best.single_run[0] < runs) & (runs < best.single_run[1])) < 0.99


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_accuracies_stay_within_their_bounds(direction: str) -> None:
    sign = 1.0 if direction == "maximize" else -1.0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        made = Optimizer({"x": (0.0, 1.0)}, direction=direction, bounds=(-1.0, 1.0))
        for x in rng.random(15).tolist():
            value = 1.0 - 0.05 * (x - 0.4) ** 2 + 0.02 * rng.standard_normal()
            made.tell({"x": x}, sign * min(value, 1.0))
        result = Result.of(made)
        best = result.best
        assert best is not None
        ends = (best.value, *best.interval, *best.single_run)
        assert max(map(abs, ends)) <= 1.0
        assert result.to_dict()["bounds"] == [-1.0, 1.0]


def test_values_of_one_sign_give_no_interval_across_zero() -> None:
    made = told("normal", n=12, offset=2.5)
    values = [trial.value or 0.0 for trial in made.trials]
    assert min(values) > 0.0
    best = made.recommend()
    assert 0.0 < best.interval[0] < best.value < best.interval[1]
    assert best.single_run[0] > 0.0
    other = Optimizer(SQUARE, direction="maximize")
    other.tell_all([(t.params, -(t.value or 0.0), None) for t in made.trials])
    assert other.recommend().interval[1] < 0.0


def test_values_that_are_mostly_zero_have_the_median_zero() -> None:
    rng = np.random.default_rng(0)
    made = Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    for _ in range(30):
        x = float(rng.random())
        made.tell({"x": x}, 0.0 if rng.random() < 0.7 else 5.0 + x + float(rng.random()))
    best = made.recommend()
    assert best.value == 0.0
    assert best.interval[0] == 0.0


@pytest.mark.parametrize(
    ("width", "open_", "expected"), [(1.0, True, 1.0), (20.0, False, 20.0), (20.0, True, 9.75)]
)
def test_ends_shrink_towards_an_impossible_zero(width: float, open_: bool, expected: float) -> None:
    possible = Possible(0.0, math.inf, 1.0 if open_ else None)
    low, high = possible.range(10.0, 10.0 - width, 12.0)
    assert low == pytest.approx(max(10.0 - expected, 0.0), abs=0.01)
    assert high == 12.0


def test_suggestions_do_not_depend_on_the_question() -> None:
    plain = told("lognormal", n=20)
    asked = told("lognormal", n=20, target="mean", bounds=(0.0, None))
    assert asked.ask() == plain.ask()


@pytest.mark.parametrize("bounds", [(1, 0), (1, 1), 5, "ab", (0,), (math.nan, 1), (0, 1, 2)])
def test_bounds_that_are_none_are_refused(bounds: object) -> None:
    with pytest.raises(InvalidInput, match="expected bounds"):
        Aim.of("minimize", bounds=bounds)
    with pytest.raises(InvalidInput, match="target"):
        Aim.of("minimize", "mode")


def test_a_study_keeps_its_question_and_answers_others(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    rng = np.random.default_rng(0)
    with stoic.Study(
        store, space=SQUARE, direction="minimize", target="mean", bounds=(0, None)
    ) as s:
        for _ in range(12):
            trial = s.ask()
            s.tell(trial, 20.0 + float(rng.lognormal(0.0, 1.2)))
    with stoic.Study(store, target="median") as s:
        assert (s.target, s.bounds) == ("median", (0.0, None))
        assert s.recommend().target == "median"
    with stoic.Study(store) as s:
        assert (s.target, s.recommend().target) == ("mean", "mean")
        assert json.loads(json.dumps(s.result().to_dict()))["best"]["target"] == "mean"


def test_the_question_can_be_asked_of_maximize() -> None:
    result = stoic.maximize(
        lambda x: 1.0 - (x - 0.3) ** 2, {"x": (0.0, 1.0)}, 10, target="mean", bounds=(None, 1.0)
    )
    assert result.best is not None
    assert result.best.target == "mean"
    assert result.best.interval[1] <= 1.0


def test_a_value_outside_the_bounds_is_a_suspect() -> None:
    optimizer = stoic.Optimizer({"x": (0.0, 1.0)}, direction="maximize", bounds=(0.0, 1.0))
    for k in range(10):
        optimizer.tell({"x": k / 10}, 1.0 - abs(k / 10 - 0.4))
    optimizer.tell({"x": 0.41}, 1.05)
    suspect = optimizer.suspects()[-1]
    assert suspect.trial == 10
    assert "outside of the bounds 0 to 1" in suspect.reason


def test_bounds_that_hold_for_no_value_leave_nothing_out() -> None:
    optimizer = stoic.Optimizer({"x": (0.0, 1.0)}, direction="maximize", bounds=(5.0, 6.0))
    for k in range(10):
        optimizer.tell({"x": k / 10}, 1.0 - abs(k / 10 - 0.4))
    assert optimizer.suspects() == ()
    assert 5.0 <= optimizer.recommend().value <= 6.0


def test_a_third_of_outliers_are_suspects() -> None:
    """More than a quarter: the upper quartile of the errors is that of an outlier."""
    made = Optimizer({"x": (0.0, 1.0)}, direction="maximize")
    rng = np.random.default_rng(0)
    for i in range(60):
        x = float(rng.random())
        wrong = rng.choice([-1.0, 1.0]) * rng.uniform(10.0, 100.0) if i % 3 == 2 else 0.0
        made.tell({"x": x}, float(np.sin(5.0 * x) + 0.1 * rng.standard_normal() + wrong))
    assert {suspect.trial for suspect in made.suspects()} == set(range(2, 60, 3))


def test_frequent_delays_are_no_suspects() -> None:
    held = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        made = Optimizer({"x": (0.0, 1.0)}, direction="minimize", target="mean")
        for _ in range(50):
            x = float(rng.random())
            delay = rng.exponential(2.0) if rng.random() < 0.4 else 0.0
            made.tell({"x": x}, 20.0 + 5.0 * (x - 0.4) ** 2 + 0.02 * rng.normal() + delay)
        assert len(made.suspects()) <= 1
        low, high = made.estimate({"x": 0.4}).interval
        held += low <= 20.8 <= high
    assert held >= 5


# -- verdicts -------------------------------------------------------------------------------------

OLD, NEW = {"x": 0.9}, {"x": 0.2}


def after_finals(target: str, values: Callable[[int], float]) -> Verdict:
    """The verdict where the baseline shows about 20, and the other ``values(block)``."""
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="minimize", target=target, baseline=OLD)
    rng = np.random.default_rng(0)
    for i in range(12):
        x = (i + 0.5) / 12.0
        optimizer.tell({"x": x}, 10.0 + 12.0 * x + 0.3 * rng.standard_normal())
    optimizer.start_finals(20, [NEW])
    for i in range(20):
        params = optimizer.ask()
        noise = 0.3 * rng.standard_normal()
        optimizer.tell(params, (20.0 if params == OLD else values(i // 2)) + noise)
    verdict = optimizer.verdict()
    assert verdict is not None
    return verdict


def test_a_verdict_compares_what_the_target_asks_for() -> None:
    new = [15.1, 15.3, 40.0, 14.9, 15.2, 15.0, 38.0, 15.1, 15.4, 14.8]
    pairs = [(20.0 + 0.1 * (i % 3), y) for i, y in enumerate(new)]
    typical, average = (compared(pairs, "minimize", target=t) for t in ("median", "mean"))
    assert (typical.word, average.word) == ("better", "not shown to be better")
    assert typical.difference == pytest.approx(-5.0, abs=0.3)
    assert average.difference == pytest.approx(np.mean(new) - 20.09, abs=1e-6)
    assert average.ratio == pytest.approx(np.mean(new) / 20.09)
    assert " on average (90% interval" in str(average)
    assert "on average" not in str(typical)
    assert average.to_dict()["target"] == "mean"


def test_suspects_are_no_part_of_an_average() -> None:
    average = after_finals("mean", lambda block: 9e4 if block == 6 else 12.4)
    assert average.word == "better"
    assert average.left_out == 1
    assert average.measurements == 9
    assert "9 measurements of each (1 left out)" in str(average)
