"""Attacks: formulas by hand, budgets that are never overspent, starts, and real policies."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import stoic
from stoic.errors import InvalidInput, UnknownName
from stoic.lab.attacks import AggSub, Attack, Clipping, Flip, TopK, attacks
from stoic.lab.problems import Problem
from stoic.policies import GPUCB, RGPPE, RGPUCB, Uniform
from stoic.policies.parts.ucb import UCBPolicy
from stoic.schedules import Assumptions
from stoic.schedules.bogunovic2022 import RGPPEPaper

F = np.array([0.2, 1.0, 0.4, -0.6, 0.9])
TARGET = np.array([False, False, True, True, False])


def make(f: Any = F, target: Any = TARGET) -> Problem:
    f = np.asarray(f, dtype=float)
    domain = stoic.Arms(np.linspace(0.0, 1.0, len(f)))
    return Problem(domain, stoic.SquaredExponential(0.1), f, 1.0, target=target)


def every(attack: Attack, problem: Problem) -> list[float]:
    """What a campaign of a large budget does to each arm."""
    campaign = attack.campaign(problem)
    return [campaign.corrupt(arm, None) for arm in range(len(problem.f))]


@dataclass(frozen=True)
class Anything(Attack):
    """Wishes whatever the test wishes."""

    wishes: tuple[float, ...] = ()

    def wish(self, problem: Problem, remaining: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.array(self.wishes)


# -- formulas -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        (Clipping(100.0), [-0.3, -1.1, 0.0, 0.0, -1.0]),  # down to 0.4 − 0.5
        (Clipping(100.0, delta=0.1), [0.0, -0.7, 0.0, 0.0, -0.6]),  # f(0) = 0.2 is below 0.3
        (AggSub(100.0, h_max=1.5), [-1.5, -1.5, 0.0, 0.0, -1.5]),
        (TopK(100.0, k=2), [0.0, -2.0, 0.0, 0.0, -1.9]),
        (TopK(100.0, k=3, level=0.5), [0.0, -0.5, 0.0, 0.0, -0.4]),  # the third is below 0.5
        (TopK(100.0, k=99), [-1.2, -2.0, -1.4, -0.4, -1.9]),
        (Flip(100.0), [-0.4, -2.0, -0.8, 1.2, -1.8]),
    ],
)
def test_the_formulas_by_hand(attack: Attack, expected: list[float]) -> None:
    assert every(attack, make()) == pytest.approx(expected, abs=1e-13)


def test_clipping_moves_the_optimum_into_the_target() -> None:
    perturbed = F + every(Clipping(100.0), make())
    assert int(np.argmax(perturbed)) == 2
    outside = perturbed[~TARGET]
    assert outside.max() == pytest.approx(0.4 - 0.5)


def test_an_optimum_within_the_target_is_not_refused() -> None:
    problem = make(target=np.array([False, True, True, False, False]))
    assert every(Clipping(100.0), problem) == pytest.approx([0.0, 0.0, 0.0, 0.0, -0.4])
    assert every(AggSub(100.0, h_max=1.0), problem) == [-1.0, 0.0, 0.0, -1.0, -1.0]


def test_ties_of_the_top_go_to_the_lowest_index() -> None:
    assert every(TopK(100.0, k=2), make([1.0, 1.0, 1.0])) == [-2.0, -2.0, 0.0]


def test_the_cut_of_the_last_corruption() -> None:
    campaign = AggSub(2.5, h_max=1.0).campaign(make())
    assert [campaign.corrupt(0, None) for _ in range(5)] == [-1.0, -1.0, -0.5, 0.0, 0.0]
    assert (campaign.spent, campaign.rounds, campaign.started) == (2.5, 3, True)


# -- budgets --------------------------------------------------------------------------------------

sizes = st.floats(-1e3, 1e3, allow_subnormal=True)
budgets = st.one_of(
    st.floats(0.0, 1e6), st.floats(0.0, 1e-300, allow_subnormal=True), st.sampled_from([0.1, 50.0])
)


@given(
    wishes=st.lists(sizes, min_size=1, max_size=6),
    plays=st.lists(st.integers(0, 5), max_size=60),
    budget=budgets,
)
@settings(max_examples=300, deadline=None)
def test_no_budget_is_overspent(wishes: list[float], plays: list[int], budget: float) -> None:
    campaign = Anything(budget, wishes=tuple(wishes)).campaign(make(wishes))
    given = [campaign.corrupt(arm % len(wishes), None) for arm in plays]
    # in exact arithmetic, and in floating point in either order
    assert sum(Fraction(abs(c)) for c in given) == Fraction(campaign.spent) <= Fraction(budget)
    assert sum(map(abs, given)) == sum(map(abs, reversed(given))) == campaign.spent
    assert campaign.rounds == sum(c != 0.0 for c in given)
    for arm, c in zip(plays, given, strict=True):
        wish = wishes[arm % len(wishes)]
        assert abs(c) <= abs(wish)
        assert c * wish >= 0.0
    if campaign.spent < budget:  # not cut, then: as wished but for the budget's last place
        wanted = [wishes[arm % len(wishes)] for arm in plays]
        assert np.allclose(given, wanted, rtol=0.0, atol=math.ulp(budget))


@given(
    f=st.lists(st.floats(-10.0, 10.0), min_size=2, max_size=8),
    kind=st.sampled_from(
        [
            {"kind": "clipping"},
            {"kind": "agg-sub", "h_max": 0.3},
            {"kind": "top-k", "k": 2},
            {"kind": "flip"},
        ]
    ),
    budget=st.floats(0.0, 20.0),
    data=st.data(),
)
@settings(max_examples=200, deadline=None)
def test_no_attack_overspends(
    f: list[float], kind: dict[str, Any], budget: float, data: st.DataObject
) -> None:
    target = np.arange(len(f)) < len(f) // 2
    campaign = attacks.make({**kind, "budget": budget}).campaign(make(f, target))
    plays = data.draw(st.lists(st.integers(0, len(f) - 1), max_size=80))
    given = [campaign.corrupt(arm, None) for arm in plays]
    assert sum(Fraction(abs(c)) for c in given) == Fraction(campaign.spent) <= Fraction(budget)


@pytest.mark.parametrize(
    "attack", [Clipping(7.3), AggSub(7.3, h_max=0.1), TopK(7.3, k=1), Flip(7.3)]
)
def test_a_long_attack_exhausts_its_budget(attack: Attack) -> None:
    campaign = attack.campaign(make())
    for _ in range(100):
        campaign.corrupt(1, None)
    assert campaign.spent == 7.3
    assert campaign.corrupt(1, None) == 0.0


# -- starts ---------------------------------------------------------------------------------------


def bounds(mean: list[float], std: list[float], width: float, t: int = 1) -> SimpleNamespace:
    return SimpleNamespace(t=t, mean=np.array(mean), std=np.array(std), width=width)


def test_later_waits_for_an_upper_bound_strictly_below_a_lower_bound() -> None:
    campaign = Flip(100.0, start="later").campaign(make([1.0, 2.0]))
    assert not campaign.started
    before_the_first_payoff = bounds([0.0, 9.0], [0.1, 0.1], 1.0, t=0)
    touching = bounds([0.0, 1.0], [0.5, 0.5], 1.0)
    apart = bounds([0.0, 1.0], [0.5, 0.5], 0.99)
    assert campaign.corrupt(0, before_the_first_payoff) == 0.0
    assert campaign.corrupt(0, touching) == 0.0
    assert (campaign.started, campaign.spent, campaign.rounds) == (False, 0.0, 0)
    assert campaign.corrupt(0, apart) == -2.0
    assert campaign.started
    assert campaign.corrupt(0, touching) == -2.0  # once begun, it goes on


def test_immediate_asks_nothing_of_the_policy() -> None:
    assert Flip(100.0).campaign(make()).corrupt(1, object()) == -2.0


def play(policy: Any, problem: Problem, attack: Attack, rounds: int) -> tuple[Any, list[int]]:
    """A run without noise; the campaign, and the rounds at which it struck."""
    campaign, struck = attack.campaign(problem), []
    for t in range(rounds):
        arm = policy.ask()
        c = campaign.corrupt(arm, policy)
        if c:
            struck.append(t)
        policy.tell(arm, float(problem.f[arm]) + c)
    return campaign, struck


ASSUMED = Assumptions(noise_std=0.02, budget=1.0)


@pytest.mark.parametrize("policy", [RGPUCB, GPUCB])
def test_later_with_bounds(policy: Callable[..., UCBPolicy]) -> None:
    problem = make(np.linspace(-0.2, 0.4, 5))
    made = partial(policy, problem.domain, problem.kernel, schedule="paper", assumptions=ASSUMED)
    bystander, first = made(lam=0.1), None
    for t in range(200):
        half_width = bystander.width * bystander.std
        out = (bystander.mean + half_width < (bystander.mean - half_width).max()).any()
        if out and t:
            first = t
            break
        arm = bystander.ask()
        bystander.tell(arm, float(problem.f[arm]))
    assert first is not None
    assert first > 1
    campaign, struck = play(made(lam=0.1), problem, TopK(1.0, k=5, start="later"), 200)
    assert struck[0] == first
    assert campaign.spent == 1.0
    _, at_once = play(made(lam=0.1), problem, TopK(1.0, k=5), 200)
    assert at_once[0] == 0


def test_later_with_eliminations() -> None:
    problem = make(np.linspace(-1.0, 1.0, 5))
    made = partial(RGPPE, problem.domain, problem.kernel, assumptions=ASSUMED, lam=0.1)
    schedule = partial(RGPPEPaper, beta=4.0)
    bystander, first = made(schedule=schedule), 0
    while bystander.active.all():
        arm = bystander.ask()
        bystander.tell(arm, float(problem.f[arm]))
        first += 1
    assert first > 2
    attack = AggSub(5.0, h_max=0.1, start="later")
    problem = make(problem.f, np.arange(5) < 0.5)
    campaign, struck = play(made(schedule=schedule), problem, attack, first + 50)
    assert struck[0] == first
    assert campaign.started


def test_a_policy_without_bounds_cannot_have_a_later_start() -> None:
    campaign = Flip(1.0, start="later").campaign(make())
    with pytest.raises(InvalidInput, match="start='immediate'"):
        campaign.corrupt(0, object())


def test_a_policy_with_bounds_of_no_width_is_met_after_its_first_payoff() -> None:
    problem = make()
    policy = Uniform(problem.domain, problem.kernel)
    _, struck = play(policy, problem, Flip(100.0, start="later"), 20)
    assert struck
    assert struck[0] >= 1


# -- Top-K follows --------------------------------------------------------------------------------


def test_top_k_follows_the_arms_that_remain() -> None:
    problem = make()
    campaign = TopK(1e3, k=2).campaign(problem)
    policy = SimpleNamespace(active=np.ones(5, dtype=bool))
    assert [campaign.corrupt(arm, policy) != 0.0 for arm in range(5)] == [0, 1, 0, 0, 1]
    policy.active &= np.array([True, False, True, True, True])  # in place, as RGP-PE does
    assert [campaign.corrupt(arm, policy) != 0.0 for arm in range(5)] == [0, 0, 1, 0, 1]
    policy.active &= np.array([False, False, False, True, False])
    assert [campaign.corrupt(arm, policy) != 0.0 for arm in range(5)] == [0, 0, 0, 1, 0]


def test_top_k_follows_rgp_pe() -> None:
    problem = make(np.linspace(-0.9, 1.0, 8))
    schedule = partial(RGPPEPaper, beta=0.3)
    policy = RGPPE(
        problem.domain, problem.kernel, schedule=schedule, assumptions=ASSUMED, lam=0.1, psi=0.5
    )
    campaign = TopK(40.0, k=2).campaign(problem)
    counts = set()
    while campaign.spent < 40.0:
        remaining = np.flatnonzero(policy.active)
        counts.add(len(remaining))
        arm = policy.ask()
        c = campaign.corrupt(arm, policy)
        assert (c != 0.0) == (arm in remaining[-2:])  # f grows with the arm
        policy.tell(arm, float(problem.f[arm]) + c)
    assert len(counts) > 1


def test_the_wish_is_made_once_for_each_set_of_arms() -> None:
    wished = []

    class Counting(TopK):
        def wish(self, problem: Problem, remaining: NDArray[np.bool_]) -> NDArray[np.float64]:
            wished.append(remaining.copy())
            return super().wish(problem, remaining)

    campaign = Counting(1e9, k=1).campaign(make())
    policy = SimpleNamespace(active=np.ones(5, dtype=bool))
    for arm in range(5):
        campaign.corrupt(arm, policy)
        campaign.corrupt(arm, None)
    policy.active[1] = False
    for arm in range(5):
        campaign.corrupt(arm, policy)
    assert len(wished) == 2


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", [Clipping(1.0), AggSub(1.0, h_max=1.0)])
@pytest.mark.parametrize(
    ("target", "says"),
    [
        (None, "got none; set Problem"),
        (np.zeros(5, dtype=bool), "got an empty one"),
        (np.ones(4, dtype=bool), "mask of 5 arms"),
        (np.ones(5), "mask of 5 arms"),
    ],
)
def test_a_lure_needs_a_target(attack: Attack, target: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        attack.campaign(make(target=target))


@pytest.mark.parametrize(
    "table",
    [
        {"kind": "flip", "budget": -1.0},
        {"kind": "flip", "budget": math.inf},
        {"kind": "flip", "budget": "much"},
        {"kind": "flip", "budget": 1.0, "start": "never"},
        {"kind": "flip"},
        {"kind": "clipping", "budget": 1.0, "delta": 0.0},
        {"kind": "agg-sub", "budget": 1.0},
        {"kind": "agg-sub", "budget": 1.0, "h_max": -1.0},
        {"kind": "top-k", "budget": 1.0, "k": 0},
        {"kind": "top-k", "budget": 1.0, "k": 1.5},
        {"kind": "top-k", "budget": 1.0, "k": 1, "level": math.nan},
    ],
)
def test_bad_parameters(table: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        attacks.make(table)


def test_an_unknown_attack_is_named() -> None:
    with pytest.raises(UnknownName, match="agg-sub, clipping, flip, top-k"):
        attacks.make({"kind": "bribery", "budget": 1.0})


@pytest.mark.parametrize("wishes", [(1.0,), (math.nan,) * 5, ((1.0,) * 5,) * 5])
def test_a_wish_is_one_finite_number_for_each_arm(wishes: Any) -> None:
    with pytest.raises(InvalidInput):
        Anything(1.0, wishes=wishes).campaign(make())


def test_a_strange_mask_of_active_arms() -> None:
    campaign = TopK(1.0, k=1).campaign(make())
    with pytest.raises(InvalidInput, match="mask of 5 arms"):
        campaign.corrupt(0, SimpleNamespace(active=np.ones(3, dtype=bool)))
