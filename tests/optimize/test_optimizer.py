"""Ask and tell: what an optimiser promises, whatever is reported to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from stoic.errors import InvalidInput, InvalidParams, InvalidPayoff
from stoic.optimize import Optimizer
from stoic.optimize.long_run import AFTER
from stoic.spaces import Float, Grid, Int, Space

Params = dict[str, Any]

SQUARE: dict[str, Any] = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
MIXED: dict[str, Any] = {
    "lr": (1e-5, 1e-1, "log"),
    "n": (1, 9),
    "opt": ["adam", "sgd", "lion"],
    "momentum": Float(0.0, 0.99, when={"opt": ["sgd", "lion"]}),
}


def bowl(p: Params) -> float:
    """Best, and zero, at (0.3, 0.6)."""
    return float(-((p["x"] - 0.3) ** 2) - 2.0 * (p["y"] - 0.6) ** 2)


def tuned(p: Params) -> float:
    """Best, and one, with sgd, 6, 1e-3 and a momentum of 0.7."""
    value = -((math.log10(p["lr"]) + 3.0) ** 2) - 0.1 * (p["n"] - 6) ** 2
    return float(value + (p["opt"] == "sgd") - (p.get("momentum", 0.5) - 0.7) ** 2)


def run(optimizer: Optimizer, fn: Callable[[Params], float | None], n: int) -> list[Params]:
    """``n`` rounds; None is a failure."""
    asked = []
    for _ in range(n):
        params = optimizer.ask()
        asked.append(dict(params))
        value = fn(params)
        if value is None:
            optimizer.fail(params, "crashed")
        else:
            optimizer.tell(params, value)
    return asked


def replayed(optimizer: Optimizer, told: Sequence[Mapping[str, Any]] | None = None) -> Optimizer:
    """A new optimiser, told the same: all trials, or those of the configurations ``told``."""
    again = Optimizer(optimizer.space, direction=optimizer.direction, seed=optimizer.seed)
    if told is None:
        told = [trial.params for trial in optimizer.trials]
    for params, trial in zip(told, optimizer.trials, strict=False):
        if trial.value is None:
            again.fail(params, trial.reason or "")
        else:
            again.tell(params, trial.value)
    return again


def coordinates(space: Space, asked: Iterable[Params]) -> np.ndarray[Any, Any]:
    return np.array([space.encode(params) for params in asked])


def told_bowl(n: int = 14, seed: int = 0) -> Optimizer:
    optimizer = Optimizer(SQUARE, direction="maximize", seed=seed)
    run(optimizer, bowl, n)
    return optimizer


# -- ask ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 3, 8, 9, 14])
def test_asking_changes_nothing(n: int) -> None:
    optimizer = told_bowl(n)
    first = optimizer.ask()
    optimizer.ask(3)
    optimizer.ask(pending=[first])
    if n:
        optimizer.recommend()
        _ = optimizer.luckiest, optimizer.suspects()
    assert optimizer.ask() == first
    first["x"] = -1.0  # nor does it hand out what it needs itself
    assert optimizer.ask()["x"] != -1.0
    assert len(optimizer.trials) == n


@pytest.mark.parametrize("n", [0, 5, 7, 12])
def test_a_batch_is_asks_with_what_is_pending(n: int) -> None:
    optimizer = told_bowl(n)
    batch = optimizer.ask(4)
    assert batch[0] == optimizer.ask()
    for k in range(1, 4):
        assert optimizer.ask(pending=batch[:k]) == batch[k]
    values = coordinates(optimizer.space, batch)
    assert len(np.unique(values, axis=0)) == 4  # a continuum has room enough
    assert optimizer.ask(1) == batch[:1]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_pending_is_not_simply_asked_again(seed: int) -> None:
    optimizer = told_bowl(12, seed)
    first = optimizer.ask()
    second = optimizer.ask(pending=[first])
    gap = coordinates(optimizer.space, [first])[0] - coordinates(optimizer.space, [second])[0]
    assert np.abs(gap).max() > 1e-3


def test_the_design_skips_what_is_pending() -> None:
    optimizer = Optimizer(SQUARE, direction="maximize")
    _, second = optimizer.ask(2)
    assert optimizer.ask(pending=[second]) != second
    optimizer.tell(second, 0.0)  # the second came in before the first
    assert optimizer.ask() != second


def test_batches_on_few_configurations_take_different_ones_first() -> None:
    optimizer = Optimizer({"a": [1, 2, 3], "b": (0, 2)}, direction="maximize")
    assert len({tuple(p.values()) for p in optimizer.ask(8)}) >= 6


@pytest.mark.parametrize("n", [0, -1, 1.0, True, "2", np.zeros(2)])
def test_bad_numbers_of_asks(n: Any) -> None:
    with pytest.raises(InvalidInput, match="expected n "):
        told_bowl(2).ask(n)


@pytest.mark.parametrize("params", [{"x": 0.5}, {"x": 0.5, "y": 2.0}, None, 3])
def test_bad_pending(params: Any) -> None:
    with pytest.raises(InvalidParams, match="expected"):
        told_bowl(2).ask(pending=[params])


@pytest.mark.parametrize(
    "options",
    [{"direction": "up"}, {"direction": None}, {"seed": -1}, {"seed": 0.5}, {"seed": 2**63}],
)
def test_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="expected"):
        Optimizer(SQUARE, **{"direction": "maximize", **options})


def test_what_good_means_is_never_guessed() -> None:
    for kind in (InvalidInput, TypeError, ValueError):
        with pytest.raises(kind, match='direction="maximize" or direction="minimize"'):
            Optimizer(SQUARE)


# -- tell -----------------------------------------------------------------------------------------

GOOD: Params = {"lr": 1e-3, "n": 4, "opt": "sgd", "momentum": 0.5}
BAD_VALUES: list[Any] = [
    math.nan,
    math.inf,
    -math.inf,
    None,
    "1.0",
    b"1.0",
    True,
    np.bool_(False),
    10**400,
    1j,
    [1.0],
    np.array([1.0]),
    np.float64("nan"),
    np.float32("inf"),
]
BAD_PARAMS: list[Any] = [
    None,
    3,
    [1, 2],
    {},
    {**GOOD, "more": 1},
    {k: v for k, v in GOOD.items() if k != "n"},
    {**GOOD, "lr": 1.0},
    {**GOOD, "lr": math.nan},
    {**GOOD, "lr": "0.001"},
    {**GOOD, "n": 10},
    {**GOOD, "n": 4.0},
    {**GOOD, "opt": "SGD"},
    {**GOOD, "opt": "adam"},  # which has no momentum
    {k: v for k, v in GOOD.items() if k != "momentum"},
]


@pytest.fixture(scope="module")
def settled() -> tuple[Optimizer, Params]:
    optimizer = Optimizer(MIXED, direction="maximize")
    run(optimizer, tuned, 9)
    return optimizer, optimizer.ask()


@pytest.mark.parametrize("value", BAD_VALUES, ids=lambda v: repr(v)[:12])
def test_bad_values_change_nothing(settled: tuple[Optimizer, Params], value: Any) -> None:
    optimizer, coming = settled
    before = optimizer.trials
    with pytest.raises(InvalidPayoff, match="expected value to be"):
        optimizer.tell(GOOD, value)
    assert optimizer.trials == before
    assert optimizer.ask() == coming


@pytest.mark.parametrize("params", BAD_PARAMS, ids=range(len(BAD_PARAMS)))
def test_bad_params_change_nothing(settled: tuple[Optimizer, Params], params: Any) -> None:
    optimizer, coming = settled
    before = optimizer.trials
    with pytest.raises(InvalidParams, match="expected"):
        optimizer.tell(params, 1.0)
    with pytest.raises(InvalidParams, match="expected"):
        optimizer.fail(params)
    assert optimizer.trials == before
    assert optimizer.ask() == coming


@pytest.mark.parametrize("reason", [None, 3, b"crash", ValueError("crash")])
def test_bad_reasons_change_nothing(settled: tuple[Optimizer, Params], reason: Any) -> None:
    optimizer, coming = settled
    before = optimizer.trials
    with pytest.raises(InvalidInput, match="expected reason as text"):
        optimizer.fail(GOOD, reason)
    assert optimizer.trials == before
    assert optimizer.ask() == coming


def test_trials_are_what_was_told() -> None:
    optimizer = Optimizer(MIXED, direction="maximize")
    params = dict(GOOD)
    optimizer.tell(params, np.float32(0.5))  # type: ignore[arg-type]
    params["n"] = 9  # what the caller does with his own mapping is his affair
    optimizer.tell(GOOD, Fraction(1, 4))  # type: ignore[arg-type]
    optimizer.fail(GOOD, "out of memory")
    optimizer.fail({**GOOD, "opt": "adam", "momentum": None})
    first, second, third, fourth = optimizer.trials
    assert [t.number for t in optimizer.trials] == [0, 1, 2, 3]
    assert (dict(first.params), first.value, first.failed) == (GOOD, 0.5, False)
    assert second.value == 0.25
    assert (third.value, third.reason, third.failed) == (None, "out of memory", True)
    assert (fourth.reason, "momentum" in fourth.params) == ("", False)


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
    """Where the model is anchored ever more rarely; told without asking, and with."""
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


# -- outliers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["maximize", "minimize"])
def test_the_answer_is_never_the_luckiest_lie(sign: float, seed: int) -> None:
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
    while values < AFTER:
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
