"""Averages of two contenders: exact errors, equivariance, failures, and few blocks."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from stoic.checks import Array
from stoic.comparison.means import mean_difference, mean_ratio


def literal(old: Array, new: Array, ratio: bool, level: float) -> tuple[float, float]:
    """The bounds by going through all exchanges of signs for a grid of values."""
    grid = np.linspace(0.2, 4.0, 1901) if ratio else np.linspace(-3.0, 3.0, 3001)
    kept = []
    for theta in grid:
        terms = new - theta * old if ratio else new - old - theta
        sums = [float(np.dot(signs, terms)) for signs in product((1.0, -1.0), repeat=len(terms))]
        above = np.mean([s >= terms.sum() - 1e-9 for s in sums])
        below = np.mean([s <= terms.sum() + 1e-9 for s in sums])
        kept.append(min(above, below) > (1.0 - level) / 2.0)
    held = grid[np.array(kept)]
    return float(held.min()), float(held.max())


@pytest.mark.parametrize("blocks", [5, 6])
@pytest.mark.parametrize("ratio", [False, True])
def test_bounds_are_those_of_all_exchanges(blocks: int, ratio: bool) -> None:
    rng = np.random.default_rng(blocks)
    old, new = rng.uniform(1.0, 4.0, blocks), rng.uniform(1.0, 3.0, blocks)
    found = (mean_ratio if ratio else mean_difference)(old, new)
    assert found.interval == pytest.approx(literal(old, new, ratio, 0.9), abs=3e-3)
    expected = new.mean() / old.mean() if ratio else new.mean() - old.mean()
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize("blocks", [7, 20])
def test_intervals_hold_the_difference(blocks: int) -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        old, new = rng.exponential(1.0, blocks), rng.exponential(1.0, blocks) + 2.0
        low, high = mean_difference(old, new).interval
        held += low <= 2.0 <= high
    assert 340 <= held <= 385  # 90% of 400 is 360


def test_averages_see_a_tail_that_typical_values_do_not() -> None:
    rng = np.random.default_rng(2)
    old = rng.normal(10.0, 0.1, 40)
    new = rng.normal(9.5, 0.1, 40) + np.where(np.arange(40) % 5 == 0, 10.0, 0.0)
    assert mean_difference(old, new).interval[0] > 0.0


def test_values_and_intervals_move_with_scale_and_offset() -> None:
    rng = np.random.default_rng(3)
    old, new = rng.normal(0.0, 1.0, 7), rng.normal(1.0, 1.0, 7)
    plain = mean_difference(old, new)
    for a in (1e-12, 1e12, 1e300):
        moved = mean_difference(a * (old + 3.0), a * (new + 3.0))
        assert moved.interval == pytest.approx(tuple(a * end for end in plain.interval))
        assert moved.above == plain.above
    ratios = [mean_ratio(a * (old + 5.0), a * (new + 5.0)).interval for a in (1e-300, 1.0, 1e300)]
    assert ratios[0] == pytest.approx(ratios[1])
    assert ratios[2] == pytest.approx(ratios[1])


def test_a_ratio_is_above_one_where_the_difference_is_above_zero() -> None:
    rng = np.random.default_rng(4)
    for blocks in (5, 9, 14):
        for _ in range(50):
            old, new = rng.lognormal(0.0, 1.0, blocks), rng.lognormal(0.3, 1.0, blocks)
            difference, ratio = mean_difference(old, new), mean_ratio(old, new)
            assert (difference.interval[0] > 0.0) == (ratio.interval[0] > 1.0)
            assert (difference.interval[1] < 0.0) == (ratio.interval[1] < 1.0)


def test_a_failure_leaves_an_average_without_an_end() -> None:
    values = np.arange(1.0, 9.0)
    failed = np.where(values == 3.0, -math.inf, values + 5.0)
    found = mean_difference(values, failed)
    assert found.interval[0] == -math.inf
    assert mean_difference(failed, values).interval[1] == math.inf
    assert math.isnan(found.value)
    both = mean_difference(np.where(values == 2.0, -math.inf, values), failed).interval
    assert both == (-math.inf, math.inf)


def test_few_blocks() -> None:
    old, new = np.array([10.0, 11.0, 12.0]), np.array([8.0, 9.1, 10.1])
    assert mean_difference(old, new).interval[1] < 0.0
    assert mean_ratio(old, new).interval[1] < 1.0
    assert mean_difference(old[:2], new[:2]).interval == (-math.inf, math.inf)
    assert math.isnan(mean_difference(old[:0], new[:0]).value)
