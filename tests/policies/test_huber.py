"""Huber-GP-UCB: its steps are those of the paper, on the features that suit the kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import stoic
from helpers.worlds import NOISES, WORLDS, World
from reference.hubergpucb import HuberGPUCB as Literal
from stoic.errors import InvalidInput, TooManyFeatures
from stoic.estimators import FixedFeaturesBelief
from stoic.policies import HuberGPUCB

TOLERANCE = 1e-8  # relative where values exceed one
TIE = 1e-9
NU, TAU, EPS = 0.7, 0.1, 0.8
LINE = stoic.Arms(np.linspace(0, 1, 30))
SMOOTH = stoic.SquaredExponential(0.2)


class Known:
    """Constants that are known: ν, τ_0 and ε."""

    def width(self, now: Any) -> float:
        """Any width will do."""
        return beta(now.t)

    def truncation(self, t: int) -> float:
        """ν τ_0 t^{(1−ε)/(2(1+ε))}."""
        return float(NU * TAU * t ** ((1.0 - EPS) / (2.0 * (1.0 + EPS))))


def beta(t: int) -> float:
    return 1.0 + 0.2 * math.log(t + 1.0)


def twin(world: World, lam: float, features: str) -> Literal:
    grid = None
    if features == "qff":
        X = world.domain.X
        grid = ((X - X.min()) / np.ptp(X), 0.3 / np.ptp(X), 16)
    common: Any = {"lam": lam, "horizon": 1}
    return Literal(world.K, nu=NU, tau_0=TAU, eps=EPS, beta=beta, grid=grid, **common)


@pytest.mark.parametrize("noise", list(NOISES))
@pytest.mark.parametrize(
    ("where", "features", "lam"),
    [
        ("se", "qff", 1.0),
        ("se", "qff", 0.3),
        ("se", "exact", 1.0),
        ("matern", "exact", 0.3),
        ("matrix", "auto", 1.0),
    ],
)
def test_lockstep(where: str, features: str, lam: float, noise: str) -> None:
    world, rounds = WORLDS[where](), 1500  # beyond the first fresh solve, after 1024
    nodes = 16 if features == "qff" else None
    policy = HuberGPUCB(
        world.domain, world.kernel, lam=lam, schedule=Known(), features=features, nodes=nodes
    )
    literal = twin(world, lam, features)
    eps = NOISES[noise](np.random.default_rng(7), rounds)
    for t in range(rounds):
        arm, index = policy.ask(), literal.index
        assert index[arm] >= index.max() - TIE * max(1.0, abs(index.max()))
        for ours, theirs in ((policy.mean, literal.mean), (policy.std, literal.std)):
            off = np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))
            assert off.max() < TOLERANCE, f"round {t}"
        payoff = float(world.f[arm] + eps[t])
        policy.tell(arm, payoff)
        literal.tell(arm, payoff)
    assert 20 < literal.clipped < rounds - 20  # both parts of the loss were at work


def noisy(policy: HuberGPUCB, rounds: int, seed: int = 1) -> list[int]:
    rng = np.random.default_rng(seed)
    arms = []
    for _ in range(rounds):
        arms.append(policy.ask())
        policy.tell(arms[-1], math.sin(arms[-1] / 5.0) + rng.standard_t(2))
    return arms


@pytest.mark.parametrize("features", ["qff", "exact"])
def test_known_constants_resume_bit_by_bit(features: str) -> None:
    policy = HuberGPUCB(LINE, SMOOTH, schedule=Known(), features=features)
    noisy(policy, 60)
    again = HuberGPUCB.from_state(policy.state(), schedule=Known())
    assert noisy(policy, 60, seed=2) == noisy(again, 60, seed=2)
    assert np.array_equal(policy.mean, again.mean)


def test_both_kinds_of_features_give_the_same_estimates() -> None:
    one, other = (HuberGPUCB(LINE, SMOOTH, features=kind) for kind in ("qff", "exact"))
    rng = np.random.default_rng(3)
    for _ in range(300):
        arm, payoff = int(rng.integers(30)), float(rng.standard_t(1.5))
        one.tell(arm, payoff)
        other.tell(arm, payoff)
    assert np.abs(one.mean - other.mean).max() < 1e-7
    assert np.abs(one.std - other.std).max() < 1e-7
    assert one.width == pytest.approx(other.width, abs=1e-7)


class Searching(HuberGPUCB):
    """Searches its arms as it would very many."""

    many_arms = 1


def test_very_many_arms_give_the_same_estimates() -> None:
    kernel = stoic.Matern(2.5, 0.3)
    plain, searching = HuberGPUCB(LINE, kernel), Searching(LINE, kernel)
    rng = np.random.default_rng(4)
    for _ in range(80):
        arm, payoff = int(rng.integers(30)), float(rng.standard_t(1.5))
        plain.tell(arm, payoff)
        searching.tell(arm, payoff)
    assert np.abs(plain.mean - searching.mean).max() < 1e-7
    assert plain.ask() == searching.ask()


def test_fixed_features_where_they_suit() -> None:
    def fixed(domain: Any, kernel: Any, **own: Any) -> bool:
        return isinstance(HuberGPUCB(domain, kernel, **own).belief, FixedFeaturesBelief)

    box = stoic.Box([0.0, 0.0], [1.0, 1.0])
    assert fixed(LINE, SMOOTH)
    assert fixed(LINE, 2.0 * SMOOTH)
    assert fixed(box, stoic.SquaredExponential(0.5))
    assert not fixed(box, SMOOTH)  # 1682 features
    assert not fixed(LINE, SMOOTH, lam=1e-3)  # more digits than features have
    assert not fixed(LINE, stoic.Matern(2.5, 0.2))
    assert not fixed(stoic.Arms.matrix(np.eye(4)), None)


def test_nothing_is_kept_of_single_payoffs() -> None:
    policy = HuberGPUCB(LINE, SMOOTH)
    sizes = []
    for _ in range(3):
        noisy(policy, 400)
        state = policy.state().items()
        learned = "calibration"  # the noise: its memory is bounded
        sizes.append(sum(np.asarray(value).size for key, value in state if learned not in key))
    assert sizes[0] == sizes[1] == sizes[2]


@pytest.mark.parametrize("kernel", [stoic.Matern(2.5, 0.3), stoic.Linear()])
def test_refuses_quadrature_of_other_kernels(kernel: Any) -> None:
    with pytest.raises(InvalidInput, match=r"expected a SquaredExponential.*features='exact'"):
        HuberGPUCB(LINE, kernel, features="qff")


def test_refuses_too_many_features_and_unknown_schedules() -> None:
    with pytest.raises(TooManyFeatures, match="use features='exact'"):
        HuberGPUCB(stoic.Box([0.0] * 4, [1.0] * 4), stoic.SquaredExponential(0.3), features="qff")
    with pytest.raises(InvalidInput, match="expected schedule to be one of 'practical'"):
        HuberGPUCB(LINE, SMOOTH, schedule="theory")

    class OnlyWidth:
        def width(self, now: Any) -> float:
            return float(now.n)

    with pytest.raises(InvalidInput, match="truncation"):
        HuberGPUCB(LINE, SMOOTH, schedule=OnlyWidth())
