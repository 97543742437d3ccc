"""Blocks of several measurements of each contender: arrangements, exact errors, outliers."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from stoic.checks import Array
from stoic.comparison.arrangements import arrangements, block_sizes, count_arrangements
from stoic.comparison.blocked import one_sided_p, shift_between
from stoic.comparison.means import mean_difference, mean_ratio


def split(values: Array, second: tuple[int, ...]) -> tuple[Array, Array]:
    """The values of the first contender, and those of the second."""
    chosen = np.isin(np.arange(len(values)), second)
    return values[~chosen], values[chosen]


def test_blocks_hold_all_measurements_and_are_small() -> None:
    for n in range(1, 101):
        sizes = block_sizes(n)
        assert sum(sizes) == n
        assert max(sizes) <= 4
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 3), (4,), (4, 4, 4)])
def test_arrangements_give_each_contender_half_of_every_block(sizes: tuple[int, ...]) -> None:
    rows = arrangements(sizes)
    n = sum(sizes)
    assert len(rows) <= 5000
    assert len(rows) == min(count_arrangements(sizes), 5000)
    assert (rows[0] == np.repeat([-1.0, 1.0], n)).all()  # the true one
    ends = np.cumsum(sizes)
    for end, size in zip(ends, sizes, strict=True):
        block = np.r_[end - size : end, n + end - size : n + end]
        assert (rows[:, block].sum(axis=1) == 0.0).all()
    known = {row.tobytes() for row in rows}
    assert all((-row).tobytes() in known for row in rows)
    assert len(known) == len(rows) or len(rows) == 5000


@pytest.mark.parametrize("target", ["median", "mean"])
@pytest.mark.parametrize("size", [3, 4])
def test_alike_contenders_are_called_different_as_often_as_promised(size: int, target: str) -> None:
    """Whatever the values are: here drift, ties and an outlier."""
    values = np.random.default_rng(5).normal(size=2 * size).round(1) + 0.3 * np.arange(2 * size)
    values[1] = 1e6
    above = below = 0
    find = mean_difference if target == "mean" else shift_between
    ways = list(combinations(range(2 * size), size))
    for second in ways:
        low, high = find(*split(values, second), sizes=[size]).interval
        above += low > 0.0
        below += high < 0.0
    assert 0 < above <= 0.05 * len(ways)
    assert 0 < below <= 0.05 * len(ways)


def test_zero_is_excluded_exactly_where_it_is_rejected() -> None:
    rng = np.random.default_rng(6)
    decided = 0
    for _ in range(150):
        old, new = rng.lognormal(0.0, 1.2, 4), rng.lognormal(0.0, 1.2, 4) + 1.0
        low, high = shift_between(old, new, sizes=[4]).interval
        assert (low > 0.0) == (one_sided_p(old[None], new[None], [4])[0] <= 0.05)
        assert (high < 0.0) == (one_sided_p(-old[None], -new[None], [4])[0] <= 0.05)
        decided += low > 0.0
    assert 20 < decided < 140


@pytest.mark.parametrize("outlier", [-1e6, -40.0, 40.0, 1e6])
@pytest.mark.parametrize("at", range(8))
def test_four_of_each_show_a_clear_gain_in_spite_of_an_outlier(outlier: float, at: int) -> None:
    rng = np.random.default_rng(7)
    values = np.concatenate([rng.normal(0.0, 0.5, 4), rng.normal(6.0, 0.5, 4)])
    values[at] = outlier
    low, high = shift_between(values[:4], values[4:], sizes=[4]).interval
    assert 2.0 < low < 6.0 < high


def test_outliers_of_both_on_one_side_do_not_decide() -> None:
    """The average of the middle two of the lower half would be one of an outlier."""
    old = np.array([0.1, -0.2, 0.3, 0.0, 0.2, -70.0])
    new = np.array([6.1, 5.8, 6.3, -90.0, 6.0, -80.0])
    assert shift_between(old, new, sizes=[3, 3]).interval[0] > 0.0


def test_four_pairs_could_not_show_it() -> None:
    old, new = np.array([0.1, -0.2, 0.3, 0.0]), np.array([6.1, 5.8, 6.3, -40.0])
    assert (
        shift_between(old, new).interval[0] < 0.0 < shift_between(old, new, sizes=[4]).interval[0]
    )


def test_failures_lose_in_blocks() -> None:
    values, failed = np.arange(4.0), np.full(4, -math.inf)
    assert shift_between(failed, values, sizes=[4]).interval == (math.inf, math.inf)
    assert shift_between(values, failed, sizes=[4]).interval == (-math.inf, -math.inf)
    assert shift_between(failed, failed, sizes=[4]).interval == (-math.inf, math.inf)
    half = np.where(np.arange(4) < 2, -math.inf, values + 9.0)
    assert shift_between(values, half, sizes=[4]).interval[0] <= 0.0


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_unit_and_origin_do_not_matter_in_blocks(scale: float) -> None:
    rng = np.random.default_rng(8)
    old, new = rng.normal(size=(2, 7))
    plain = shift_between(old, new + 2.0, sizes=[3, 4])
    moved = shift_between(scale * (old + 1000.0), scale * (new + 1002.0), sizes=[3, 4])
    np.testing.assert_allclose(np.array(moved.interval) / scale, plain.interval, rtol=1e-5)


def literal_mean(old: Array, new: Array, ratio: bool) -> tuple[float, float]:
    """The bounds by going through all arrangements for a grid of values."""
    n, kept = len(old), []
    grid = np.linspace(0.2, 4.0, 1901) if ratio else np.linspace(-4.0, 4.0, 3001)
    for theta in grid:
        values = np.concatenate([old * theta, new] if ratio else [old, new - theta])
        sums = [values[list(way)].sum() for way in combinations(range(2 * n), n)]
        true = values[n:].sum()
        above = np.mean([each >= true - 1e-9 for each in sums])
        below = np.mean([each <= true + 1e-9 for each in sums])
        kept.append(min(above, below) > 0.05)
    held = grid[np.array(kept)]
    return float(held.min()), float(held.max())


@pytest.mark.parametrize("ratio", [False, True])
def test_bounds_of_averages_are_those_of_all_arrangements(ratio: bool) -> None:
    rng = np.random.default_rng(9)
    old, new = rng.uniform(1.0, 4.0, 4), rng.uniform(1.0, 3.0, 4)
    found = (mean_ratio if ratio else mean_difference)(old, new, sizes=[4])
    assert found.interval == pytest.approx(literal_mean(old, new, ratio), abs=5e-3)
