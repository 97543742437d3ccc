"""The functions of the lower bound: norms, heights, optimal sets, payoffs."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import stoic
from stoic.errors import InvalidInput
from stoic.lab.problems import Problem, problems
from stoic.lab.problems.lower_bound import _shape, _zeta, bound_exponent, lower_bound

SETTINGS: list[dict[str, Any]] = [
    {"horizon": 500},
    {"horizon": 50_000},
    {"horizon": 5_000, "kernel": "matern"},
    {"horizon": 5_000, "kernel": "matern", "nu": 1.5, "lengthscale": 0.5},
    {"horizon": 1_000, "order": 0.4, "raw_moment": 3.0, "norm_bound": 2.0},
    {"horizon": 1_000, "lengthscale": 0.05, "norm_bound": 0.3},
]
each = pytest.mark.parametrize("setting", SETTINGS, ids=str)


def family(setting: dict[str, Any], arms: int = 100) -> list[Problem]:
    """f_1 … f_M, by trials that draw them."""
    found: dict[int, int] = {}
    for seed in count():
        problem = lower_bound(seed=seed, arms=1, **setting)  # one arm for each function
        found.setdefault(problem.best, seed)
        if len(found) == len(problem.f):
            break
    return [lower_bound(seed=found[j], arms=arms, **setting) for j in sorted(found)]


def interpolation_norm(problem: Problem) -> float:
    """√(f'K⁺f) over the directions that rounding leaves: never above ‖f‖."""
    X = problem.domain.X
    values, vectors = np.linalg.eigh(problem.kernel(X, X))
    sure = values > 1e-10 * values[-1]
    return float(np.sqrt(((vectors.T @ problem.f)[sure] ** 2 / values[sure]).sum()))


@each
def test_the_norm_is_within_the_bound_and_close_to_it(setting: dict[str, Any]) -> None:
    B = setting.get("norm_bound", 1.0)
    norms = [interpolation_norm(problem) for problem in family(setting, arms=300)]
    assert max(norms) <= B * (1.0 + 1e-9)
    assert max(norms) > 0.8 * B  # of the line's norm, [0, 1] sees most
    problem = lower_bound(seed=0, **setting)
    assert problem.norm == problem.norm_bound == B


@each
def test_the_maximum_is_an_arm_and_is_the_papers(setting: dict[str, Any]) -> None:
    functions = family(setting)
    M, T = len(functions), setting["horizon"]
    alpha, v = setting.get("order", 1.0), setting.get("raw_moment", 1.0)
    delta = 0.5 * (M / T) ** (alpha / (1 + alpha)) * v ** (1 / (1 + alpha))  # C = ½
    assert M >= 2
    assert delta <= 0.5 * v ** (1 / (1 + alpha))
    for j, problem in enumerate(functions):
        assert problem.optimum == pytest.approx(2 * delta, rel=1e-12)
        assert problem.domain.X[problem.best, 0] == pytest.approx((j + 0.5) / M, abs=1e-12)
        assert (problem.f < problem.optimum).sum() == len(problem.f) - 1
        assert np.abs(problem.f).max() <= problem.optimum
        assert len(problem.f) >= 100
        np.testing.assert_array_equal(problem.domain.X, functions[0].domain.X)


@each
def test_no_arm_is_nearly_optimal_for_two_functions(setting: dict[str, Any]) -> None:
    functions = family(setting, arms=2000)
    near = np.array([problem.f >= problem.optimum / 2 for problem in functions])
    assert near.sum(axis=0).max() == 1
    assert near.any(axis=1).all()


@each
def test_the_payoff_has_mean_f_and_moment_within_v(setting: dict[str, Any]) -> None:
    problem = lower_bound(seed=3, **setting)
    alpha, v = setting.get("order", 1.0), setting.get("raw_moment", 1.0)
    noise, f = problem.noise, problem.f
    assert noise is not None
    size = (v / problem.optimum) ** (1 / alpha)
    probability = np.abs(f) / size
    assert probability.max() <= 1.0
    np.testing.assert_allclose(noise.raw_moment(1.0, f), size * probability, rtol=1e-9)  # E|y|
    np.testing.assert_allclose(
        noise.raw_moment(1 + alpha, f), size ** (1 + alpha) * probability, rtol=1e-9
    )
    assert noise.raw_moment(1 + alpha, f).max() == pytest.approx(v, rel=1e-9)
    assert problem.constants == {"moment_order": alpha, "raw_moment": v}
    # what is paid
    draws = noise.draw(np.random.default_rng(0), 50_000)
    for arm in (problem.best, int(np.argmin(f))):
        paid = np.array([noise.payoff(float(f[arm]), arm, d) for d in draws.tolist()])
        assert set(np.abs(paid[paid != 0.0]).round(6)) <= {round(size, 6)}
        spread = size * np.sqrt(probability[arm] / len(draws))
        assert abs(paid.mean() - f[arm]) < 5 * spread + 1e-12


def test_the_maximum_pays_once_in_t_over_m_plays() -> None:
    problem = lower_bound(seed=0, horizon=1000)
    M = len(lower_bound(seed=0, horizon=1000, arms=1).f)
    probability = problem.optimum / (1.0 / problem.optimum)  # α = v = 1
    assert probability == pytest.approx(M / 1000)


def test_h_by_quadrature() -> None:
    def h(x: float) -> float:
        value, _ = quad(lambda u: np.exp(-1 / (1 - u * u)) * np.cos(u * x), 0, 1, epsabs=1e-13)
        return float(value)

    x = np.array([0.0, 0.7, 2.8, 6.5, 40.0])
    np.testing.assert_allclose(_shape(x), [h(z) / h(0.0) for z in x], rtol=0, atol=1e-11)
    assert _zeta() == pytest.approx(2.8053122643)
    beyond = _shape(np.linspace(_zeta(), 2000.0, 100_001))
    assert beyond.max() <= 0.5 + 1e-12


def test_the_trial_draws_among_all_functions() -> None:
    drawn = [lower_bound(seed=seed, horizon=5000, arms=1) for seed in range(300)]
    counts = np.bincount([problem.best for problem in drawn])
    assert len(counts) == len(drawn[0].f)
    assert counts.min() > 0.6 * 300 / len(counts)


@pytest.mark.parametrize("kernel", ["se", "matern"])
def test_a_longer_horizon_has_more_and_lower_functions(kernel: str) -> None:
    sizes, heights = [], []
    for horizon in (500, 5_000, 50_000, 500_000):
        problem = lower_bound(seed=0, horizon=horizon, kernel=kernel, arms=1)
        sizes.append(len(problem.f))
        heights.append(problem.optimum)
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[0]
    assert heights == sorted(heights, reverse=True)


def test_matern_heights_fall_at_the_rate_of_the_theorem() -> None:
    T = np.array([1e4, 1e5, 1e6, 1e7])
    regret = [t * lower_bound(seed=0, horizon=int(t), kernel="matern").optimum for t in T]
    slope = np.polyfit(np.log(T), np.log(regret), 1)[0]
    assert slope == pytest.approx(bound_exponent("matern"), abs=0.02)


@pytest.mark.parametrize(
    ("kernel", "nu", "order", "d", "expected"),
    [
        ("se", 2.5, 1.0, 1, 1 / 2),
        ("se", 2.5, 0.5, 3, 2 / 3),
        ("matern", 2.5, 1.0, 1, 3.5 / 6.0),
        ("matern", 1.5, 0.5, 2, 2.5 / 3.25),
        ("matern", 1e9, 0.5, 1, 2 / 3),
    ],
)
def test_the_exponents(kernel: str, nu: float, order: float, d: int, expected: float) -> None:
    assert bound_exponent(kernel, nu, order, d) == pytest.approx(expected)


@given(
    horizon=st.integers(50, 10**6),
    order=st.floats(0.05, 1.0),
    raw_moment=st.floats(0.1, 10.0),
    kernel=st.sampled_from(["se", "matern"]),
    nu=st.floats(0.5, 5.0),
    lengthscale=st.floats(0.05, 0.5),
    arms=st.integers(1, 150),
)
@settings(max_examples=60, deadline=None)
def test_any_setting_has_its_maximum_or_says_why_not(arms: int, **setting: Any) -> None:
    try:
        problem = lower_bound(seed=1, arms=arms, **setting)
    except InvalidInput as error:
        assert "two functions fit" in str(error)
        return
    limit = setting["raw_moment"] ** (1 / (1 + setting["order"]))
    assert 0.0 < problem.optimum <= limit
    assert len(problem.f) >= arms
    assert interpolation_norm(problem) <= 1.0 + 1e-6
    assert isinstance(problem.kernel, stoic.kernels.Kernel)


def test_it_is_registered() -> None:
    problem = problems.make({"kind": "lower-bound", "kernel": "matern"}, seed=2, horizon=700)
    np.testing.assert_array_equal(problem.f, lower_bound(seed=2, horizon=700, kernel="matern").f)
    assumed = problem.assumptions(problem.noise) if problem.noise else None
    assert assumed is not None
    assert (assumed.moment_order, assumed.raw_moment, assumed.norm_bound) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "setting",
    [
        {"horizon": 0},
        {"horizon": 100, "order": 1.5},
        {"horizon": 100, "order": 0.0},
        {"horizon": 100, "raw_moment": 0.0},
        {"horizon": 100, "norm_bound": -1.0},
        {"horizon": 100, "constant": 0.0},
        {"horizon": 100, "kernel": "cosine"},
        {"horizon": 100, "kernel": "matern", "nu": 0.0},
        {"horizon": 100, "lengthscale": 0.0},
        {"horizon": 100, "arms": 0},
    ],
)
def test_bad_input(setting: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        lower_bound(seed=0, **setting)


def test_no_room_is_said() -> None:
    with pytest.raises(InvalidInput, match="take a longer horizon"):
        lower_bound(seed=0, horizon=100, norm_bound=0.01)
