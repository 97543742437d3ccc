"""Outliers, spaces of all kinds, and failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.runs import (
    GOOD,
    MIXED,
    SQUARE,
    Params,
    bowl,
    coordinates,
    run,
    tuned,
)
from stoic.errors import InvalidInput
from stoic.optimize import Optimizer
from stoic.spaces import Float, Grid, Int

# -- outliers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["maximize", "minimize"])
def test_the_answer_is_never_the_luckiest_outlier(sign: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    optimizer = Optimizer(SQUARE, direction="maximize" if sign > 0 else "minimize", seed=seed)
    for i in range(30):
        params = optimizer.ask()
        value = bowl(params) + 0.01 * rng.standard_normal()
        optimizer.tell(params, sign * (1e9 if i == 12 else value))
    answer = optimizer.recommend()
    assert answer.params["x"] == pytest.approx(0.3, abs=0.15)
    assert answer.params["y"] == pytest.approx(0.6, abs=0.15)
    assert abs(answer.value) < 0.1
    assert max(map(abs, answer.interval)) < 0.5
    (suspect,) = optimizer.suspects()
    assert suspect.trial == 12
    assert suspect.params == optimizer.trials[12].params
    assert suspect.value == sign * 1e9
    assert abs(suspect.expected) < 2.0
    assert "measured" in suspect.reason
    assert "the other measurements predict" in suspect.reason
    assert ("above" if sign > 0 else "below") in suspect.reason
    luckiest = optimizer.luckiest
    assert luckiest.trial.number == 12
    assert luckiest.why == f"not the answer: {suspect.reason}"
    assert str(suspect).startswith("trial 12: measured")


def test_luck_is_explained_without_outliers() -> None:
    rng = np.random.default_rng(4)
    optimizer = Optimizer(SQUARE, direction="maximize", seed=4)
    run(optimizer, lambda p: bowl(p) + 0.1 * rng.standard_normal(), 25)
    luckiest = optimizer.luckiest
    assert luckiest.trial.value == max(t.value for t in optimizer.trials if t.value is not None)
    answer = optimizer.recommend()
    same = luckiest.trial.params == answer.params
    assert luckiest.why.startswith("the answer is" if same else "not the answer: ")


def test_the_answer_when_one_configuration_is_all() -> None:
    optimizer = Optimizer({"c": ["a", "b"]}, direction="maximize")
    for value in (1.0, 2.0, 3.0):
        optimizer.tell({"c": "a"}, value)
    answer = optimizer.recommend()
    assert answer.params == {"c": "a"}
    assert answer.measured == 3
    assert optimizer.luckiest.why.startswith("the answer is this configuration")
    assert str(answer).startswith("c=a: ")


@pytest.fixture(scope="module")
def without() -> tuple[float, float]:
    return regret(None)


def regret(outlier: float | None) -> tuple[float, float]:
    """Mean regrets, over seeds, of trials 20 to 29 and of the answer; ``outlier`` is trial 3."""
    late, last = [], []
    for seed in range(3):
        optimizer = Optimizer(SQUARE, direction="maximize", seed=seed)
        asked = run(optimizer, bowl, 3)
        params = optimizer.ask()
        optimizer.tell(params, bowl(params) if outlier is None else outlier)
        asked = run(optimizer, bowl, 26)
        late += [-bowl(p) for p in asked[16:]]
        last.append(-bowl(optimizer.recommend().params))
    return float(np.mean(late)), float(np.mean(last))


@pytest.mark.parametrize("outlier", [1e9, -1e9, 1e308])
def test_one_absurd_measurement_does_little_harm(
    without: tuple[float, float], outlier: float
) -> None:
    late, last = regret(outlier)
    assert late <= 3.0 * without[0] + 0.01
    assert last <= 3.0 * without[1] + 0.002  # a random answer's regret is 0.3
    assert without[1] < 0.005


# -- spaces ---------------------------------------------------------------------------------------


def branched(p: Params) -> float:
    """Best, and two, in branch b at depth 7."""
    if p["branch"] == "a":
        return float(1.0 - (p["width"] - 0.5) ** 2)
    return float(2.0 - 0.05 * (p["depth"] - 7) ** 2)


FOUND: list[tuple[str, Any, Callable[[Params], float], float]] = [
    ("mixed", MIXED, tuned, 0.8),
    (
        "conditional",
        {
            "branch": ["a", "b", "c"],
            "width": Float(0.0, 1.0, when={"branch": "a"}),
            "depth": Int(1, 12, when={"branch": ["b", "c"]}),
        },
        lambda p: branched(p) - (p["branch"] == "c"),
        1.8,
    ),
    ("integer", {"n": (0, 30), "m": (1, 4096, "log")}, lambda p: -abs(p["n"] - 21) / 30, -0.1),
    (
        "categorical",
        {"a": list("pqrs"), "b": list("uvwx")},
        lambda p: 2.0 * (p["a"] == "r") + (p["b"] == "v"),
        2.9,
    ),
    ("grid", {"g": Grid([8, 16, 32, 64]), "x": (0.0, 1.0)}, lambda p: p["x"] - (p["g"] != 32), 0.9),
]


@pytest.mark.parametrize(
    ("space", "fn", "enough"), [f[1:] for f in FOUND], ids=[f[0] for f in FOUND]
)
def test_a_clear_optimum_is_found(space: Any, fn: Callable[[Params], float], enough: float) -> None:
    optimizer = Optimizer(space, direction="maximize")
    run(optimizer, fn, 25)
    answer = optimizer.recommend()
    assert fn(answer.params) >= enough
    low, high = answer.interval
    assert low <= answer.value <= high


# -- failures -------------------------------------------------------------------------------------


def test_nothing_but_failures() -> None:
    optimizer = Optimizer(MIXED, direction="maximize")
    asked = run(optimizer, lambda _: None, 20)
    assert len(np.unique(coordinates(optimizer.space, asked), axis=0)) >= 15
    assert optimizer.suspects() == ()
    with pytest.raises(InvalidInput, match="at least one evaluation with a value"):
        optimizer.recommend()
    with pytest.raises(InvalidInput, match="at least one evaluation with a value"):
        _ = optimizer.luckiest
    optimizer.tell(GOOD, 2.0)
    assert optimizer.recommend().params == GOOD
    optimizer.space.encode(optimizer.ask())


def half(p: Params) -> float | None:
    """A bowl of which the side beyond x = 0.5 crashes."""
    return None if p["x"] > 0.5 else bowl(p)


def climbing(p: Params) -> float | None:
    """Better and better towards the side that crashes."""
    return None if p["x"] > 0.5 else float(p["x"] - (p["y"] - 0.4) ** 2)


@pytest.mark.parametrize("seed", range(2))
def test_the_answer_is_not_where_evaluations_fail(seed: int) -> None:
    optimizer = Optimizer(SQUARE, direction="maximize", seed=seed)
    run(optimizer, half, 30)
    answer = optimizer.recommend().params
    assert answer["x"] <= 0.5
    assert bowl(answer) > -0.05
    optimizer = Optimizer(SQUARE, direction="maximize", seed=seed)
    run(optimizer, climbing, 30)
    assert optimizer.recommend().params["x"] <= 0.5


@pytest.mark.parametrize("fn", [half, climbing])
def test_regions_that_fail_are_avoided(fn: Callable[[Params], float | None]) -> None:
    inside = []
    for seed in range(2):
        asked = run(Optimizer(SQUARE, direction="maximize", seed=seed), fn, 36)
        inside += [p["x"] > 0.6 for p in asked[20:]]  # the very border may be probed
    assert np.mean(inside) < 0.15  # half of the space fails


def test_failures_at_random_keep_nobody_away() -> None:
    rng = np.random.default_rng(2)
    optimizer = Optimizer(SQUARE, direction="maximize", seed=2)
    run(optimizer, lambda p: None if rng.random() < 0.3 else bowl(p), 32)
    assert bowl(optimizer.recommend().params) > -0.02
