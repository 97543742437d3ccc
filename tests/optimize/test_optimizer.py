"""Ask and tell: what an optimiser promises, whatever is reported to it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from helpers.runs import (
    GOOD,
    MIXED,
    SQUARE,
    Params,
    coordinates,
    run,
    told_bowl,
    tuned,
)
from stoic.errors import InvalidInput, InvalidParams, InvalidPayoff
from stoic.optimize import Optimizer

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
