"""What suggestions depend on, and long runs that a policy continues."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.runs import (
    MIXED,
    SQUARE,
    Params,
    bowl,
    coordinates,
    replayed,
    run,
    tuned,
)
from stoic.optimize import Optimizer
from stoic.optimize.failing.failures import Failures
from stoic.optimize.improvement import Belief
from stoic.optimize.long_run import MIN_MEASUREMENTS, LongRun
from stoic.optimize.modeller import Modeller

# -- what the suggestions depend on ---------------------------------------------------------------


def flaky(p: Params) -> float | None:
    """With failures, and an outlier or two."""
    hashed = math.sin(1e3 * math.log(p["lr"]))
    if hashed > 0.8:
        return None
    return 1e6 if hashed < -0.9 else tuned(p) + 0.1 * hashed


@pytest.mark.parametrize(
    ("space", "fn", "direction"),
    [(SQUARE, bowl, "maximize"), (MIXED, flaky, "minimize")],
    ids=["square", "mixed"],
)
def test_suggestions_depend_on_the_history_alone(
    space: Any, fn: Callable[[Params], float | None], direction: str
) -> None:
    whole = Optimizer(space, direction=direction, seed=3)
    asked = run(whole, fn, 34)  # past several anchors of the model
    for n in range(34):
        assert replayed(whole, asked[:n]).ask() == asked[n]
    again = replayed(whole, asked)
    assert again.recommend() == whole.recommend()
    assert again.suspects() == whole.suspects()
    assert again.luckiest == whole.luckiest


def test_trials_told_again_make_the_same_optimiser() -> None:
    optimizer = Optimizer({"x": (0.1, 0.7), "lr": (1e-6, 1e3, "log")}, direction="maximize")
    asked = run(optimizer, lambda p: -((p["x"] - 0.3) ** 2) - math.log10(p["lr"]) ** 2, 20)
    assert [trial.params for trial in optimizer.trials] == asked
    assert replayed(optimizer).ask() == optimizer.ask()


def test_later_the_history_is_still_all_that_counts() -> None:
    """Where the model is anchored less and less often; with and without asking."""
    rng = np.random.default_rng(0)
    busy, idle = Optimizer(SQUARE, direction="maximize"), Optimizer(SQUARE, direction="maximize")
    for i in range(110):
        params = {"x": rng.random(), "y": rng.random()}
        value = bowl(params) + 0.1 * rng.standard_normal()
        busy.tell(params, value)
        idle.tell(params, value)
        if i in (58, 63, 97, 98, 102, 105, 107):
            busy.ask()
        if i in (59, 100, 108):
            assert busy.recommend() == replayed(idle).recommend()
    assert busy.ask() == idle.ask()


def test_seeds_differ() -> None:
    first = [Optimizer(SQUARE, direction="maximize", seed=seed).ask()["x"] for seed in range(5)]
    assert len(set(first)) == 5


def test_minimising_is_maximising_the_negative() -> None:
    up, down = Optimizer(SQUARE, direction="maximize"), Optimizer(SQUARE, direction="minimize")
    assert run(up, bowl, 25) == run(down, lambda p: -bowl(p), 25)
    best, least = up.recommend(), down.recommend()
    assert best.params == least.params
    assert best.value == -least.value
    assert best.interval == (-least.interval[1], -least.interval[0])


@pytest.fixture(scope="module")
def plain_run() -> tuple[list[Params], Optimizer]:
    optimizer = Optimizer(SQUARE, direction="maximize", seed=1)
    return run(optimizer, wavy, 25), optimizer


def wavy(p: Params) -> float:
    """A bowl under what looks like noise."""
    return bowl(p) + 0.05 * math.sin(1e4 * p["x"]) * math.cos(7e3 * p["y"])


@pytest.mark.parametrize("offset", [0.0, 1000.0])
@pytest.mark.parametrize("a", [1e-12, 1e-3, 1.0, 1e5, 1e12])
def test_scale_and_offset_do_not_matter(
    plain_run: tuple[list[Params], Optimizer], a: float, offset: float
) -> None:
    asked, plain = plain_run
    optimizer = Optimizer(SQUARE, direction="maximize", seed=1)
    moved = run(optimizer, lambda p: a * wavy(p) + offset * a, 25)
    space = optimizer.space
    np.testing.assert_allclose(coordinates(space, moved), coordinates(space, asked), atol=1e-6)
    expected, answer = plain.recommend(), optimizer.recommend()
    assert answer.value / a == pytest.approx(expected.value + offset, abs=1e-6)
    assert [s.trial for s in optimizer.suspects()] == [s.trial for s in plain.suspects()]


# -- long runs ------------------------------------------------------------------------------------

THIRTY: dict[str, Any] = {"n": (0, 4), "c": list("abcdef")}


def best_of_thirty(p: Params) -> float:
    """Best, and one, at 3 and d."""
    return float((p["c"] == "d") - 0.2 * (p["n"] - 3) ** 2)


def long_history(scale: float = 1.0, fails: float = 0.0) -> Optimizer:
    """Random plays of all thirty, up to the handing over."""
    rng = np.random.default_rng(1)
    optimizer = Optimizer(THIRTY, direction="maximize")
    points = optimizer.space.enumerate(30)
    values = 0
    while values < MIN_MEASUREMENTS:
        params = optimizer.space.decode(points[rng.integers(30)])
        if rng.random() < fails:
            optimizer.fail(params)
            continue
        value = best_of_thirty(params) + 0.3 * rng.standard_normal()
        optimizer.tell(params, scale * (1e9 if values == 120 else value))
        values += 1
    return optimizer


def test_long_runs_go_on_with_a_policy() -> None:
    optimizer = long_history()
    asked = []
    for i in range(16):
        params = optimizer.ask()
        if i in (0, 7, 15):  # at any time: from the history alone
            assert replayed(optimizer).ask() == params
        asked.append(params)
        if i == 3:
            optimizer.fail(params, "crashed")
        else:
            optimizer.tell(params, best_of_thirty(params) + 0.3 * math.sin(9.0 * i))
    assert np.mean([best_of_thirty(p) for p in asked]) > 0.6
    assert optimizer.recommend().params == {"n": 3, "c": "d"}
    assert 120 in [s.trial for s in optimizer.suspects()]
    batch = optimizer.ask(6)
    assert len({tuple(p.values()) for p in batch}) == 6
    moved = long_history(1e12)
    assert moved.ask() == asked[0]


def test_long_runs_with_many_failures_go_on_learning() -> None:
    optimizer = long_history(fails=0.6)
    assert best_of_thirty(optimizer.ask()) > 0.0


@pytest.mark.parametrize("fails", [0.0, 0.6])
def test_long_runs_take_the_highest_bound_of_what_is_allowed(fails: float) -> None:
    """The arm that the policy asks for, or the next where that one is pending or fails."""
    history = long_history(fails=fails).history
    run_, failures = LongRun(history, Modeller(history), 0), Failures.of(history)
    points = history.space.enumerate(30)
    rng, first = np.random.default_rng(0), set()
    pending: list[np.ndarray[Any, Any]] = []
    for _ in range(25):
        policy = run_.policy()
        bounds = policy.mean + policy.width * policy.std
        chance = failures.chance_of_success(points)
        bounds[chance < min(0.5, 0.75 * float(np.median(chance)))] = -np.inf
        bounds[[np.flatnonzero((points == point).all(1))[0] for point in pending]] = -np.inf
        chosen = run_.choose(pending, failures)
        np.testing.assert_array_equal(chosen, points[int(np.argmax(bounds))])
        first.add(policy.ask() == int(np.argmax(bounds)))
        pending = [*pending, chosen] if rng.random() < 0.7 else pending[1:]
        params = history.space.decode(chosen)
        value = best_of_thirty(params) + 0.3 * rng.standard_normal()
        history.extend(chosen[None], [(params, value, None)])
    assert first == {False, True}


# -- many at once ---------------------------------------------------------------------------------


def noisy(p: Params) -> float:
    """With noise that depends on the place."""
    return -bowl(p) + 0.02 * math.sin(1e4 * p["x"]) + 0.02 * math.sin(1e4 * p["y"])


def measured(n: int, space: Any = MIXED, fn: Callable[[Params], float | None] = flaky) -> Optimizer:
    """An optimiser with ``n`` outcomes of random configurations."""
    optimizer, rng = Optimizer(space, direction="minimize", seed=7), np.random.default_rng(n)
    drawn = [optimizer.space.decode(optimizer.space.draw(rng)) for _ in range(n)]
    told = [(params, fn(params)) for params in drawn]
    optimizer.tell_all([(each, y, None if y is not None else "crashed") for each, y in told])
    return optimizer


def test_a_quick_suggestion_is_the_model_s_where_its_model_is_at_hand() -> None:
    optimizer = measured(40, SQUARE, noisy)
    pending = [{"x": 0.9, "y": 0.9}]  # while something is pending, nothing is repeated for a check
    exact = optimizer.ask(pending=pending)
    assert optimizer.ask_quickly(1, pending=pending) == [exact]


def test_quick_suggestions_account_for_each_other_and_for_what_is_pending() -> None:
    optimizer = measured(60, SQUARE, noisy)
    batch = optimizer.ask_quickly(16)
    assert len({tuple(params.items()) for params in batch}) == 16
    rest = optimizer.ask_quickly(16, pending=batch)
    assert rest != batch
    assert optimizer.ask_quickly(32) == [*batch, *rest]
    optimizer.space.read([*batch, *rest])  # all are configurations of the space


def test_quick_suggestions_leave_others_as_they_are() -> None:
    busy, idle = measured(45), measured(45)
    for n in range(6):
        busy.ask_quickly(3)
        params = {"lr": 10.0 ** -(1 + n / 3), "n": 3, "opt": "adam"}
        for optimizer in (busy, idle):
            optimizer.tell(params, 1.0 + n)
    assert busy.ask() == idle.ask()
    assert busy.recommend() == idle.recommend()


def test_quick_suggestions_of_a_long_run_use_a_part_of_its_measurements() -> None:
    optimizer = measured(700)
    optimizer.ask()  # fits all of them
    optimizer.tell({"lr": 0.01, "n": 3, "opt": "adam"}, 1.0)
    rows = optimizer._modeller.hasty().rows
    assert len(set(rows)) == len(rows) == 500
    assert rows.max() < optimizer.history.successes
    assert len(optimizer.ask_quickly(20)) == 20


def test_a_batch_expects_what_pending_measurements_would_give() -> None:
    """The rank-one change of a belief, against a surrogate that is made anew."""
    optimizer = measured(30, SQUARE, bowl)
    gp = optimizer._modeller.model().gp
    points = np.random.default_rng(0).random((12, 2))
    belief = Belief.of(gp, points, gp.X)
    belief.expect(3)
    belief.expect(8)
    mean, covariance = gp.with_pending(points[[3, 8]]).joint(points)
    np.testing.assert_allclose(belief.mean, mean, atol=1e-6)
    np.testing.assert_allclose(belief.covariance, covariance, atol=1e-6)
