"""The paired comparison: exact where it claims to be, robust, and the same at every scale."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from stoic.comparison import Comparison, Margin, compare
from stoic.comparison.evidence import log_evidence
from stoic.comparison.interval import centre, interval
from stoic.errors import InvalidInput, MissingDirection

THRESHOLD = math.log(40.0)


@pytest.mark.parametrize(
    "sizes",
    [
        [1.0, 2.0, 0.5, 3.0, 1e9, 0.1, 1.0, 2.0],
        [0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 5.0],
        [math.inf, 1.0, math.inf, 2.0, 1e308, 1e-300, 0.0, math.inf],
    ],
)
def test_the_capital_of_fair_coins_is_one_on_average(sizes: list[float]) -> None:
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=len(sizes))))
    with np.errstate(invalid="ignore"):
        paths = np.exp(log_evidence(signs * np.array(sizes)))
    assert paths.mean(axis=0) == pytest.approx(np.ones(len(sizes)), abs=1e-9)
    assert paths[:, -1].max() > 2.0, "evidence can grow"


def test_a_score_that_knew_the_sign_would_be_noticed() -> None:
    """The test above can fail: a bet that depends on the sign has another mean."""
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=6)))
    biased = np.where(signs > 0.0, 2.0, 1.0) * signs
    assert np.exp(log_evidence(biased))[:, -1].mean() != pytest.approx(1.0, abs=1e-3)


def duel(
    effect: float, blocks: int, seed: int = 0, margin: object = 0.02, outliers: float = 0.0
) -> Comparison:
    """Ten per cent noise, the challenger lower by ``effect``."""
    rng = np.random.default_rng(seed)
    old, new = np.exp(0.1 * rng.standard_normal((2, blocks)))
    for values in (old, new):
        values[rng.random(blocks) < outliers] *= 1000.0
    return compare(
        (7.0 * old).tolist(),
        (7.0 * (1.0 - effect) * new).tolist(),
        direction="minimize",
        margin=margin,
    )


def test_decisions() -> None:
    assert duel(0.2, 60).decision == "better"
    assert duel(-0.2, 60).decision == "worse"
    assert duel(0.0, 400, margin=0.1).decision == "equal"
    assert duel(0.0, 5).decision == "undecided"
    assert duel(0.0, 400, margin=0.0).decision == "undecided"
    assert duel(-0.05, 600, margin=0.2).decision == "equal", "worse, but within the margin"


def test_the_estimate_and_its_interval_are_right_under_outliers() -> None:
    for outliers in (0.0, 0.1):
        found = [duel(0.2, 150, seed, outliers=outliers) for seed in range(60)]
        covered = sum(low <= -0.2 <= high for low, high in (each.interval for each in found))
        assert covered >= 55
        assert np.median([each.change for each in found]) == pytest.approx(-0.2, abs=0.02)
        widths = [high - low for low, high in (each.interval for each in found)]
        assert max(widths) < 0.2


def test_decisions_agree_with_the_interval() -> None:
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(150):
        found = duel(
            rng.normal(0.0, 0.1), int(rng.integers(1, 150)), int(rng.integers(10**6)), 0.05
        )
        low, high = found.interval
        seen.add(found.decision)
        if found.decision == "better":
            assert high <= 1e-6
        elif found.decision == "worse":
            assert low >= 0.05 - 1e-6
        elif found.decision == "equal":
            assert -0.05 - 0.01 <= low <= high <= 0.05 + 1e-6
        else:
            assert high > 0.0
        assert low <= found.change <= high
        assert (found.decided_at > 0) == (found.decision != "undecided")
    assert len(seen) == 4


def test_more_blocks_do_not_change_a_decision() -> None:
    rng = np.random.default_rng(5)
    old, new = (np.exp(0.1 * rng.standard_normal((2, 120))) * [[1.0], [0.9]]).tolist()
    every = [compare(old[:n], new[:n], direction="minimize", margin=0.02) for n in range(1, 121)]
    decided = [each for each in every if each.decision != "undecided"]
    assert decided
    assert {(each.decision, each.decided_at) for each in decided} == {
        (decided[0].decision, decided[0].blocks)
    }
    lows, highs = zip(*(each.interval for each in every), strict=True)
    assert list(lows) == pytest.approx(list(np.maximum.accumulate(lows)), abs=1e-5)
    assert list(highs) == pytest.approx(list(np.minimum.accumulate(highs)), abs=1e-5)


def test_scale_and_roles() -> None:
    rng = np.random.default_rng(1)
    old, new = rng.lognormal(0.0, 0.2, (2, 80)) * [[1.0], [1.3]]
    found = compare(old.tolist(), new.tolist(), direction="minimize", margin=0.02)
    small = compare((old * 1e-12).tolist(), (new * 1e-12).tolist(), direction="minimize",
                    margin=0.02)  # fmt: skip
    assert small.decision == found.decision == "worse"
    assert small.change == pytest.approx(found.change)
    swapped = compare(new.tolist(), old.tolist(), direction="maximize", margin=0.02)
    assert swapped.decision == "worse"
    assert 1.0 + swapped.change == pytest.approx(1.0 / (1.0 + found.change))


def test_values_that_are_not_positive_are_compared_by_differences() -> None:
    rng = np.random.default_rng(2)
    old, new = rng.normal(0.0, 1.0, 60).tolist(), rng.normal(3.0, 1.0, 60).tolist()
    found = compare(old, new, direction="maximize", margin="0.5")
    assert (found.relative, found.decision) == (False, "better")
    assert found.interval[0] < 3.0 < found.interval[1]
    zero = compare([0.0] * 12, [0.0] * 12, direction="minimize", margin="0.5")
    assert (zero.decision, zero.change) == ("equal", 0.0)
    share = compare([-10.0] * 12, [-10.1] * 12, direction="minimize", margin="2%")
    assert share.margin == pytest.approx(0.2)
    assert share.decision == "better"


def test_ties() -> None:
    found = compare([5.0] * 10, [5.0] * 10, direction="minimize", margin=0.01)
    assert (found.decision, found.wins, found.losses) == ("equal", 0, 0)
    assert found.interval == pytest.approx((0.0, 0.0), abs=1e-6)
    assert compare([5.0] * 10, [5.0] * 10, direction="minimize").decision == "undecided"
    few = [5.0] * 40  # a clock of few digits: most blocks are ties
    found = compare(few, [4.0 if i % 4 == 0 else 5.0 for i in range(40)], direction="minimize")
    assert found.decision == "better"


def test_failures_count_as_lost() -> None:
    value = [1.0] * 20
    assert compare(value, [None] * 20, direction="minimize").decision == "worse"
    assert compare([math.nan] * 20, value, direction="minimize").decision == "better"
    assert compare([None] * 20, [None] * 20, direction="minimize").blocks == 0
    half = [None if i % 2 else 0.9 for i in range(60)]
    found = compare([1.0] * 60, half, direction="minimize", margin=0.02)
    assert found.decision != "better"
    assert (found.wins, found.losses) == (30, 30)
    found.to_dict()


def test_absurd_values_change_nothing_that_matters() -> None:
    rng = np.random.default_rng(7)
    old, new = rng.normal(10.0, 0.5, 60), rng.normal(9.0, 0.5, 60)
    plain = compare(old.tolist(), new.tolist(), direction="minimize")
    new[[5, 20]] = 1e308
    old[9] = 5e-324
    found = compare(old.tolist(), new.tolist(), direction="minimize")
    assert found.decision == plain.decision == "better"
    assert found.change == pytest.approx(plain.change, abs=0.02)
    wide = compare([-1e308] * 20, [1e308] * 20, direction="maximize")
    assert wide.decision == "better"


def test_the_error_is_shared_among_challengers() -> None:
    rng = np.random.default_rng(4)
    old, new = rng.normal(10.0, 1.0, 60).tolist(), rng.normal(9.0, 1.0, 60).tolist()
    one = compare(old, new, direction="minimize")
    five = compare(old, new, direction="minimize", comparisons=5)
    assert five.decided_at > one.decided_at
    assert five.p_values["better"] == pytest.approx(min(5.0 * one.p_values["better"], 1.0))


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match="both for each block"):
        compare([1.0], [1.0, 2.0], direction="minimize")
    with pytest.raises(MissingDirection):
        compare([1.0], [1.0], direction=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="real number"):
        compare(["1"], [1.0], direction="minimize")  # type: ignore[list-item]
    for bad in ("x", "-2%", "nan", "120%", -0.1, True):
        with pytest.raises(InvalidInput):
            Margin.of(bad)


def test_an_interval_of_nothing() -> None:
    assert interval(np.array([]), THRESHOLD) == (-math.inf, math.inf)
    assert math.isnan(centre(np.array([])))
    assert compare([], [], direction="minimize").certainty == 0.0


def test_the_centre_of_many_is_quick_and_near() -> None:
    many = np.random.default_rng(0).normal(2.0, 1.0, 5000)
    assert centre(many) == pytest.approx(2.0, abs=0.1)
