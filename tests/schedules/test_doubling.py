"""Guess and double: against dense formulas of every play, and on functions of known norm."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import stoic
from helpers.worlds import Array, World, linear, near_duplicates
from reference import ALL, Constants
from stoic.errors import InvalidInput
from stoic.policies import ATAGPUCB, BKB, GPUCB, TGPUCB, MoMGPUCB, by_name
from stoic.schedules import Doubling, Progress
from stoic.schedules.calandriello2019 import BKBTheory
from stoic.schedules.chowdhury2017 import GPUCBTheory
from stoic.schedules.chowdhury2019 import QuadratureTheory, TGPUCBTheory
from stoic.schedules.park2024 import MoMGPUCBTheory

T, GUESS, NOISE = 150, 0.05, 0.2
SCHEDULES: dict[str, Any] = {"gp-ucb": GPUCBTheory, "bkb": BKBTheory}


def literal(K: Array, lam: float, plays: list[int], payoffs: list[float]) -> tuple[float, float]:
    """‖f̂‖ and the posterior std of ⟨f, f̂⟩/‖f̂‖, with a weight for each play."""
    at = np.array(plays, dtype=np.intp)
    gram = K[np.ix_(at, at)]
    weights = np.linalg.solve(gram + lam * np.eye(len(at)), np.array(payoffs))
    norm = float(np.sqrt(weights @ gram @ weights))
    covariance = gram - gram @ np.linalg.solve(gram + lam * np.eye(len(at)), gram)
    return norm, float(np.sqrt(weights @ covariance @ weights)) / norm


@pytest.mark.parametrize("lam", [1.0, 0.3])
@pytest.mark.parametrize("world", [linear(), near_duplicates()], ids=["linear", "se"])
@pytest.mark.parametrize("name", list(SCHEDULES))
def test_against_dense_formulas(name: str, world: World, lam: float) -> None:
    sketch: dict[str, Any] = {"q": 1e12} if name == "bkb" else {}
    everything: dict[str, Any] = {"include": lambda p: np.ones(len(p), dtype=bool), **sketch}
    constants = {"norm_bound": GUESS, "noise_std": NOISE, "delta": 0.1}
    make: Any = by_name(name)
    policy = make(
        world.domain,
        world.kernel,
        lam=lam,
        horizon=T,
        schedule=partial(Doubling, schedule=SCHEDULES[name]),
        assumptions=stoic.Assumptions(**constants),
        **sketch,
    )
    twin: Any = ALL[name.replace("-", "")]
    reference = twin(
        world.K,
        lam=lam,
        horizon=T,
        constants=Constants(**constants),
        **(everything if name == "bkb" else {}),
    )
    rng = np.random.default_rng(5)
    bounds = set()
    for t in range(T):
        bound = GUESS
        if t:
            norm, std = literal(world.K, lam, reference.plays, reference.payoffs)
            while True:  # double until the theorem with this bound allows so small a norm
                reference.constants = Constants(**{**constants, "norm_bound": bound})
                if norm - reference.width * std <= bound:
                    break
                bound *= 2.0
        reference.constants = Constants(**{**constants, "norm_bound": bound})
        bounds.add(bound)
        assert policy.width == pytest.approx(reference.width, rel=1e-8)
        arm = policy.ask()
        payoff = float(world.f[arm] + NOISE * rng.standard_normal())
        policy.tell(arm, payoff)
        reference.tell(arm, payoff)
    assert len(bounds) >= 2  # or doubling would not have been tested


FUNCTION = np.array([2.0, -1.0, 1.0])  # of norm 2.449: between 1.6 and 3.2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("kind", "schedule", "own"),
    [
        (GPUCB, GPUCBTheory, {}),
        (BKB, BKBTheory, {}),
        (TGPUCB, TGPUCBTheory, {}),
        (ATAGPUCB, QuadratureTheory, {"features": "linear"}),
    ],
    ids=["gp-ucb", "bkb", "tgp-ucb", "ata-gp-ucb"],
)
def test_ends_between_the_norm_and_its_double(
    kind: Any, schedule: Any, own: dict[str, Any], seed: int
) -> None:
    world, truth = linear(), float(np.linalg.norm(FUNCTION))
    f = world.domain.X @ FUNCTION
    wide = kind in (TGPUCB, ATAGPUCB)  # too wide to learn the norm in so few rounds
    policy = kind(
        world.domain,
        world.kernel,
        horizon=1000,
        schedule=partial(Doubling, schedule=schedule),
        assumptions=stoic.Assumptions(
            norm_bound=0.1, noise_std=NOISE, raw_moment=float(np.max(f**2)) + NOISE**2
        ),
        seed=seed,
        **own,
    )
    rng = np.random.default_rng(seed)
    for t in range(1000):
        if t % 10 == 9:
            assert policy.schedule.norm_bound(policy.progress) < 2.0 * truth
        arm = t % len(f)
        policy.tell(arm, float(f[arm] + NOISE * rng.standard_normal()))
    assert wide or policy.schedule.norm_bound(policy.progress) >= truth


def test_a_bound_that_holds_is_kept() -> None:
    world = linear()
    policy = GPUCB(
        world.domain,
        world.kernel,
        schedule=partial(Doubling, schedule=GPUCBTheory),
        assumptions=stoic.Assumptions(norm_bound=1.0, noise_std=NOISE),
    )
    rng = np.random.default_rng(0)
    for _ in range(300):
        arm = policy.ask()
        policy.tell(arm, float(world.f[arm] + NOISE * rng.standard_normal()))
        assert policy.schedule.norm_bound(policy.progress) == 1.0


def test_absurd_payoffs_and_other_policies() -> None:
    arms, kernel = stoic.Arms(np.eye(3)), stoic.Linear()
    assumptions = stoic.Assumptions(norm_bound=1.0, noise_std=1.0, central_moment=1.0)
    schedule = partial(Doubling, schedule=GPUCBTheory)
    policy = GPUCB(arms, kernel, schedule=schedule, assumptions=assumptions)
    for _ in range(100):
        policy.tell(0, 1e240)
    assert policy.ask() in range(3)
    restored = GPUCB.from_state(policy.state(), schedule=schedule)
    assert restored.width == policy.width
    medians = MoMGPUCB(
        arms,
        kernel,
        horizon=1000,
        plays=3,
        schedule=partial(Doubling, schedule=MoMGPUCBTheory),
        assumptions=assumptions,
    )
    with pytest.raises(InvalidInput, match="one column"):
        for _ in range(4):
            medians.tell(medians.ask(), 1.0)
    assert Doubling(policy.setting, GPUCBTheory).width(Progress(0, 0.0)) > 1.0
