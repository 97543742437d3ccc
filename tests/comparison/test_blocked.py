"""Comparison after a fixed number of blocks: exact under exchanges, and not decided by outliers."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from stoic.checks import Array
from stoic.comparison.blocked import shift_between


def counted(n: int) -> Array:
    """0, 1, …, n − 1."""
    return np.arange(n).astype(np.float64)


@pytest.mark.parametrize("blocks", [5, 7])
def test_exchanges_of_alike_values_are_called_different_as_often_as_promised(blocks: int) -> None:
    """Whatever the values are: here drift, ties and an outlier."""
    pairs = np.random.default_rng(3).normal(size=(blocks, 2)).round(1) + np.arange(blocks)[:, None]
    pairs[2, 0] = 1e6
    above = below = 0
    for exchanged in product((0, 1), repeat=blocks):
        rows = np.arange(blocks)
        old, new = pairs[rows, np.array(exchanged)], pairs[rows, 1 - np.array(exchanged)]
        low, high = shift_between(old, new).interval
        above += low > 0.0
        below += high < 0.0
    assert above <= 0.05 * 2**blocks
    assert below <= 0.05 * 2**blocks
    assert above + below or blocks < 7  # it does decide


@pytest.mark.parametrize("blocks", [3, 5, 8, 20])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_unit_and_origin_do_not_matter(blocks: int, scale: float) -> None:
    rng = np.random.default_rng(blocks)
    old, new = rng.normal(size=(2, blocks))
    plain = shift_between(old, new + 2.0)
    moved = shift_between(scale * (old + 1000.0), scale * (new + 1002.0))
    np.testing.assert_allclose(np.array(moved.interval) / scale, plain.interval, rtol=1e-5)
    assert moved.value / scale == pytest.approx(plain.value, rel=1e-5)
    assert moved.above == pytest.approx(plain.above)


@pytest.mark.parametrize("blocks", [4, 6, 15])
def test_to_change_the_roles_changes_the_sign(blocks: int) -> None:
    old, new = np.random.default_rng(blocks).normal(size=(2, blocks))
    there, back = shift_between(old, new), shift_between(new, old)
    np.testing.assert_allclose(back.interval, (-there.interval[1], -there.interval[0]), atol=1e-6)
    assert back.value == pytest.approx(-there.value, abs=1e-6)
    assert back.above == pytest.approx(1.0 - there.above, abs=1e-9)


@pytest.mark.parametrize("outlier", [-1e300, -1e6, 1e6, 1e300])
@pytest.mark.parametrize("which", [0, 1])
def test_an_outlier_does_not_decide(outlier: float, which: int) -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(size=(2, 8))
    values[1] += 6.0
    values[which, 3] = outlier
    found = shift_between(*values)
    assert 2.0 < found.interval[0] < 6.0 < found.interval[1] < 9.0
    assert found.above > 0.95


def test_equal_values_are_no_difference() -> None:
    for blocks in (3, 7, 14):
        found = shift_between(np.full(blocks, 3.0), np.full(blocks, 3.0))
        assert found.interval[0] <= 0.0 <= found.interval[1]
        assert found.interval[1] - found.interval[0] < 1e-6
        assert found.above == 0.5


def test_a_constant_difference_is_known() -> None:
    for blocks in (3, 7, 14):
        found = shift_between(counted(blocks), counted(blocks) + 2.0)
        np.testing.assert_allclose([found.value, *found.interval], 2.0, rtol=1e-6)


def test_failures_lose() -> None:
    failed = np.full(6, -math.inf)
    values = counted(6)
    assert shift_between(failed, values).interval == (math.inf, math.inf)
    assert shift_between(values, failed).interval == (-math.inf, -math.inf)
    assert shift_between(failed, failed).interval == (-math.inf, math.inf)
    some = np.where(np.arange(6) < 2, -math.inf, values + 5.0)
    assert shift_between(values, some).interval[0] == -math.inf


def test_too_little_is_unknown() -> None:
    for blocks in range(3):
        found = shift_between(np.zeros(blocks), counted(blocks) + 9.0)
        assert found.interval == (-math.inf, math.inf)
    failed = np.array([-math.inf, 1.0, 2.0, 3.0])
    assert shift_between(failed, counted(4) + 9.0).interval == (-math.inf, math.inf)
