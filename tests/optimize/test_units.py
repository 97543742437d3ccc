"""Answers have the unit of the values: none that comes from nothing, and any size of value."""

from __future__ import annotations

import json
import math
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import stoic
from stoic.cli.app import app
from stoic.optimize import Answer, Optimizer
from stoic.optimize.answers import Conclusion
from stoic.optimize.finals.verdict import compared
from stoic.report import Result, render
from stoic.report.views import view

SPACE = {"x": (0.0, 1.0), "k": ["a", "b"]}
UNKNOWN = "interval unknown: too few different values"


def told(values: list[float], direction: str = "maximize") -> Optimizer:
    optimizer = Optimizer(SPACE, direction=direction)
    for i, value in enumerate(values):
        optimizer.tell({"x": 0.37 * i % 1.0, "k": "ab"[i % 2]}, value)
    return optimizer


# -- while the spread is unknown ------------------------------------------------------------------


@pytest.mark.parametrize("value", [2e-4, 0.0, -3.0, 1e12, 1e-20])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_equal_values_tell_no_interval(value: float, count: int) -> None:
    best = told([value] * count).recommend()
    assert best.interval == (-math.inf, math.inf)
    assert best.value == value


def test_the_spread_is_known_from_three_values_that_are_not_all_equal() -> None:
    known = {(1.0,): False, (1.0, 2.0): False, (1.0, 1.0, 1.0): False, (1.0, 1.0, 2.0): True}
    for values, expected in known.items():
        assert told([*values]).recommend().bounded is expected


@settings(max_examples=30, deadline=None)
@given(
    y=st.lists(st.integers(-400, 400).map(lambda k: k / 8.0), max_size=10),
    a=st.floats(-12.0, 12.0).map(lambda e: 10.0**e),
    b=st.floats(-50.0, 50.0),
)
def test_answers_follow_scale_and_offset(y: list[float], a: float, b: float) -> None:
    y = [-60.0, *y, 60.0]  # values of one sign have zero as a limit
    plain = told(y).recommend()
    moved = told([a * (value + b) for value in y]).recommend()
    assert moved.bounded is plain.bounded
    size = max(map(abs, y)) + abs(b)
    for one, other in zip(
        (plain.value, *plain.interval), (moved.value, *moved.interval), strict=True
    ):
        if math.isfinite(one):
            assert other / a - b == pytest.approx(one, rel=1e-5, abs=1e-6 * size)
        else:
            assert other == one


