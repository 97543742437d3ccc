"""Fast-Slow GP-UCB: who plays, who learns, what a slow instance meets, and what it rules out."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput, InvalidState
from stoic.policies import FastSlowGPUCB, from_state
from stoic.schedules import Setting
from stoic.schedules.bogunovic2020 import FastSlowPaper, FastSlowTheory, met_by_slow, sampling

X = np.linspace(0.0, 1.0, 20)
KERNEL = stoic.SquaredExponential(0.2)
F = np.sin(5 * X)


def make(budget: float | None = 4.0, schedule: Any = "theory", **kwargs: Any) -> FastSlowGPUCB:
    assumptions = stoic.Assumptions(norm_bound=2.0, noise_std=0.1, budget=budget)
    chosen = {"schedule": schedule, "assumptions": assumptions, "horizon": 500, **kwargs}
    return FastSlowGPUCB(stoic.Arms(X), KERNEL, **chosen)


def played(policy: FastSlowGPUCB, rounds: int) -> FastSlowGPUCB:
    rng = np.random.default_rng(4)
    for _ in range(rounds):
        arm = policy.ask()
        policy.tell(arm, F[arm] + 0.1 * rng.standard_normal())
    return policy


def setting(budget: float | None, horizon: int | None = None) -> Setting:
    return Setting(stoic.Assumptions(budget=budget), lam=1.0, horizon=horizon)


def test_how_many_instances_and_how_often_they_play() -> None:
    assert sampling(setting(4.0)) == (0.75, 0.25)
    assert sampling(setting(0.0)) == sampling(setting(1.0)) == (1.0,)
    for T in (1, 2, 3, 8, 9, 20_000):
        probabilities = sampling(setting(None, T))
        assert len(probabilities) == max(math.ceil(math.log2(T)), 1)
        assert math.isclose(sum(probabilities), 1.0)
        assert probabilities[1:] == tuple(2.0**-ell for ell in range(2, len(probabilities) + 1))
    with pytest.raises(InvalidInput, match="horizon"):
        sampling(setting(None))


@pytest.mark.parametrize("budget", [4.0, None])
def test_instances_play_as_often_as_they_should(budget: float | None) -> None:
    policy = make(budget, seed=8)
    drawn = np.bincount([policy.drawn(t) for t in range(20_000)], minlength=9) / 20_000
    expected = np.zeros(9)
    probabilities = policy.schedule.probabilities(1)
    expected[: len(probabilities)] = probabilities
    assert np.abs(drawn - expected).max() < 0.015  # four standard deviations


def test_only_the_instance_that_plays_learns() -> None:
    policy = make()
    for t in range(60):
        before = [instance.mean.copy() for instance in policy.instances]
        number = policy.drawn(t)
        policy.tell(policy.ask(), 1.0 + t)
        for instance, mean in zip(policy.instances, before, strict=True):
            assert np.array_equal(instance.mean, mean) == (instance.number != number)
    assert min(instance.plays for instance in policy.instances) > 5


def test_a_slow_instance_meets_little_corruption() -> None:
    """The adversary spends C as it likes, before it knows which instance plays."""
    C, runs = 40.0, 400
    bound = met_by_slow(setting(C), 1.0)
    rng, met = np.random.default_rng(0), []
    for seed in range(runs):
        policy = make(C, seed=seed)
        left, total = C, 0.0
        for t in range(300):
            corruption = min(left, 1.0 if seed % 2 else rng.random())
            left -= corruption
            total += corruption if policy.drawn(t) == 1 else 0.0
        met.append(total)
    assert np.mean(np.array(met) > bound) <= 0.1 / 5
    assert max(met) > 3.0  # the bound is not idle
    assert met_by_slow(setting(2.0), 1.0) == 2.0  # no more than C


def test_fast_instances_play_no_arm_that_a_slower_one_rules_out() -> None:
    policy, ruled_out = make(budget=3.0, schedule="paper"), 0
    rng = np.random.default_rng(4)
    for t in range(400):
        arm, slow = policy.ask(), policy.instances[1]
        if policy.drawn(t) == 0 and slow.plausible.any():
            ruled_out += int(not slow.plausible.all())
            assert slow.plausible[arm]
        policy.tell(arm, F[arm] + 0.1 * rng.standard_normal())
    assert ruled_out > 100


def test_a_fooled_fast_instance_is_kept_from_the_worst_arms() -> None:
    """All payoffs of the fast one are turned round: alone, it would play the worst arm."""
    policy = make(budget=2.0, schedule=partial(FastSlowPaper, b=0.01))
    arms = []
    for t in range(400):
        arm = policy.ask()
        arms.append(arm)
        policy.tell(arm, -F[arm] if policy.drawn(t) == 0 else F[arm])
    fast = policy.instances[0]
    assert F[int(np.argmax(fast.mean))] < F.min() + 0.2
    late = [arm for t, arm in enumerate(arms) if t >= 300 and policy.drawn(t) == 0]
    assert F[late].min() > F.min() + 0.5


def test_theory_keeps_the_tightest_bounds() -> None:
    policy = make()
    tightest = [instance.bounds.copy() for instance in policy.instances]
    for _ in range(5):
        played(policy, 30)
        for instance, former in zip(policy.instances, tightest, strict=True):
            assert (instance.bounds[0] >= former[0]).all()
            assert (instance.bounds[1] <= former[1]).all()
            former[:] = instance.bounds


def test_widths_are_those_of_the_formulas() -> None:
    policy = played(make(), 40)
    B, R, delta, lam = 2.0, 0.1, 0.1 / 5, 1.0
    for instance, met in zip(
        policy.instances, (0.0, min(4.0, 3 + math.log(1 / delta))), strict=True
    ):
        logdet = instance.belief.posterior.logdet
        beta = B + R * math.sqrt(logdet + 2 * (1 + math.log(1 / delta)))
        assert math.isclose(instance.width, beta + met / math.sqrt(lam))
    wide = make(50.0, partial(FastSlowTheory, largest=2.0))
    narrow = make(50.0)
    step = wide.instances[1].width - narrow.instances[1].width
    assert math.isclose(step, math.log(50.0))


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_bounds_wider_than_the_payoffs_allow_are_refused(sign: float) -> None:
    state = dict(played(make(), 50).state())
    from_state(state)
    kept = np.array(state["memory/instance_1/kept"])
    kept[int(sign > 0)] += sign * 1e3
    with pytest.raises(InvalidState, match="no wider"):
        from_state({**state, "memory/instance_1/kept": kept})


def test_a_batch_is_what_would_be_asked_one_by_one_by_the_same_instances() -> None:
    policy = played(make(schedule="practical"), 60)
    batch = policy.ask(6)
    assert len(batch) == 6
    assert batch[0] == policy.ask()
    assert policy.ask(3) == batch[:3]
