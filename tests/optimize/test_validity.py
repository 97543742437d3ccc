"""Under constraints, nothing invalid is suggested, answered or taken in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stoic
from helpers.soak import sized
from stoic.errors import InvalidInput, InvalidParams
from stoic.optimize.search import Search
from stoic.spaces import Float, Grid, Int, Space

FINITE: dict[str, Any] = {
    "a": Grid([1, 2, 4, 8, 16, 32]),
    "b": (1, 32),
    "c": ["u", "v", "w"],
    "d": [True, False],
}
MIXED: dict[str, Any] = {"x": (0.0, 3.0), "y": (1e-3, 1.0, "log"), "k": (1, 8)}
CONDITIONAL: dict[str, Any] = {
    "o": ["p", "q", "r"],
    "m": Float(0.0, 1.0, when={"o": ["q", "r"]}),
    "n": Int(1, 64, "log", when={"o": "p"}),
    "z": (0.0, 1.0),
}
CASES: list[tuple[dict[str, Any], Any]] = [
    (FINITE, "a * b <= 64"),
    (FINITE, ["a * b == 32", "c != 'u' or d"]),
    (FINITE, lambda p: p["a"] % 3 != p["b"] % 3 and not (p["c"] == "v" and p["d"])),
    (MIXED, "x + y * k <= 1"),
    (MIXED, ["x ** 2 + y ** 2 >= 0.5", "0.5 <= x / k < 0.6"]),
    (MIXED, lambda p: math.hypot(p["x"] - 1.0, p["y"] - 0.5) < 0.4),
    (CONDITIONAL, "m + z <= 0.3 and n * z >= 4"),
    (CONDITIONAL, lambda p: p.get("m", 0.0) < p["z"] < 1.0 / p.get("n", 1)),
]


def loss(params: dict[str, Any]) -> float:
    """Lower the larger the parameters are: the optimum is on the boundary of the constraints."""
    numbers = [float(v) for v in params.values() if isinstance(v, int | float)]
    return -sum(math.log1p(v) for v in numbers) + 0.3 * (params.get("c") == "v")


@settings(max_examples=sized(10, 60), deadline=None)
@given(case=st.sampled_from(CASES), seed=st.integers(0, 2**32), data=st.data())
def test_no_suggestion_is_invalid(
    case: tuple[dict[str, Any], Any], seed: int, data: st.DataObject
) -> None:
    parameters, valid = case
    space = Space(parameters, valid=valid)
    optimizer = stoic.Optimizer(space, direction="minimize", seed=seed)
    outcome = st.sampled_from(["value", "value", "value", "outlier", "failure"])
    for _ in range(optimizer.history.design_size + 4):
        for params in optimizer.ask(2):
            space.encode(params)  # refuses what is invalid
            drawn = data.draw(outcome)
            if drawn == "failure":
                optimizer.fail(params, "by chance")
            else:
                optimizer.tell(params, loss(params) + 1e9 * (drawn == "outlier"))
    if optimizer.history.successes:
        space.encode(optimizer.recommend().params)


@pytest.mark.parametrize(("parameters", "valid"), CASES)
def test_every_candidate_is_valid(parameters: dict[str, Any], valid: Any) -> None:
    space = Space(parameters, valid=valid)
    search, lengthscales = Search(space, 5), np.full(space.dimension, 0.5)
    top = space.sample(4, 1)
    for round_ in (8, 9, 20):
        spread = search.spread(300, round_)
        assert len(spread) == min(300, space.cardinality or 300)
        near = search.around(top, lengthscales, 25, round_)
        steps = search.neighbours(top, round_)
        ends = search.climb(lambda U: (U.sum(1), np.ones(U.shape)), top)
        mixed = search.crossed(top, spread, round_)
        for points in (spread, near, steps, mixed, ends):
            assert space.allows(points).all()
        assert len(ends) == len(top)


def test_a_climb_ends_near_the_boundary() -> None:
    space = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}, valid="x + y <= 1")
    ends = Search(space, 0).climb(
        lambda U: (U.sum(1), np.ones(U.shape)), np.array([[0.2, 0.1], [0.5, 0.3]]), steps=30
    )
    assert ((ends.sum(1) > 0.95) & (ends.sum(1) <= 1.0)).all()


def test_the_optimum_on_the_boundary_is_found() -> None:
    space = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}, valid="x + 2 * y <= 1")
    result = stoic.maximize(lambda x, y: x + y - (x - 0.6) ** 2, space, budget=30)
    assert result.best is not None
    x, y = result.best.params["x"], result.best.params["y"]
    assert x + 2 * y <= 1
    assert x + y - (x - 0.6) ** 2 > 0.84  # 0.8625 at x = 0.85
    assert all(t.params["x"] + 2 * t.params["y"] <= 1 for t in result.trials)
    assert result.to_dict()["space"]["valid"] == ["x + 2 * y <= 1"]


@pytest.mark.parametrize(("parameters", "valid"), [CASES[0], CASES[2], CASES[3], CASES[5]])
def test_what_is_invalid_is_refused(parameters: dict[str, Any], valid: Any) -> None:
    space = Space(parameters, valid=valid)
    points = Space(parameters).sample(50, 0)
    bad = Space(parameters).decode(points[~space.allows(points)][0])
    optimizer = stoic.Optimizer(space, direction="minimize")
    good = optimizer.ask()
    for attempt in (
        lambda: optimizer.tell(bad, 1.0),
        lambda: optimizer.fail(bad, "it crashed"),
        lambda: optimizer.tell_all([(good, 1.0, None), (bad, 1.0, None)]),
        lambda: optimizer.ask(pending=[bad]),
    ):
        with pytest.raises(InvalidParams, match="expected a valid configuration"):
            attempt()
    assert optimizer.trials == ()
    assert optimizer.ask() == good


def test_an_impossible_space_is_refused_when_asked() -> None:
    optimizer = stoic.Optimizer(Space({"x": (0.0, 1.0)}, valid="x > 2"), direction="minimize")
    with pytest.raises(InvalidInput, match=r"got 0 of \d+ tried"):
        optimizer.ask()


def test_a_reported_configuration_at_the_boundary_is_answered_as_reported() -> None:
    """Floats are rounded when they become a point and when they come back."""
    ranges: dict[str, Any] = {"x": (0.1, 0.7, "log")}
    free = Space(ranges)
    moved = next(
        (v, back)
        for v in np.linspace(0.2, 0.6, 2000).tolist()
        if (back := free.decode(free.encode({"x": v}))["x"]) != v
    )
    value = moved[0]
    optimizer = stoic.Optimizer(
        Space(ranges, valid=f"x == {value!r} or x < 0.19"), direction="minimize"
    )
    for _ in range(3):
        optimizer.tell({"x": value}, -1.0)
    for i, u in enumerate(optimizer.space.sample(8, 0)):
        optimizer.tell(optimizer.space.decode(u), 1.0 + 0.1 * i)
    assert optimizer.recommend().params == {"x": value}
    for params in optimizer.ask(4, pending=[{"x": value}]):
        optimizer.space.encode(params)


def test_a_long_run_plays_valid_arms_alone() -> None:
    space = Space({"a": (1, 12), "b": (1, 12)}, valid="a * b <= 30")
    optimizer = stoic.Optimizer(space, direction="maximize", seed=1)
    rng = np.random.default_rng(0)
    arms = [space.decode(u) for u in space.enumerate(512)]
    told = [arms[i] for i in rng.integers(len(arms), size=310)]
    values = [p["a"] + p["b"] + rng.normal() for p in told]
    optimizer.tell_all([(p, v, None) for p, v in zip(told, values, strict=True)])
    for _ in range(5):
        params = optimizer.ask()
        assert params["a"] * params["b"] <= 30
        optimizer.tell(params, params["a"] + params["b"] + rng.normal())


def test_slices_show_valid_configurations_alone() -> None:
    from stoic.report.views import slice_through

    space = Space({"a": (1, 16), "b": (1, 16)}, valid="a * b <= 16")
    optimizer = stoic.Optimizer(space, direction="minimize")
    for u in space.sample(12, 0):
        params: dict[str, Any] = space.decode(u)
        optimizer.tell(params, float(params["a"] - params["b"]))
    through = slice_through(optimizer, space.encode({"a": 4, "b": 4}), "a")
    assert through.values == [1, 2, 3, 4]
    assert len(through.mean) == len(through.x) == 4
