"""Very many arms: the same choices as with all figures of all arms, from those of few arms."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.checks import Array
from stoic.estimators import Limited
from stoic.many_arms import ManyArmsMean, ManyArmsPosterior, settings
from stoic.many_arms.blocks import Blocks
from stoic.many_arms.search import Search
from stoic.many_arms.settings import Settings
from stoic.testing import PolicySuite, PosteriorSuite

POLICIES: list[Any] = [
    stoic.policies.GPUCB,
    stoic.policies.TGPUCB,
    stoic.policies.CATGPUCB,
    stoic.policies.RGPUCB,
]
KERNELS: list[Any] = [
    stoic.SquaredExponential(0.3),
    stoic.Matern(2.5, 0.4),
    2.0 * stoic.Matern(0.5, 1.0) + stoic.Linear(0.5),
]
SMALL = Settings(block_size=64, anchors=8, followed=40)
ASSUMPTIONS = stoic.Assumptions(norm_bound=1.0, noise_std=0.3, raw_moment=1.0, budget=2.0)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and anchors few enough that all of it happens with few arms."""
    monkeypatch.setattr(settings, "DEFAULT", SMALL)


def pair(monkeypatch: pytest.MonkeyPatch, policy: Any, *args: Any, **kwargs: Any) -> list[Any]:
    """The policy the ordinary way, and the one for many arms."""
    ordinary = policy(*args, **kwargs)
    monkeypatch.setattr(policy, "many_arms", 1)
    many = policy(*args, **kwargs)
    assert not isinstance(ordinary.posterior, ManyArmsPosterior)
    assert isinstance(many.posterior, ManyArmsPosterior)
    return [ordinary, many]


def cube(arms: int, dimension: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).random((arms, dimension))


def payoff(x: Array, rng: np.random.Generator, scale: float) -> float:
    return float(scale * (np.sin(4 * x).sum() + 0.3 * rng.standard_t(3)))


def race(policies: list[Any], rounds: int, scale: float = 1.0) -> list[int]:
    """Play both against the same payoffs; they must choose alike."""
    ordinary, many = policies
    rng = np.random.default_rng(2)
    arms = []
    for t in range(rounds):
        arm = many.ask()
        assert arm == ordinary.ask(), t
        y = payoff(ordinary.domain.X[arm], rng, scale)
        ordinary.tell(arm, y)
        many.tell(arm, y)
        arms.append(arm)
    assert many.width == pytest.approx(ordinary.width, rel=1e-9)
    return arms


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("schedule", ["practical", "theory"])
def test_plays_what_the_ordinary_way_plays(
    monkeypatch: pytest.MonkeyPatch, policy: Any, schedule: str
) -> None:
    both = pair(
        monkeypatch,
        policy,
        stoic.Arms(cube(1500, 3)),
        stoic.SquaredExponential(0.4),
        schedule=schedule,
        assumptions=ASSUMPTIONS,
        horizon=120,
    )
    race(both, 120)
    ordinary, many = both
    assert many.mean == pytest.approx(ordinary.mean, abs=1e-9)
    assert many.std == pytest.approx(ordinary.std, abs=1e-9)
    assert many.recommend().arm == ordinary.recommend().arm
    assert many.recommend().interval == pytest.approx(ordinary.recommend().interval, abs=1e-9)
    X = cube(5, 3, seed=9)
    for one, other in zip(many.predict(X), ordinary.predict(X), strict=True):
        assert one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("lam", [1.0, 1e-3, 100.0])
def test_any_kernel_and_ridge(monkeypatch: pytest.MonkeyPatch, kernel: Any, lam: float) -> None:
    both = pair(monkeypatch, stoic.policies.TGPUCB, stoic.Arms(cube(900, 2)), kernel, lam=lam)
    race(both, 100)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_tiny_and_huge_payoffs(monkeypatch: pytest.MonkeyPatch, scale: float) -> None:
    arms = stoic.Arms(cube(600, 2))
    both = pair(monkeypatch, stoic.policies.TGPUCB, arms, stoic.SquaredExponential(0.3))
    race(both, 80, scale)


def test_an_outlier_moves_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    arms = stoic.Arms(cube(600, 2))
    both = pair(monkeypatch, stoic.policies.GPUCB, arms, stoic.SquaredExponential(0.3))
    race(both, 40)
    for policy in both:
        policy.tell(17, 1e6)
    race(both, 40)


def test_equal_arms_go_to_the_lowest_number(monkeypatch: pytest.MonkeyPatch) -> None:
    # Far apart: whatever was not played is exactly as good as anything else not played.
    X = np.random.default_rng(3).permutation(300.0 * np.arange(500))[:, None]
    both = pair(monkeypatch, stoic.policies.GPUCB, stoic.Arms(X), stoic.SquaredExponential(0.3))
    assert race(both, 20)[:10] == list(range(10))


