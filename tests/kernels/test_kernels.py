"""Kernels against scikit-learn's, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process import kernels as sk

import stoic
from stoic.kernels import Kernel, Product, Scaled, Sum

X = np.random.default_rng(0).normal(size=(20, 3))
Z = np.random.default_rng(1).normal(size=(7, 3))

PAIRS: list[tuple[Kernel, Any]] = [
    (stoic.SquaredExponential(0.7), sk.RBF(0.7)),
    (stoic.SquaredExponential([0.5, 1.0, 2.0]), sk.RBF([0.5, 1.0, 2.0])),
    (stoic.Linear(), sk.DotProduct(sigma_0=0.0)),
    (stoic.Linear(bias=4.0), sk.DotProduct(sigma_0=2.0)),
    (2.5 * stoic.Matern(1.5, 0.9), 2.5 * sk.Matern(0.9, nu=1.5)),
    (
        stoic.Matern(2.5, 0.9) + stoic.SquaredExponential(0.3) * stoic.Linear(1.0),
        sk.Matern(0.9, nu=2.5) + sk.RBF(0.3) * sk.DotProduct(1.0),
    ),
]
PAIRS += [
    (stoic.Matern(nu, 0.8), sk.Matern(0.8, nu=nu))
    for nu in (0.1, 0.5, 0.8, 1.5, 2.0, 2.5, 3.7, 10.0, 40.0, 79.0)
]
PAIRS += [(stoic.Matern(1.3, [0.5, 1.0, 2.0]), sk.Matern([0.5, 1.0, 2.0], nu=1.3))]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda k: str(k)[:40])
def test_agrees_with_scikit_learn(ours: Kernel, theirs: Any) -> None:
    assert ours(X, Z) == pytest.approx(theirs(X, Z), rel=1e-11, abs=1e-12)
    assert ours.diag(X) == pytest.approx(theirs.diag(X), rel=1e-13)
    assert np.diag(ours(X, X)) == pytest.approx(ours.diag(X), rel=1e-13)


@pytest.mark.parametrize("kernel", [pair[0] for pair in PAIRS], ids=lambda k: str(k)[:40])
def test_state_round_trip(kernel: Kernel) -> None:
    again = Kernel.from_state(kernel.state())
    assert again == kernel
    assert np.array_equal(again(X, Z), kernel(X, Z))


@pytest.mark.parametrize("nu", [79.9, 80.1, 200.0, 1e4, 1e8])
def test_rough_order_goes_over_into_smooth(nu: float) -> None:
    # Matérn tends to the squared exponential, with an error of order 1/ν
    r = np.linspace(0, 4, 30)[:, None]
    error = stoic.Matern(nu, 1.0)(r, r) - stoic.SquaredExponential(1.0)(r, r)
    assert np.abs(error).max() < 0.5 / nu + 1e-9


def test_no_jump_where_the_expansion_takes_over() -> None:
    r = np.linspace(0, 20, 200)[:, None]
    below, above = stoic.Matern(80.0, 1.0)(r, r), stoic.Matern(80.0 + 1e-9, 1.0)(r, r)
    assert below == pytest.approx(above, abs=1e-11)


@given(
    nu=st.floats(0.05, 500),
    lengthscale=st.floats(1e-6, 1e6),
    points=st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8),
)
def test_matern_is_a_correlation_and_positive_semidefinite(
    nu: float, lengthscale: float, points: list[float]
) -> None:
    x = np.array(points)[:, None]
    K = stoic.Matern(nu, lengthscale)(x, x)
    assert np.isfinite(K).all()
    assert (K >= 0).all()
    assert (K <= 1).all()
    assert np.linalg.eigvalsh(K)[0] > -1e-10


def test_near_duplicates_keep_their_digits() -> None:
    x = np.array([[0.3], [0.3 + 1e-9]])
    expected = math.exp(-((x[1, 0] - x[0, 0]) ** 2) / 2e-16)
    assert stoic.SquaredExponential(1e-8)(x, x)[0, 1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: stoic.SquaredExponential(0.0),
        lambda: stoic.SquaredExponential(-1.0),
        lambda: stoic.SquaredExponential(1e-300),
        lambda: stoic.SquaredExponential(math.nan),
        lambda: stoic.SquaredExponential([]),
        lambda: stoic.SquaredExponential([[1.0]]),  # type: ignore[list-item]
        lambda: stoic.SquaredExponential("a"),  # type: ignore[arg-type]
        lambda: stoic.SquaredExponential([1.0, 0.0]),
        lambda: stoic.Matern(0.0, 1.0),
        lambda: stoic.Matern(math.inf, 1.0),
        lambda: stoic.Linear(-1.0),
        lambda: 0.0 * stoic.Linear(),
        lambda: Scaled(3, 1.0),  # type: ignore[arg-type]
        lambda: Sum(stoic.Linear(), None),  # type: ignore[arg-type]
        lambda: Product("x", stoic.Linear()),  # type: ignore[arg-type]
        lambda: stoic.MatrixKernel([[1.0, 2.0]]),
        lambda: stoic.MatrixKernel([[1.0, 0.5], [0.0, 1.0]]),
        lambda: stoic.MatrixKernel([[1.0, 2.0], [2.0, 1.0]]),
        lambda: stoic.MatrixKernel([[math.nan]]),
        lambda: stoic.MatrixKernel([["a"]]),  # type: ignore[list-item]
        lambda: stoic.Arms.matrix([[1.0, 2.0], [3.0]]),
        lambda: Kernel.from_state({"type": "Nonsense"}),
        lambda: Kernel.from_state({"type": "Matern", "nu": 2.5}),
    ],
)
def test_refuses(make: Any) -> None:
    with pytest.raises(stoic.StoicError, match=r"expected|does not fit"):
        make()


def test_checks_points_against_itself() -> None:
    with pytest.raises(stoic.StoicError, match="one per lengthscale"):
        stoic.SquaredExponential([1.0, 2.0]).check(X)
    with pytest.raises(stoic.StoicError, match="arm numbers"):
        stoic.MatrixKernel(np.eye(3)).check(X)
    with pytest.raises(stoic.StoicError, match="rescale"):
        stoic.SquaredExponential(1e-90).check(1e20 * X)
