"""Paired differences, and results of two files."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helpers.made_results import case, make
from stoic.errors import InvalidInput
from stoic.lab.experiments.compare import (
    Difference,
    compare,
    leaders,
    paired_difference,
    paired_ratio,
)


def test_equal_differences_have_an_interval_of_no_width() -> None:
    b = np.array([0.1, 5.0, -3.0, 8.0])
    assert paired_difference(b + 2.0, b) == Difference(2.0, 2.0, 2.0)
    same = paired_difference(b, b)
    assert same == Difference(0.0, 0.0, 0.0)
    assert not same.settled


def test_one_pair_settles_nothing() -> None:
    one = paired_difference(np.array([3.0]), np.array([1.0]))
    assert (one.mean, one.low, one.high) == (2.0, -math.inf, math.inf)
    assert not one.settled


def test_two_trials_give_the_quantiles_of_three_possible_means() -> None:
    # Resamples of (0, 1) have means 0, ½, 1 with probabilities ¼, ½, ¼.
    a = np.array([0.0, 1.0])
    assert paired_difference(a, np.zeros(2)) == Difference(0.5, 0.0, 1.0)
    assert paired_difference(a, np.zeros(2), level=0.4) == Difference(0.5, 0.5, 0.5)


def test_the_interval_covers_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    common = 50.0 * rng.normal(size=(400, 40))  # what pairing takes away
    apart = 1.0 + rng.normal(size=(400, 40))
    found = [paired_difference(c + d, c, resamples=500) for c, d in zip(common, apart, strict=True)]
    covered = np.mean([d.low <= 1.0 <= d.high for d in found])
    assert 0.90 <= covered <= 0.98  # 0.95 nominal, about 0.94 with 40 trials; std 0.012
    assert np.mean([d.high - d.low for d in found]) == pytest.approx(2 * 1.96 / 40**0.5, rel=0.1)


def test_the_sign_and_the_seed() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=20), 5.0 + rng.normal(size=20)
    down = paired_difference(a, b)
    assert down.high < 0.0
    assert down.settled
    assert down == paired_difference(a, b)
    assert down != paired_difference(a, b, seed=1)


@pytest.mark.parametrize(
    ("a", "b"), [([1.0], [1.0, 2.0]), ([], []), ([math.nan], [1.0]), ([[1.0]], [[1.0]])]
)
def test_what_is_no_pair_is_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(InvalidInput, match="expected"):
        paired_difference(np.array(a), np.array(b))


def test_cases_are_paired_over_common_trials() -> None:
    a = make([case("GP-UCB"), case("TGP-UCB")], trials=5)
    b = make([case("TGP-UCB", experiment="other"), case("BKB")], trials=5, first=2, seed=9)
    (row,) = compare(a, b)
    assert (row.a, row.b) == (case("TGP-UCB"), case("TGP-UCB", experiment="other"))
    assert row.trials == 3  # 2, 3, 4
    ends_a = a.curve(row.a).end[2:]
    ends_b = b.curve(row.b).end[:3]
    assert row.difference == paired_difference(ends_a, ends_b)
    assert row.mean_a - row.mean_b == pytest.approx(row.difference.mean)


def test_single_policies_are_paired_across() -> None:
    a = make([case("GP-UCB", attack=attack) for attack in ("none", "flip")])
    b = make([case("TGP-UCB", attack=attack) for attack in ("flip", "clipping")], seed=1)
    (row,) = compare(a, b)
    assert (row.a.policy, row.b.policy, row.a.attack, row.b.attack) == (
        "GP-UCB", "TGP-UCB", "flip", "flip",
    )  # fmt: skip


def test_equal_settings_of_several_experiments_are_paired_by_name() -> None:
    names = ("one", "two")
    a, b = (make([case("BKB", experiment=n) for n in names], seed=s) for s in (0, 1))
    assert [(row.a.experiment, row.b.experiment) for row in compare(a, b)] == [
        ("one", "one"),
        ("two", "two"),
    ]


def test_nothing_in_common_says_what_each_has() -> None:
    a, b = make([case("GP-UCB", problem="P")]), make([case("GP-UCB", problem="Q")], trials=2)
    with pytest.raises(InvalidInput, match=r"problem P.*trials 0 to 3.*problem Q.*trials 0 to 1"):
        compare(a, b)
    with pytest.raises(InvalidInput, match="trials 7 to 10"):
        compare(a, make([case("GP-UCB", problem="P")], first=7))
    several = make([case("BKB", problem="P"), case("TGP-UCB", problem="P")])
    with pytest.raises(InvalidInput, match="BKB/TGP-UCB"):
        compare(a, several)  # which of the two?
    with pytest.raises(InvalidInput, match="regrets"):
        compare(a, a, "regrets")


def test_leaders_of_each_setting() -> None:
    results = make([case(p, attack=a) for a in ("none", "flip") for p in ("TGP-UCB", "GP-UCB")])
    first, second = leaders(results)
    assert (first.label, second.label) == ("none", "flip")
    assert first.best == case("TGP-UCB")
    assert first.second == case("GP-UCB")
    assert first.regret == pytest.approx(results.curve(first.best).end.mean())
    expected = paired_difference(results.curve(case("GP-UCB")).end, results.curve(first.best).end)
    assert first.lead == expected
    assert expected.low > 0.0
    (alone,) = leaders(make([case("BKB")]))
    assert (alone.rivals, alone.second, alone.lead) == (0, None, None)


def test_ratios_of_paired_means() -> None:
    b = np.array([1.0, 2.0, 5.0, 9.0])
    same = paired_ratio(3.0 * b, b)
    assert (same.mean, same.low, same.high) == pytest.approx((3.0, 3.0, 3.0))
    found = paired_ratio(np.array([1.0, 5.0, 2.0, 8.0]), b)
    assert found.mean == pytest.approx(16.0 / 17.0)
    assert found.low < found.mean < found.high
    assert paired_ratio(b[:1], b[:1]) == Difference(1.0, 0.0, np.inf)
    for wrong in (np.zeros(4), b[:2]):
        with pytest.raises(InvalidInput, match="expected"):
            paired_ratio(b, wrong)
