"""How many runs show a difference, and what is said of zeros, few values and clumps."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, norm

from stoic.diagnostics import diagnose
from stoic.diagnostics.power import Needed, needed
from stoic.diagnostics.shape import shape_of

MILLION = 1_000_000


def test_normal_values_need_what_the_formula_says() -> None:
    y = np.sort(norm.ppf((np.arange(1000) + 0.5) / 1000)) * 5.0 + 100.0
    for each in needed(y, 5.0)[:3]:
        # of a t test, over the efficiency 3/π of the rank-sum test under a normal distribution
        gap = 100.0 * each.difference / 5.0
        expected = 2.0 * ((norm.ppf(0.975) + norm.ppf(0.9)) / gap) ** 2 * math.pi / 3.0
        assert each.runs == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("kind", ["lognormal", "cauchy", "rounded"])
def test_so_many_runs_see_the_difference_nine_times_in_ten(kind: str) -> None:
    rng = np.random.default_rng(3)

    def draw(n: int) -> np.ndarray:
        if kind == "lognormal":
            return np.asarray(np.exp(0.1 * rng.standard_normal(n)))
        return 100.0 + rng.standard_cauchy(n) if kind == "cauchy" else rng.normal(50.0, 2.0, n)

    def measured(y: np.ndarray) -> np.ndarray:
        return y.round() if kind == "rounded" else np.abs(y)

    found = next(n for n in needed(np.sort(measured(draw(1000))), 1.0) if n.difference == 0.05)
    assert found.runs is not None
    seen = sum(
        mannwhitneyu(measured(draw(found.runs)), measured(draw(found.runs) * 1.05)).pvalue < 0.05
        for _ in range(200)
    )
    assert 0.8 <= seen / 200 <= 0.98


def test_it_does_not_depend_on_units_and_hardly_on_outliers() -> None:
    y = np.random.default_rng(1).normal(100.0, 5.0, 300)
    runs = [each.runs for each in diagnose(y).runs_needed]
    assert runs == [each.runs for each in diagnose(y * 2.0**40).runs_needed]
    mirrored = [each.runs for each in diagnose(-y).runs_needed]
    assert mirrored == pytest.approx(runs, rel=0.2)
    spiked = y.copy()
    spiked[:6] = 1e6
    changed = [each.runs for each in diagnose(spiked).runs_needed]
    for before, after in zip(runs, changed, strict=True):
        assert before is not None
        assert after is not None
        assert 0.9 <= after / before <= 1.3


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([5.0] * 40, 0),
        (range(1, 10), 0),
        (range(1, 11), 4),
        ([0.0] * 60 + [1.0], 4),
        ([1e308, -1e308] * 20, 4),
        ([1e308 + i * 1e293 for i in range(40)], 4),
        ([5e-324 * i for i in range(40)], 4),
        ([-1.0, 1.0] * 8, 4),
        (list(range(100)) * 3, 4),
    ],
    ids=str,
)
def test_values_of_any_kind(values: list[float], count: int) -> None:
    found = diagnose(values)
    assert len(found.runs_needed) == count
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(data["runs_needed"]) == count
    assert "sample" not in data
    assert ("runs: to see a difference of" in str(found)) == (count > 0)
    assert all(n.runs is None or 4 <= n.runs <= MILLION for n in found.runs_needed)
    assert found._repr_html_()


def test_where_values_have_both_signs_differences_are_in_scales() -> None:
    found = diagnose(np.random.default_rng(0).normal(0.0, 3.0, 200)).runs_needed
    assert [(n.difference, n.relative) for n in found][:2] == [(0.1, False), (0.2, False)]
    assert found[-1].name == "1 robust scale"
    assert Needed(0.02, True, None).about == "over 1,000,000"


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_a_larger_difference_needs_fewer_runs_where_values_are_rounded(digits: int) -> None:
    y = np.exp(0.6 * np.random.default_rng(2).normal(size=700) - 1.0).round(digits)
    runs = [each.runs or MILLION for each in diagnose(y).runs_needed]
    assert runs == sorted(runs, reverse=True)
    exact = [each.runs or MILLION for each in diagnose(y * 0.3).runs_needed]
    assert exact == pytest.approx(runs, rel=0.3)  # 0.3 · 0.07 is no rounded number


@pytest.mark.parametrize("n", [30, 200, 2000])
@pytest.mark.parametrize("seed", range(5))
def test_one_group_is_not_called_two(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for y in (
        rng.normal(size=n), np.exp(1.2 * rng.normal(size=n)), rng.standard_t(2, n), rng.random(n),
        rng.exponential(size=n), rng.normal(10.0, 0.5, n).round(1), rng.poisson(20, n) * 1.0,
    ):  # fmt: skip
        shape = shape_of(np.sort(y))
        assert not shape.clumps
        assert not shape.lines()


def test_clumps_are_named_with_their_shares() -> None:
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.normal(10.0, 0.5, 210), rng.normal(15.0, 0.5, 90)])
    low, high = shape_of(np.sort(y)).clumps
    assert [low.centre, high.centre] == pytest.approx([10.0, 15.0], abs=0.2)
    assert [low.share, high.share] == pytest.approx([0.7, 0.3], abs=0.01)
    assert "in 2 groups, about" in str(diagnose(y))
    three = np.concatenate([y, rng.normal(20.0, 0.5, 150)])
    assert len(shape_of(np.sort(three)).clumps) == 3
    many = np.sort(np.append(rng.normal(1e6, 1.0, 5000), rng.normal(1e6 + 9.0, 1.0, 5000)))
    assert len(shape_of(many).clumps) == 2


def test_zeros_and_few_values() -> None:
    rng = np.random.default_rng(0)
    zeros = diagnose(np.where(np.arange(200) < 150, 0.0, np.exp(rng.normal(size=200))))
    assert zeros.shape.mostly_zero
    assert "zeros: 75 % of the values are exactly 0" in str(zeros)
    few = diagnose([1.0] * 20 + [2.0] * 15 + [7.0] * 5)
    assert few.shape.few
    assert "values: only 3 different ones: 1 (50 %), 2 (38 %), 7 (12 %)" in str(few)
    assert few.to_dict()["shape"]["clumps"][0] == {"centre": 1.0, "share": 0.5}
    assert not diagnose([0.0] * 40).shape.lines()
