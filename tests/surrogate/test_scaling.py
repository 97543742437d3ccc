"""Robust units of values: no scale, offset or outlier matters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from stoic.surrogate import Scaling

Array = NDArray[np.float64]


eighths = st.lists(st.integers(-400, 400).map(lambda k: k / 8.0), min_size=1, max_size=30)
reals = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=200, deadline=None)
@given(
    y=eighths,
    a=st.floats(-12, 12).map(lambda e: 10.0**e),
    b=st.floats(-1000.0, 1000.0),
    first=st.integers(1, 12),
)
def test_scaling_ignores_scale_and_offset(y: list[float], a: float, b: float, first: int) -> None:
    values = np.array(y)
    assume(len(set(y)) > 1)
    moved = a * (values + b)
    z = Scaling.of(values, first).z(values)
    np.testing.assert_allclose(Scaling.of(moved, first).z(moved), z, atol=3e-9)


@settings(max_examples=200, deadline=None)
@given(y=st.lists(reals, min_size=1, max_size=20), more=st.lists(reals, min_size=1, max_size=20))
def test_scaling_is_monotone_bounded_and_finite(y: list[float], more: list[float]) -> None:
    for scaling in (Scaling.of(np.array(y), 8), Scaling.log_compressed(np.array(y), 8)):
        if scaling is None:
            continue
        assert (scaling.unit > 0.0) is (len(set(y)) > 1)
        z = scaling.z(np.sort(np.array([*y, *more])))
        assert (np.diff(z) >= 0.0).all()
        assert (np.abs(z) <= 40.0).all()
        assert math.isfinite(scaling.log_slopes(np.array(y)))
        for each in z:
            assert math.isfinite(scaling.y(float(each)))


@settings(max_examples=200, deadline=None)
@given(y=eighths, t=st.floats(-25.0, 25.0), e=st.integers(-200, 200))
def test_ordinary_values_come_back(y: list[float], t: float, e: int) -> None:
    scaling = Scaling.of(10.0**e * np.array(y), 8)
    v = scaling.centre + t * scaling.unit
    back = scaling.y(float(scaling.z(np.array([v]))[0]))
    assert abs(back - v) <= 1e-7 * scaling.unit + 1e-12 * abs(v)


def test_order_is_kept_for_ordinary_values() -> None:
    scaling = Scaling(5.0, 2.0)
    z = scaling.z(np.linspace(-60.0, 60.0, 1001))
    assert (np.diff(z) > 0.0).all()
    assert scaling.y(0.0) == 5.0


@pytest.mark.parametrize(
    "y",
    [
        [1e308, -1e308],
        [1.7e308] * 3,
        [1.7e308, 1.7e308, -1.7e308],
        [0.0, 1.0, 2.0, 1e308, -1e308],
        [5e-324, 0.0],
        [5e-324] * 4,
        [5e-324, 1e-323, 1.5e-323, 2e-323, 2.5e-323, 3e-323, 1e-310, 4e-323],
        [5e-324, 1e-310, 1.0, 2.0, 0.0],
        [1e-310, 2e-310, 3e-310, 5e-324, 1e308],
        [1e-300, 2e-300, 3e-300],
        [3.0],
        [3.0, 3.0, 3.0],
        [3.0, 4.0],
        [0.0, 0.0, 0.0, 0.0, 7.0],
        [0.0] * 9 + [7.0, -1e308],
    ],
)
def test_scaling_of_hard_values(y: list[float]) -> None:
    scaling = Scaling.of(np.array(y), 8)
    z = scaling.z(np.array(y))
    assert np.isfinite(z).all()
    assert np.abs(z).max() <= 40.0
    if len(set(y)) == 1:
        assert not z.any()
    elif len(set(y)) > 1 and max(map(abs, y)) < 1e-200:
        assert len(set(z.tolist())) == len(set(y))
    elif min(abs(p - q) / 2 for p in y for q in y if p != q) > 1e-299:
        assert z.max() - z.min() > 0.1  # what differs stays different


def test_few_different_values_keep_a_sensible_unit() -> None:
    scaling = Scaling.of(np.array([2.0] * 7 + [5.0]), 8)
    assert scaling.centre == 2.0
    assert scaling.z(np.array([5.0]))[0] == pytest.approx(1.0)


def test_a_value_that_recurs_counts_once() -> None:
    """Four of eight runs were ended at 200: the others are not far, there is a clock."""
    y = np.array([190.0, 87.0, 52.0, 200.0, 200.0, 200.0, 42.0, 200.0])
    assert np.abs(Scaling.of(y, 8).z(y)).max() < 4.0


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_outliers_among_the_first_values_do_not_set_the_scale(sign: float) -> None:
    y = np.random.default_rng(3).standard_normal(32)
    clean = Scaling.of(y, 8)
    y[[0, 2, 3, 6, 7]] = sign * np.array([40.0, 1e9, 15.0, 90.0, 60.0])
    scaling = Scaling.of(y, 8)
    assert scaling.unit < 2.0 * clean.unit
    assert abs(scaling.centre - clean.centre) < clean.unit


def test_regular_far_values_set_the_scale_as_measurements_gather() -> None:
    y = np.random.default_rng(4).standard_normal(100)
    y[8:] = 2.0 + 1e-3 * y[8:]
    y[8:32:2] = np.random.default_rng(5).standard_normal(12)
    assert Scaling.of(y, 8).unit > 0.5


@pytest.mark.parametrize("scale", [5e-324 * 2**20, 1e-310, 1e-270, 1e307, 5e307])
def test_very_large_and_very_small_values_are_values_like_others(scale: float) -> None:
    y = np.array([-1.0, 0.0, 0.5, 2.0, 3.0, -1.5, -2.5, -3.0])
    moved = scale * y
    np.testing.assert_allclose(Scaling.of(moved, 8).z(moved), Scaling.of(y, 8).z(y), atol=1e-5)


@pytest.mark.parametrize("scale", [2.0**-1050, 2.0**-950, 2.0**-850, 2.0**1000])
def test_a_log_compressed_scale_does_not_depend_on_the_size(scale: float) -> None:
    y = -np.exp2(np.arange(16.0))[np.random.default_rng(0).permutation(16)]
    scaling, moved = Scaling.log_compressed(y, 16), Scaling.log_compressed(scale * y, 16)
    assert scaling is not None
    assert moved is not None
    np.testing.assert_allclose(moved.z(scale * y), scaling.z(y), atol=1e-6)
    np.testing.assert_allclose(moved.y(-0.5), scale * scaling.y(-0.5), rtol=1e-6)
    grown = Scaling.of(np.append(scale * y, -1e308), 16, moved)  # another exponent
    np.testing.assert_allclose(grown.z(scale * y), moved.z(scale * y), atol=0.3)
