"""Constants of the papers' experiments and theorems, against their formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput
from stoic.features import QuadratureMap
from stoic.policies import ATAGPUCB, MoMGPUCB
from stoic.schedules import Progress
from stoic.schedules.chowdhury2019 import theorem_nodes

X = np.random.default_rng(0).random((9, 2))
KERNEL = stoic.Matern(2.5, 0.5)
KNOWN: dict[str, Any] = {
    "horizon": 500,
    "assumptions": stoic.Assumptions(
        norm_bound=1.5, moment_order=0.7, raw_moment=2.5, central_moment=1.2, delta=0.05
    ),
}


def nystrom(seed: int = 0, schedule: str = "paper", **own: Any) -> ATAGPUCB:
    domain = own.pop("domain", stoic.Arms(X))
    return ATAGPUCB(domain, KERNEL, schedule=schedule, seed=seed, **KNOWN, **own)


@pytest.mark.parametrize(("t", "m"), [(1, 1), (7, 3), (400, 40)])
def test_released_nystrom_constants(t: int, m: int) -> None:
    schedule: Any = nystrom(lam=0.25).schedule
    log, growth = math.log((m + 1) * 500), t ** (0.3 / 3.4)
    assert schedule.truncation(t, m) == pytest.approx((2.5 / log) ** (1 / 1.7) * growth)
    width = 1.5 * 0.5 + math.sqrt(m) * 2.5 ** (1 / 1.7) * log ** (0.7 / 1.7) * growth
    assert schedule.width(Progress(t, logdet=1.0, features=m)) == pytest.approx(width)
    assert schedule.inclusion() == pytest.approx(math.log(500) / 0.1**2)


def test_the_released_nystrom_code_starts_at_random() -> None:
    first = [nystrom(seed).ask() for seed in range(200)]
    assert np.bincount(first, minlength=9).min() > 5
    assert first == [nystrom(seed).ask(3)[0] for seed in range(200)]
    policy = nystrom(3)
    assert policy.ask() == ATAGPUCB.from_state(policy.state()).ask() == first[3]
    policy.tell(policy.ask(), 1.0)
    assert policy.ask() == int(np.argmax(policy.mean + policy.width * policy.std))


def test_a_random_start_lies_in_the_box() -> None:
    box = stoic.Box([2.0, -1.0], [3.0, 5.0])
    first = np.array([nystrom(seed, domain=box).ask() for seed in range(50)])
    assert (first >= [2.0, -1.0]).all()
    assert (first <= [3.0, 5.0]).all()
    assert first.std(axis=0) == pytest.approx(np.array([1.0, 6.0]) / math.sqrt(12), rel=0.3)


@pytest.mark.parametrize("own", [{"schedule": "theory"}, {"features": "qff"}])
def test_other_schedules_start_alike_for_every_seed(own: dict[str, Any]) -> None:
    arms, kernel = stoic.Arms(X[:, :1]), stoic.SquaredExponential(0.5)
    given = {"schedule": "paper", **KNOWN, **own}
    assert len({ATAGPUCB(arms, kernel, seed=seed, **given).ask() for seed in range(20)}) == 1


@pytest.mark.parametrize("schedule", ["theory", "paper"])
def test_the_length_of_an_episode_depends_on_delta_prime_alone(schedule: str) -> None:
    def policy(**own: Any) -> MoMGPUCB:
        return MoMGPUCB(stoic.Arms(X), KERNEL, schedule=schedule, **(KNOWN | own))

    assert policy().repeats == math.ceil(8 * math.log(2 * 500 / 0.1))
    assert policy(delta_prime=0.8).repeats == math.ceil(8 * math.log(2 * 500 / 0.8))
    other = stoic.Assumptions(
        norm_bound=1.5, moment_order=0.7, raw_moment=2.5, central_moment=1.2, delta=0.9
    )
    assert policy(assumptions=other).repeats == policy().repeats
    assert policy(assumptions=other).width < policy().width == policy(delta_prime=0.8).width


@pytest.mark.parametrize("wrong", [0.0, -1.0, 1.5, math.nan, "a", None])
def test_delta_prime_is_a_probability(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="delta_prime"):
        MoMGPUCB(stoic.Arms(X), KERNEL, delta_prime=wrong)


def test_states_keep_the_length_of_their_episodes() -> None:
    policy = MoMGPUCB(stoic.Arms(X), KERNEL, schedule="theory", delta_prime=0.5, **KNOWN)
    for _ in range(policy.repeats + 3):
        policy.tell(policy.ask(), 1.0)
    assert MoMGPUCB.from_state(policy.state()).repeats == policy.repeats
    early = MoMGPUCB(stoic.Arms(X), KERNEL, schedule="theory", delta_prime=0.05, **KNOWN).state()
    del early["options/delta_prime"]  # a state with one δ for both, 0.05 in the assumptions
    assert MoMGPUCB.from_state(early).repeats == math.ceil(8 * math.log(2 * 500 / 0.05))


def test_the_nodes_of_theorem_3() -> None:
    """m̄ ≥ 2 log_{4/e}(T³) and m̄ > 1/ℓ²; the error that it is for is below rounding."""
    assert theorem_nodes(20_000, 0.2) == math.ceil(6 * math.log(20_000) / (2 * math.log(2) - 1))
    assert theorem_nodes(10, 0.125) == 65
    assert 456.0**-6 > np.finfo(float).eps / 2 > 457.0**-6
    kernel, X = stoic.SquaredExponential(0.2), np.linspace(0, 1, 50)[:, None]
    errors = []
    for nodes in (None, theorem_nodes(20_000, 0.2)):
        phi = QuadratureMap(kernel, np.zeros(1), np.ones(1), nodes).full(X)
        errors.append(float(np.abs(phi @ phi.T - kernel(X, X)).max()))
    assert 1e-14 < errors[0] < 1e-9
    assert errors[1] < 1e-13
