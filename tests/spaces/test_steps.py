"""Ranges with a step: exact values, exact conversions, and errors that name the nearest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stoic
from stoic.errors import InvalidInput, InvalidParams
from stoic.spaces import Float, Int, Space
from stoic.tune.parameters import of_flag, of_table


@given(
    low=st.integers(-(10**6), 10**6),
    step=st.integers(1, 10**6),
    count=st.integers(1, 5000),
    places=st.integers(0, 6),
)
@settings(max_examples=150, deadline=None)
def test_values_are_the_nearest_floats_of_the_decimals(
    low: int, step: int, count: int, places: int
) -> None:
    def decimal(n: int) -> float:
        return float(Fraction(n, 10**places))

    parameter = Float(decimal(low), decimal(low + count * step), step=decimal(step))
    assert parameter.size == count + 1
    for level in {0, 1, count // 3, count - 1, count}:
        value = parameter.value(level)
        assert value == decimal(low + level * step)
        assert parameter.coordinate(value, "x") == level
        running = parameter.low + level * decimal(step)  # as a loop of the user would have it
        assert parameter.coordinate(running, "x") == level


@pytest.mark.parametrize(
    "parameter",
    [
        Float(0.0, 1.0, step=0.1),
        Float(-0.3, 0.3, step=0.05),
        Int(2, 64, step=2),
        Int(-7, 8, step=3),
        Int(1, 1025, "log", step=8),
        Int(4, 4096, "log", step=4),
    ],
    ids=repr,
)
def test_every_value_has_its_own_point_of_the_unit_cube(parameter: Float | Int) -> None:
    space = Space({"x": parameter})
    assert parameter.size is not None
    assert space.cardinality == parameter.size
    values = [parameter.value(level) for level in range(parameter.size)]
    points = space.encode({"x": values[0]}), space.encode({"x": values[-1]})
    assert [float(p[0]) for p in points] == [0.0, 1.0]
    U, read = space.read([{"x": value} for value in values])  # by column
    assert [row["x"] for row in read] == values
    assert len(np.unique(U)) == parameter.size
    assert [space.decode(u)["x"] for u in U] == values
    assert (space.snap(U) == U).all()
    drawn = {space.decode(u)["x"] for u in space.sample(4096, seed=0)}
    assert drawn <= set(values)
    assert len(drawn) > 0.4 * parameter.size
    near = space.neighbours(U[parameter.size // 2])
    assert {space.decode(u)["x"] for u in near} <= set(values)


def test_it_is_stored_and_compared_with_its_step() -> None:
    space = Space({"a": Int(2, 64, step=2), "b": Float(0.0, 1.0, step=0.25), "c": Int(1, 9)})
    again = Space.from_description(space.describe())
    assert again == space
    assert repr(again) == repr(space)
    assert "step=2" in repr(space)
    assert "step=0.25" in repr(space)
    assert Int(2, 64) != Int(2, 64, step=2)
    assert Int(2, 64, step=1) == Int(2, 64)
    assert "step" not in str(Int(2, 64).describe())  # stored spaces are as they were


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Float(0.0, 1.0, step=0.3), "nearest are 0.9 and 1.2"),
        (lambda: Float(0.0, 1.0, step=3.0), "nearest is 3.0"),
        (lambda: Float(1.0, 9.0, "log", step=1.0), "no step on a log scale"),
        (lambda: Float(0.0, 1e6, step=1e-12), "use a larger step"),
        (lambda: Float(-1.7e308, 1.7e308, step=1e308), "narrower range"),
        (lambda: Float(0.0, 1.0, step=0.0), "above 0"),
        (lambda: Float(0.0, 1.0, step=float("nan")), "finite"),
        (lambda: Int(1, 64, step=2), "nearest are 63 and 65"),
        (lambda: Int(1, 3, step=5), "nearest is 6"),
        (lambda: Int(1, 64, step=0), "at least 1"),
        (lambda: Int(1, 64, step=1.5), "integer"),  # type: ignore[arg-type]
    ],
)
def test_a_range_that_does_not_fit_its_step_is_refused(make: object, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("rows", [1, 20])  # read by row, and by column
def test_values_off_the_grid_are_refused(rows: int) -> None:
    space = Space({"a": Int(2, 64, step=2), "b": Float(0.0, 1.0, step=0.1)})
    good = [{"a": 4, "b": 0.1 * 3}] * rows
    assert space.read(good)[1] == [{"a": 4, "b": 0.3}] * rows
    for bad, words in (
        ({"a": 5, "b": 0.1}, "nearest are 4 and 6"),
        ({"a": 4, "b": 0.25}, "nearest are 0.2 and 0.3"),
        ({"a": 4, "b": 1.01}, "at most 1"),
        ({"a": 66, "b": 0.5}, "at most 64"),
    ):
        with pytest.raises(InvalidParams, match=words):
            space.read([*good[1:], bad])


def test_a_constraint_and_a_condition_see_the_values() -> None:
    space = Space(
        {
            "a": Int(2, 64, step=2),
            "b": Float(0.5, 4.0, step=0.5),
            "c": Int(1, 4, when={"b": [0.5, 1.5]}),
        },
        valid="a * b <= 8",
    )
    seen = [space.decode(u) for u in space.enumerate(1000)]
    assert all(p["a"] * p["b"] <= 8 for p in seen)  # type: ignore[operator]
    assert len(seen) == space.cardinality
    assert all(("c" in p) == (p["b"] in (0.5, 1.5)) for p in seen)


def test_the_optimiser_asks_on_the_grid_only() -> None:
    space = Space({"a": Int(8, 512, "log", step=8), "b": Float(-1.0, 1.0, step=0.1)})
    seen = []

    def fn(a: int, b: float) -> float:
        seen.append((a, b))
        return -float((np.log2(a) - 6) ** 2 + (b - 0.3) ** 2)

    result = stoic.maximize(fn, space, budget=25)
    assert all(a % 8 == 0 and b == round(b, 1) for a, b in seen)
    assert result.best is not None
    assert space.encode(result.best.params).shape == (2,)


def test_on_the_command_line_and_in_files() -> None:
    assert of_flag("threads=2:64:step=2").parameter == Int(2, 64, step=2)
    assert of_flag("n=8:64:log:step=8").parameter == Int(8, 64, "log", step=8)
    assert of_flag("x=0:1:step=0.1").parameter == Float(0.0, 1.0, step=0.1)
    assert of_flag("x = 0 : 1 : step=0.1").parameter == Float(0.0, 1.0, step=0.1)
    assert of_table("t", {"low": 2, "high": 64, "step": 2}).parameter == Int(2, 64, step=2)
    assert of_flag("x=0:1:step=0.1").text(0.3) == "0.3"
    for flag in ("n=1:64:2", "n=1:64:step=", "n=1:64:step=x", "n=1:64:step=2:log", "n=1:64:step=2"):
        with pytest.raises(InvalidInput):
            of_flag(flag)