def test_an_unknown_interval_is_said_in_words(tmp_path: Path) -> None:
    for values in ([2e-4], [3.0] * 12):
        result = Result.of(told(values))
        assert isinstance(result.best, Answer)
        shown = [str(result), str(result.best), result.best.shown(), render(result, title="t")]
        assert all(UNKNOWN in text and "90% interval inf" not in text for text in shown)
        assert "-inf" not in "".join(shown)
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["best"]["interval"] is None
        assert not view(result).slices  # bands would come from nothing, too
        result.plot(tmp_path / "figure.svg")
        assert "too few different values" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_the_command_says_so_as_well(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with stoic.Study(store, space={"x": (0.0, 1.0)}, direction="minimize") as study:
        study.tell(study.ask(), 2e-4)
    for words, expected in ((["best"], UNKNOWN), (["best", "--json"], '"interval": null'),
                            (["show"], UNKNOWN)):  # fmt: skip
        ran = CliRunner().invoke(app, ["study", *words, "--store", str(store)])
        assert ran.exit_code == 0, ran.output
        assert expected in ran.output
        assert "inf" not in ran.output.replace(str(store), "")


def test_a_report_with_the_truth_and_no_interval() -> None:
    result = Result.of(told([3.0] * 12))
    page = render(result, title="t", truth={"value": 4.0, "at_best": 3.5, "at_luckiest": 3.5})
    assert f"The estimate was 3, {UNKNOWN}" in page
    assert "nan" not in page


# -- sizes ----------------------------------------------------------------------------------------

HARD = {
    "one subnormal value": [5e-324] * 5,
    "subnormal": [5e-324, 1e-310, 1e-320, 0.0, 3e-310, 2e-310, 1e-300, 4e-310, 1e-309, 7e-310],
    "subnormal and ordinary": [5e-324, 1e-310, 1.0, 2.0, 0.0, 5e-324, 1e-310, 3.0, 1.0, 1.0],
    "huge": [1e308, -1e308, 1.7e308, 1.6e308, 1.5e308, -1.7e308, 1e308, 1e307, 1.2e308, 1e308],
    "one huge value": [math.nextafter(math.inf, 0.0)] * 6,
    "all sizes": [5e-324, 1e308, -1e308, 1e-310, 1.0, -1.0, 1e100, 1e-100, 0.0, 1e300],
}


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("name", HARD)
def test_no_size_of_value_makes_trouble(name: str, direction: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer = told(HARD[name], direction)
        optimizer.ask()
        result = Result.of(optimizer)
        page = render(result, title="t") + str(result)
        result.plot()
    best = result.best
    assert best is not None
    assert math.isfinite(best.value)
    assert best.interval[0] <= best.value <= best.interval[1]
    assert "nan" not in page
    if len(set(HARD[name])) == 1:
        assert best.value == HARD[name][0]


@pytest.mark.parametrize("scale", [2.0**-1022, 2.0**-1000, 2.0**-600, 2.0**1000])
def test_suggestions_do_not_depend_on_extreme_scales(scale: float) -> None:
    """Powers of two: all digits of the values stay."""
    y = (np.random.default_rng(1).integers(-99, 99, 12) * 2.0**-7).tolist()
    plain, moved = told(y), told([scale * value for value in y])
    assert moved.ask() == plain.ask()
    a, b = plain.recommend(), moved.recommend()
    assert b.params == a.params
    ends = np.array([b.value, *b.interval]) / scale
    np.testing.assert_allclose(ends, [a.value, *a.interval], rtol=1e-6)


# -- every number of an answer and of a verdict ---------------------------------------------------

HERE, THERE = {"x": 0.9, "y": 0.2}, {"x": 0.35, "y": 0.6}


@cache
def concluded(target: str, noise: str, a: float, b: float) -> Conclusion:
    """What is concluded from a·y + b: 30 random points, and finals of 14 evaluations."""
    space = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    made = Optimizer(space, direction="minimize", target=target, baseline=HERE)
    rng = np.random.default_rng(3)

    def tell(params: dict[str, float]) -> None:
        y = 8.0 * ((params["x"] - 0.4) ** 2 + (params["y"] - 0.6) ** 2) - 2.0
        y += 0.3 * float(rng.standard_t(2) if noise == "tails" else rng.lognormal())
        made.tell(params, a * (y + 500.0 * (rng.random() < 0.06)) + b)

    for _ in range(30):
        tell(dict(zip(space, rng.random(2).tolist(), strict=True)))
    made.start_finals(14, [THERE])
    for _ in range(14):
        tell(made.ask())
    return made.conclude()


@pytest.mark.parametrize("offset", [0.0, 1000.0])  # times the scale
@pytest.mark.parametrize("a", [1e-12, 1e-5, 1e4, 1e12])
@pytest.mark.parametrize("noise", ["tails", "skewed"])
@pytest.mark.parametrize("target", ["median", "mean"])
def test_all_numbers_follow_scale_and_offset(
    target: str, noise: str, a: float, offset: float
) -> None:
    plain, moved = (concluded(target, noise, *of) for of in ((1.0, 0.0), (a, a * offset)))
    old, new = plain.answer, moved.answer
    assert new.params == old.params
    width = old.interval[1] - old.interval[0]
    for before, after in zip(
        (old.value, *old.interval, *old.single_run),
        (new.value, *new.interval, *new.single_run),
        strict=True,
    ):
        assert after / a - offset == pytest.approx(before, abs=1e-6 * width)
    assert [s.trial for s in moved.suspects] == [s.trial for s in plain.suspects]
    assert plain.verdict is not None
    assert moved.verdict is not None
    first, second = plain.verdict, moved.verdict
    assert (second.word, second.probability) == (first.word, first.probability)
    ends = (first.difference, *first.interval), (second.difference, *second.interval)
    assert np.allclose(np.array(ends[1]) / a, ends[0], rtol=1e-6, atol=1e-6 * abs(ends[0][0]))


@pytest.mark.parametrize("target", ["median", "mean"])
@pytest.mark.parametrize("a", [1e-12, 1e12])
def test_ratios_do_not_depend_on_the_scale(target: str, a: float) -> None:
    pairs = [(10.0, 8.8), (10.3, 9.1), (9.9, 8.6), (10.2, 90.3), (10.0, 8.7), (9.8, 8.9)]
    plain = compared(pairs, "minimize", target=target)
    moved = compared([(a * y, a * x) for y, x in pairs], "minimize", target=target)
    assert plain.ratio_interval is not None
    assert moved.ratio_interval is not None
    assert moved.ratio == pytest.approx(plain.ratio, rel=1e-6)
    assert moved.ratio_interval == pytest.approx(plain.ratio_interval, rel=1e-6)
