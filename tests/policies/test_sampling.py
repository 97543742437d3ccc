"""Policies on a sampled dictionary against their references, in distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stoic
from helpers.worlds import near_duplicates, plane
from reference import ALL, Constants
from stoic.policies import by_name

RUNS, T = 300, 25
CONSTANTS = Constants(norm_bound=1.0, raw_moment=2.0, noise_std=0.5)
CASES = [
    ("bkb", "bkb", {}, "paper", 0.8),
    ("bkb", "bkb", {}, "theory", 0.5),
    ("bbkb", "bbkb", {}, "paper", 0.8),
    ("ata-gp-ucb", "atagpucb", {"features": "nystrom"}, "paper", 0.9),
    ("ata-gp-ucb", "atagpucb", {"features": "nystrom"}, "theory", 0.9),
]


@pytest.mark.parametrize(("name", "twin", "own", "schedule", "q"), CASES)
def test_same_law(name: str, twin: str, own: dict[str, Any], schedule: str, q: float) -> None:
    world = plane()
    arms = np.random.default_rng(0).integers(0, 6, T)  # few arms: many replicates
    payoffs = world.f[arms] + 0.5 * np.random.default_rng(1).standard_normal(T)
    ours, theirs = [], []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)

        def include(p: np.ndarray[Any, Any], rng: np.random.Generator = rng) -> Any:
            return rng.random(len(p)) < p

        make: Any = by_name(name)
        policy: Any = make(
            world.domain,
            world.kernel,
            horizon=T,
            schedule=schedule,
            assumptions=stoic.Assumptions(**CONSTANTS.__dict__),
            seed=seed,
            q=q,
            **own,
        )
        literal: Any = ALL[twin]
        reference: Any = literal(
            world.K,
            lam=1.0,
            horizon=T,
            schedule=schedule,
            constants=CONSTANTS,
            q=q,
            include=include,
            **own,
        )
        for arm, payoff in zip(arms.tolist(), payoffs.tolist(), strict=True):
            policy.tell(arm, payoff)
            reference.tell(arm, payoff)
        ours.append([policy.posterior.size, *policy.std[:8], *policy.mean[:8]])
        theirs.append([len(reference.dictionary), *reference.std[:8], *reference.mean[:8]])
    a, b = np.array(ours), np.array(theirs)
    assert np.ptp(a[:, 0]) > 0  # the dictionary does vary
    # means agree within five standard errors, and so do the spreads within a quarter
    error = np.sqrt((a.var(axis=0) + b.var(axis=0)) / RUNS)
    assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) <= 5 * error + 1e-9).all()
    assert a.std(axis=0) == pytest.approx(b.std(axis=0), rel=0.25, abs=2e-3)


def test_accuracy_of_the_sketch() -> None:
    # calandriello2019 Thm 1 (a): σ²/a ≤ σ̃² ≤ a·σ² with a = (1+ε)/(1−ε) = 3
    world = near_duplicates()
    for seed in range(20):
        options: dict[str, Any] = {
            "horizon": 200,
            "assumptions": stoic.Assumptions(noise_std=1.0),
            "seed": seed,
        }
        bkb: Any = stoic.policies.BKB(world.domain, world.kernel, schedule="theory", **options)
        gp: Any = stoic.policies.GPUCB(world.domain, world.kernel, schedule="theory", **options)
        rng = np.random.default_rng(seed)
        for _ in range(200):
            arm = bkb.ask()
            y = float(world.f[arm] + rng.standard_normal())
            bkb.tell(arm, y)
            gp.tell(arm, y)
            ratio = bkb.std**2 / gp.std**2
            assert ratio.max() <= 3.0
            assert ratio.min() >= 1 / 3.0


@pytest.mark.parametrize("name", ["bkb", "bbkb", "ata-gp-ucb"])
def test_draws_that_last(name: str) -> None:
    X = np.linspace(0, 1, 300)
    domain, kernel = stoic.Arms(X), stoic.SquaredExponential(0.2)
    rng = np.random.default_rng(5)
    make: Any = by_name(name)
    policy: Any = make(domain, kernel, seed=3)
    exact = stoic.policies.GPUCB(domain, kernel)
    changes, before = 0, ()
    for _ in range(400):
        arm = int(rng.integers(300))
        payoff = float(np.sin(6 * X[arm]) + 0.5 * rng.standard_normal())
        policy.tell(arm, payoff)
        exact.tell(arm, payoff)
        dictionary = tuple(policy.posterior.map.dictionary.tolist())
        changes += dictionary != before
        before = dictionary
    assert 0 < changes < 100
    assert (policy.posterior.counts[list(before)] > 0).all()
    assert len(before) < np.count_nonzero(policy.posterior.counts) / 4
    # calandriello2019 Thm 1 (a), with a = 3
    assert (policy.std <= np.sqrt(3.0) * exact.std + 1e-9).all()
    assert (policy.std >= exact.std / np.sqrt(3.0) - 1e-9).all()
