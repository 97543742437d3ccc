"""RCGP-UCB: weights by the formula, bounded influence, any units, states with wrong weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stoic
from helpers.worlds import WORLDS, Array
from reference import RCGPUCB as Reference
from stoic.errors import InvalidState
from stoic.estimators.weighting import weighed
from stoic.policies import RCGPUCB

X = np.linspace(0, 1, 40)
KERNEL = stoic.SquaredExponential(0.15)


def played(payoffs: Array, scale: float = 1.0, shift: float = 0.0) -> RCGPUCB:
    """A policy after so many rounds on a sine, with additions."""
    policy = RCGPUCB(stoic.Arms(X), KERNEL)
    for y in payoffs:
        arm = policy.ask()
        policy.tell(arm, shift + scale * float(np.sin(5 * X[arm]) + y))
    return policy


def heavy(rounds: int) -> Array:
    """Noise of infinite variance."""
    return 0.3 * np.random.default_rng(4).standard_t(1.5, rounds)


@pytest.mark.parametrize("u", [-30.0, -0.4, 0.0, 1e-9, 0.7, 5.0, 1e6])
def test_weights_and_targets_are_those_of_the_formula(u: float) -> None:
    inner, c, std = 2.0, 1.5, 0.8

    def w(y: float) -> float:
        return float(std / np.sqrt(2.0) * (1.0 + (y - inner) ** 2 / c**2) ** -0.5)

    y, h = inner + u, 1e-5 * max(1.0, abs(u))
    target, weight = weighed(y, inner, c, std)
    assert 1.0 / weight == pytest.approx(std**2 / (2.0 * w(y) ** 2), rel=1e-12)  # J_w
    slope = (np.log(w(y + h) ** 2) - np.log(w(y - h) ** 2)) / (2.0 * h)
    assert y - target == pytest.approx(std**2 * slope, rel=1e-5, abs=1e-9)  # m_w − m


@pytest.mark.parametrize("c", [0.0, 1e-300, 1.0, 1e200, np.inf])
def test_weights_are_finite_whatever_the_scale(c: float) -> None:
    for y in (0.0, 1.0, -1e240, 1e240):
        target, weight = weighed(y, 0.0, c, min(c, 1e200))
        assert abs(target) <= abs(y) + 1e201
        assert 0.0 < weight <= 1.0


@pytest.mark.parametrize("where", list(WORLDS))
@pytest.mark.parametrize("unit", [1.0, 1e-150, 1e100])
def test_practical_follows_its_reference_in_any_units(where: str, unit: float) -> None:
    """Near-duplicates, tiny and huge scales, absurd payoffs: whole history, dense solves."""
    world = WORLDS[where]()
    policy = RCGPUCB(world.domain, world.kernel, lam=0.7)
    reference = Reference(world.K, lam=0.7, horizon=250, schedule="practical")
    noise = np.random.default_rng(8).standard_t(1.7, 250)
    noise[[3, 60, 61, 150]] = 1e7, -1e30, 1e9, 1e40
    for t in range(250):
        arm = policy.ask()
        index = reference.index / unit
        if t >= 2:  # before, widths of 1e6 leave few digits
            assert index[arm] >= index.max() - 1e-9 * max(1.0, abs(index.max())), f"round {t}"
        y = unit * float(world.f[arm] + noise[t])
        policy.tell(arm, y)
        reference.tell(arm, y)
        if t >= 10:  # the third payoff is absurd, and so are means until more have come
            for ours, theirs in (
                (policy.mean / unit, reference.mean / unit),
                (policy.std, reference.std),
                (policy.width / unit, reference.width / unit),
            ):
                assert np.abs(ours - theirs).max() < 1e-8 * max(1.0, np.abs(theirs).max()), t


def test_estimates_are_equivariant() -> None:
    plain = played(heavy(400))
    for scale, shift in ((1e6, 1e9), (1e-7, -3.0), (2.0, 0.5)):
        moved = played(heavy(400), scale, shift)
        assert (moved.mean - shift) / scale == pytest.approx(plain.mean, abs=1e-5)
        assert moved.std == pytest.approx(plain.std, abs=1e-9)


@pytest.mark.parametrize("absurd", [1e9, -1e100, 1e240])
def test_one_absurd_payoff_has_no_influence_of_its_own(absurd: float) -> None:
    noise = heavy(200)
    policy = played(noise)
    before = policy.mean, policy.std
    policy.tell(policy.ask(), absurd)
    # the location may move by one rank, and with it all estimates a little
    assert np.abs(policy.mean - before[0]).max() < 0.02
    assert np.abs(policy.std - before[1]).max() < 1e-9


def test_a_play_of_an_outlier_leaves_the_std_as_it_was_but_other_plays_do_not() -> None:
    policy = played(heavy(200))
    arm = policy.ask()
    std = float(policy.std[arm])
    policy.tell(arm, 1e12)
    assert policy.std[arm] == pytest.approx(std, abs=1e-9)
    policy.tell(arm, float(policy.mean[arm]))
    assert policy.std[arm] < std - 1e-5


def test_arms_that_always_crash_do_not_raise_the_noise_level_of_all() -> None:
    """Such an arm is played until its limit has doubled often enough; that is not noise."""
    x, rng = np.linspace(0, 1, 100), np.random.default_rng(5)
    policy = RCGPUCB(stoic.Arms(x), stoic.SquaredExponential(0.03))
    crashes = np.arange(100) % 10 == 5
    for y in 0.3 * rng.standard_normal(400):
        arm = policy.ask()
        policy.tell(arm, -1e4 if crashes[arm] else float(np.sin(5 * x[arm]) + y))
    assert policy.posterior.counts[crashes].max() > 5
    assert policy.limiter.noise < 1.0


def test_cost_does_not_grow_with_the_rounds() -> None:
    sizes = []
    for rounds in (1500, 3000):
        state = played(heavy(rounds)).state()
        sizes.append(sum(np.asarray(part).nbytes for part in state.values()))
    assert sizes[1] < 1.5 * sizes[0]


@pytest.mark.parametrize(
    "wrong", [lambda w: w + 1.0, lambda w: 0.0 * w, lambda w: -w, lambda w: 1.001 * w]
)
def test_states_with_other_weights_are_refused(wrong: Any) -> None:
    state = dict(played(heavy(120)).state())
    assert RCGPUCB.from_state(state).t == 120
    name = "memory/posterior/weights"
    with pytest.raises(InvalidState):
        RCGPUCB.from_state({**state, name: wrong(state[name])})


def test_a_batch_on_a_box_has_distinct_points() -> None:
    policy = RCGPUCB(stoic.Box([0.0], [1.0]), KERNEL)
    for t in range(15):
        point = policy.ask()
        policy.tell(point, 1e9 if t == 7 else float(np.sin(5 * point[0])))
    batch = policy.ask(4)
    assert len(np.unique(batch.round(6), axis=0)) == 4
    assert abs(float(policy.predict(batch)[0].max())) < 10.0
