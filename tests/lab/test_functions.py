"""Functions on finite arms: by hand, by their norms, and the constants of the papers."""

from __future__ import annotations

import numpy as np
import pytest

from stoic.errors import InvalidInput
from stoic.lab.attacks import attacks
from stoic.lab.experiments.catalogue.bogunovic2022.worlds import F1
from stoic.lab.noise import ParetoPayoff, StudentT
from stoic.lab.problems import problems


def test_chowdhury2019_is_in_the_kernel_space() -> None:
    for seed in range(5):
        problem = problems.make({"kind": "rkhs-chowdhury2019", "scale": "none"}, seed=seed)
        X = problem.domain.X[:, 0]
        K = np.exp(-((X[:, None] - X[None]) ** 2) / (2 * 0.2**2))
        least = problem.f @ np.linalg.lstsq(K, problem.f, rcond=1e-12)[0]  # of interpolants
        assert problem.norm is not None
        assert np.sqrt(least) <= problem.norm * (1 + 1e-6)
        scaled = problems.make({"kind": "rkhs-chowdhury2019"}, seed=seed)
        assert np.abs(scaled.f).max() == pytest.approx(1.0)
        assert scaled.norm_bound == pytest.approx(1.0)
        np.testing.assert_allclose(scaled.f * np.abs(problem.f).max(), problem.f)
        unit = problems.make({"kind": "rkhs-chowdhury2019", "scale": "unit"}, seed=seed).f
        assert unit.min() == 0.0
        assert unit.max() == 1.0


def test_functions_differ_by_trial_unless_fixed() -> None:
    for kind in ("rkhs-chowdhury2019", "gp-sample"):
        first, second = (problems.make({"kind": kind}, seed=seed) for seed in (0, 1))
        assert not np.allclose(first.f, second.f)
        fixed = [problems.make({"kind": kind, "function": 0}, seed=seed).f for seed in (0, 1)]
        np.testing.assert_array_equal(fixed[0], fixed[1])
        np.testing.assert_array_equal(fixed[0], first.f)


def test_the_papers_constants() -> None:
    problem = problems.make({"kind": "rkhs-chowdhury2019"}, seed=0)
    assert problem.assumptions(StudentT(3.0)).raw_moment == pytest.approx(1.0**2 + 3.0)
    positive = problems.make({"kind": "rkhs-chowdhury2019", "coefficients": "positive"}, seed=0)
    assert positive.f.min() > 0.0
    found = positive.assumptions(ParetoPayoff(2.0), moment_order=0.9)
    assert found.raw_moment == pytest.approx(1.0**1.9 / (2**0.9 * 0.1))
    assert found.noise_std is None  # the variance is infinite


def test_park2024_by_hand() -> None:
    problem = problems.make({"kind": "rkhs-park2024"}, seed=4)
    assert len(problem.domain) == 1000
    assert problem.domain.X.min() == -10.0
    assert problem.domain.X.max() == 10.0
    assert problem.norm is not None
    assert problem.norm_bound <= problem.norm  # |f(x)| ≤ ‖f‖ k(x, x)
    amplitudes = [problems.make({"kind": "rkhs-park2024"}, seed=s).norm_bound for s in range(30)]
    assert 10.0 < np.median(amplitudes) < 100.0


def test_griewank_by_hand() -> None:
    plane = problems.make({"kind": "griewank"}, seed=0)
    assert len(plane.domain) == 400
    x, y = plane.domain.X[57]
    expected = 1 + (x * x + y * y) / 4000 - np.cos(x) * np.cos(y / np.sqrt(2))
    assert plane.f[57] == pytest.approx(expected)
    cloud = {"kind": "griewank", "dimension": 5, "points": 5000}
    five, other = (problems.make(cloud, seed=seed) for seed in (1, 2))
    assert five.domain.X.shape == (5000, 5)
    assert abs(five.domain.X.mean()) < 0.05
    assert five.domain.X.std() == pytest.approx(1.0, abs=0.02)
    assert not np.allclose(five.domain.X, other.domain.X)


def test_gp_samples_have_the_kernels_covariance() -> None:
    draws = np.array([problems.make({"kind": "gp-sample"}, seed=seed).f for seed in range(2000)])
    X = problems.make({"kind": "gp-sample"}, seed=0).domain.X
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / (2 * 0.5**2))
    assert np.abs(draws.T @ draws / len(draws) - K).max() < 0.16  # 4.5 std of a variance's error


def test_the_attacks_fit_f1() -> None:
    problem = problems.make({"kind": "gp-sample", "function": F1}, seed=0)
    assert problem.target is not None
    assert 0.0 < problem.optimum - problem.f[problem.target].max() < 1.0
    wish = attacks.make({"kind": "agg-sub", "budget": 50.0, "h_max": 1.0}).wish(
        problem, np.ones(100, dtype=bool)
    )
    assert problem.target[np.argmax(problem.f + wish)]  # the lure works


def test_bad_parameters() -> None:
    for wrong in ({"scale": "big"}, {"coefficients": "odd"}, {"kernel": "rbf"}, {"arms": 0}):
        with pytest.raises(InvalidInput):
            problems.make({"kind": "rkhs-chowdhury2019", **wrong}, seed=0)
