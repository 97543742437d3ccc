"""Features that stay as they are: random Fourier and linear ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stoic
from helpers.worlds import linear
from reference.tofu import TOFU
from stoic.errors import InvalidInput
from stoic.features import LinearMap, RandomFourierMap
from stoic.policies import ATAGPUCB, MoMGPUCB

X = np.random.default_rng(0).random((40, 2))
KNOWN: dict[str, Any] = {
    "horizon": 150,
    "assumptions": stoic.Assumptions(moment_order=0.6, central_moment=2.0),
}


@pytest.mark.parametrize(
    "kernel",
    [
        stoic.SquaredExponential(0.3),
        stoic.SquaredExponential([0.3, 0.6]),
        stoic.Matern(2.5, 0.5),
        2.0 * stoic.Matern(0.5, 0.7),
        stoic.Matern(1e12, 0.4),
    ],
    ids=repr,
)
def test_random_features_approach_the_kernel(kernel: stoic.kernels.Kernel) -> None:
    exact = kernel(X, X)
    errors = []
    for m in (100, 10_000):
        phi = RandomFourierMap(kernel, 2, m, seed=5).full(X)
        assert phi.shape == (40, 2 * m)
        assert np.allclose((phi**2).sum(axis=1), kernel.diag(X), rtol=1e-12)
        errors.append(np.sqrt(np.mean((phi @ phi.T - exact) ** 2)) / exact.max())
    # the standard deviation of a mean of m cosines is at most 1/√m; hundredfold m, a tenth of it
    assert errors[0] < 1.0 / np.sqrt(100)
    assert errors[1] < 1.0 / np.sqrt(10_000)


def test_frequencies_follow_the_seed() -> None:
    kernel = stoic.SquaredExponential(0.3)
    one, same, other = (RandomFourierMap(kernel, 2, 7, seed=seed).full(X) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.allclose(one, other)


def test_few_frequencies_starve() -> None:
    """After many plays on one side, the variance is far too small on the other side."""
    arms = stoic.Arms(np.linspace(0, 1, 60))
    kernel = stoic.SquaredExponential(0.05)
    policy = ATAGPUCB(arms, kernel, features="rff", frequencies=3)
    exact = stoic.policies.GPUCB(arms, kernel)
    for t in range(400):
        policy.tell(t % 20, 0.0)
        exact.tell(t % 20, 0.0)
    assert exact.std[-1] ** 2 > 0.99
    assert policy.std.max() ** 2 < 0.2


def test_linear_features_are_the_kernel() -> None:
    for kernel in (stoic.Linear(), stoic.Linear(0.7), 3.0 * stoic.Linear(0.7)):
        phi = LinearMap(kernel, 2).full(X)
        assert phi.shape[1] == 2 + (kernel != stoic.Linear())
        assert np.allclose(phi @ phi.T, kernel(X, X), rtol=1e-14)


@pytest.mark.parametrize("lam", [1.0, 0.3])
def test_ata_on_linear_features_is_tofu(lam: float) -> None:
    world = linear()
    policy = ATAGPUCB(
        world.domain,
        world.kernel,
        lam=lam,
        horizon=150,
        features="linear",
        schedule="theory",
        assumptions=stoic.Assumptions(norm_bound=1.5, moment_order=0.6, raw_moment=2.0),
    )
    tofu = TOFU(world.domain.X, lam=lam, T=150, S=1.5, b=2.0, epsilon=0.6, delta=0.1)
    rng = np.random.default_rng(3)
    cut = False
    for t in range(150):
        index = tofu.index
        assert np.abs(policy.mean + policy.width * policy.std - index).max() < 1e-8
        assert np.abs(policy.mean - world.domain.X @ tofu.theta).max() < 1e-8
        arm = policy.ask() if t % 3 else int(rng.integers(20))  # some arms at random
        assert t % 3 == 0 or index[arm] >= index.max() - 1e-8
        payoff = float(world.f[arm] + rng.standard_t(2))
        policy.tell(arm, payoff)
        tofu.tell(arm, payoff)
        plain = np.linalg.solve(tofu.V, np.array(tofu.plays).T @ np.array(tofu.payoffs))
        cut = cut or bool(np.abs(plain - tofu.theta).max() > 1e-3)
    assert cut  # or truncation would not have been tested


def test_mom_on_a_linear_kernel_has_the_estimates_of_menu() -> None:
    """Shao et al. 2018, Algorithm 1: theta_j = V^-1 sum_i y_{i,j} x_i; then a median of its own."""
    world, plays = linear(), 5
    policy = MoMGPUCB(world.domain, world.kernel, schedule="theory", plays=plays, **KNOWN)
    rng = np.random.default_rng(8)
    V, sums = np.eye(3), np.zeros((plays, 3))
    for _ in range(20):
        arm = policy.ask()
        x = world.domain.X[arm]
        V += np.outer(x, x)
        for j in range(plays):
            y = float(world.f[arm] + rng.standard_t(2))
            policy.tell(arm, y)
            sums[j] += y * x
        theta = np.array([np.linalg.solve(V, row) for row in sums])
        assert np.abs(policy.mean - np.median(world.domain.X @ theta.T, axis=1)).max() < 1e-8


@pytest.mark.parametrize(
    ("features", "kernel"),
    [
        ("rff", stoic.Linear()),
        ("rff", stoic.SquaredExponential(0.3) + stoic.Linear()),
        ("linear", stoic.SquaredExponential(0.3)),
    ],
)
def test_refuses_other_kernels(features: str, kernel: stoic.kernels.Kernel) -> None:
    with pytest.raises(InvalidInput, match="nystrom"):
        ATAGPUCB(stoic.Arms(X), kernel, features=features)
    with pytest.raises(InvalidInput, match="frequencies"):
        ATAGPUCB(stoic.Arms(X), stoic.Matern(2.5, 0.2), features="rff", frequencies=0)
