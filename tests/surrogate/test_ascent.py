"""Many maximisations at once, on functions whose maxima are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from stoic.surrogate.ascent import ascend

Array = NDArray[np.float64]


def hill(A: Array, peaks: Array) -> Callable[[Array], tuple[Array, Array]]:
    """−½ (x − peak)ᵀ A (x − peak), a peak for each row."""

    def score(X: Array) -> tuple[Array, Array]:
        D = X - peaks[: len(X)]
        return -0.5 * np.einsum("ij,jk,ik->i", D, A, D), -D @ A

    return score


def bounded_peak(A: Array, peak: Array) -> Array:
    """The best point of the unit cube, by coordinate ascent, which finds it for such a hill."""
    x = np.full(len(peak), 0.5)
    for _ in range(20_000):
        before = x.copy()
        for i in range(len(x)):
            rest = A[i] @ (x - peak) - A[i, i] * (x[i] - peak[i])
            x[i] = min(max(peak[i] - rest / A[i, i], 0.0), 1.0)
        if np.abs(x - before).max() < 1e-13:
            break
    return x


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), d=st.integers(1, 4), alone=st.booleans())
def test_ascent_of_hills(seed: int, d: int, alone: bool) -> None:
    """Peaks of which some are beyond the bounds; ``alone``: coordinates without correlation."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((d, d))
    A = np.diag(rng.uniform(0.5, 3.0, d)) if alone else B @ B.T + 0.3 * np.eye(d)
    peaks, starts = rng.uniform(-0.6, 1.6, (5, d)), rng.random((5, d))
    starts[0], starts[1] = 0.0, 1.0
    X, f = ascend(hill(A, peaks), starts, np.zeros(d), np.ones(d), steps=120, max_step=0.2)
    assert ((X >= 0.0) & (X <= 1.0)).all()
    np.testing.assert_array_equal(f, hill(A, peaks)(X)[0])
    tops = hill(A, peaks)(np.array([bounded_peak(A, p) for p in peaks]))[0]
    inside = ((peaks >= 0.0) & (peaks <= 1.0)).all(1)
    np.testing.assert_allclose(f[inside], tops[inside], atol=1e-5)
    if alone:
        np.testing.assert_allclose(f, tops, atol=2e-3)


def test_ascent_along_a_bound() -> None:
    A, peak = np.array([[1.0, 1.8], [1.8, 9.0]]), np.array([[1.4, -0.6]])
    start = np.array([[0.8, 0.8]])
    X, _ = ascend(hill(A, peak), start, np.zeros(2), np.ones(2), steps=200, max_step=0.2)
    np.testing.assert_allclose(X[0], bounded_peak(A, peak[0]), atol=0.01)  # (0.32, 0)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), d=st.integers(1, 4), steps=st.integers(0, 30))
def test_ascent_never_loses_and_stays_inside(seed: int, d: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    waves = rng.standard_normal((d, d)) * 8.0
    low, high = np.zeros(d), rng.uniform(0.1, 1.0, d)

    def wavy(X: Array) -> tuple[Array, Array]:
        inner = X @ waves
        return np.sin(inner).sum(1), np.cos(inner) @ waves.T

    starts = rng.random((6, d)) * high
    starts[0], starts[1] = low, high
    X, f = ascend(wavy, starts.copy(), low, high, steps=steps, max_step=0.2)
    assert ((low <= X) & (high >= X)).all()
    np.testing.assert_array_equal(f, wavy(X)[0])
    assert (f >= wavy(starts)[0] - 1e-12).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), d=st.integers(1, 4))
def test_rows_climb_alone(seed: int, d: int) -> None:
    """But for when all have arrived, which ends the climb of all."""
    rng = np.random.default_rng(seed)
    A = np.diag(rng.uniform(0.5, 3.0, d))
    peaks, starts = rng.uniform(-0.5, 1.5, (4, d)), rng.random((4, d))
    bounds = np.zeros(d), np.ones(d)
    _, together = ascend(hill(A, peaks), starts, *bounds, steps=40, max_step=0.2)
    for i in range(4):
        only = slice(i, i + 1)
        _, alone = ascend(hill(A, peaks[only]), starts[only], *bounds, steps=40, max_step=0.2)
        assert together[i] == pytest.approx(float(alone[0]), abs=1e-6)


def test_ascent_survives_where_there_is_no_score() -> None:
    def cliff(X: Array) -> tuple[Array, Array]:
        f = np.where(X[:, 0] > 0.6, np.nan, X[:, 0])
        return f, np.where(X > 0.6, np.nan, 1.0)

    X, f = ascend(cliff, np.array([[0.1], [0.55]]), np.zeros(1), np.ones(1), steps=40, max_step=0.2)
    assert np.isfinite(f).all()
    assert (X <= 0.6).all()
    assert (X >= 0.5).all()