def test_copies_and_near_copies_of_arms(monkeypatch: pytest.MonkeyPatch) -> None:
    X = cube(200, 2)
    X = np.vstack([X, X, X + 1e-9])
    ordinary, many = pair(
        monkeypatch, stoic.policies.GPUCB, stoic.Arms(X), stoic.SquaredExponential(0.3)
    )
    rng = np.random.default_rng(2)
    for _ in range(100):
        arm = many.ask()
        index = ordinary.mean + ordinary.width * ordinary.std
        assert index[arm] >= index.max() - 1e-12 * np.abs(index).max()
        y = payoff(X[arm], rng, 1.0)
        ordinary.tell(arm, y)
        many.tell(arm, y)


def test_arms_without_coordinates(monkeypatch: pytest.MonkeyPatch) -> None:
    X = cube(300, 2)
    arms = stoic.Arms.matrix(stoic.SquaredExponential(0.3)(X, X))
    race(pair(monkeypatch, stoic.policies.TGPUCB, arms), 80)


def test_few_arms_played_often_cost_no_more_and_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DEFAULT", replace(SMALL, spare_coordinates=10))
    both = pair(
        monkeypatch, stoic.policies.GPUCB, stoic.Arms(cube(40, 1)), stoic.SquaredExponential(0.5)
    )
    race(both, 300)
    many = both[1]
    assert len(many.posterior.factor) <= 2 * many.posterior.size + 11
    assert many.posterior.logdet == pytest.approx(both[0].posterior.logdet, abs=1e-9)


def test_batches_account_for_pending_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    arms = stoic.Arms(cube(600, 2))
    both = pair(monkeypatch, stoic.policies.GPUCB, arms, stoic.SquaredExponential(0.3))
    for _ in range(5):
        race(both, 15)
        ordinary, many = both
        before = json.dumps(_lists(many.state()))
        assert many.ask(12) == ordinary.ask(12)
        assert json.dumps(_lists(many.state())) == before


def test_a_small_part_of_all_arms_is_computed() -> None:
    points = cube(20_000, 2)
    posterior = ManyArmsPosterior(stoic.SquaredExponential(0.4), points, 1.0)
    mean = ManyArmsMean(posterior)
    search = Search(mean, posterior)
    rng = np.random.default_rng(2)
    for _ in range(100):
        arm = search.find(1.0, 1.0).arm
        limited = Limited(np.array([payoff(points[arm], rng, 1.0)]))
        mean.learn(arm, limited, posterior.observe(arm), posterior)
    before = search.computed_means
    for _ in range(50):
        arm = search.find(1.0, 1.0).arm
        limited = Limited(np.array([payoff(points[arm], rng, 1.0)]))
        mean.learn(arm, limited, posterior.observe(arm), posterior)
    assert search.computed_means - before < 0.02 * 50 * len(points)


def test_interpolation_leaves_what_it_says() -> None:
    kernel, points = stoic.Matern(1.5, 0.3), cube(100, 2)
    blocks = Blocks(kernel, points, 32, 6)
    assert sorted(set(blocks.arms.ravel().tolist())) == list(range(100))
    for arms, anchors, weights, rho in zip(
        blocks.arms, blocks.anchors, blocks.weights, blocks.rho, strict=True
    ):
        X, Z = points[arms], points[anchors]
        rest = kernel.diag(X) - 2 * (weights * kernel(X, Z)).sum(axis=1)
        rest += np.einsum("ij,jk,ik->i", weights, kernel(Z, Z), weights)
        assert rest == pytest.approx(rho**2, abs=1e-9)
    for point in cube(20, 2, seed=5):
        bound = blocks.max_kernel(point)
        assert (kernel(points, point[None])[blocks.arms][:, :, 0].max(axis=1) <= bound).all()


def test_too_many_arms_for_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoic.policies.GPUCB, "many_arms", 1)
    arms, kernel = stoic.Arms(cube(1000, 2)), stoic.SquaredExponential(0.3)
    monkeypatch.setattr(settings, "DEFAULT", replace(SMALL, memory=10_000))
    with pytest.raises(stoic.StoicError, match="expected arms whose bounds fit"):
        stoic.policies.GPUCB(arms, kernel)
    monkeypatch.setattr(settings, "DEFAULT", replace(SMALL, memory=200_000))
    policy = stoic.policies.GPUCB(arms, kernel)
    before = json.dumps(_lists(policy.state()))
    with pytest.raises(stoic.StoicError, match="expected arms whose bounds fit"):
        policy.tell(0, 1.0)
    assert json.dumps(_lists(policy.state())) == before


class TestManyArmsPolicy(PolicySuite):
    policy = stoic.policies.CATGPUCB

    @pytest.fixture(autouse=True)
    def many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(self.policy, "many_arms", 1)


class TestManyArmsPosterior(PosteriorSuite):
    tracks = False

    def make(self, points: Array, lam: float) -> Any:
        return ManyArmsPosterior(self.kernel, points, lam, Settings(block_size=4, anchors=2))


def _lists(state: dict[str, Any]) -> dict[str, Any]:
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in state.items()}
