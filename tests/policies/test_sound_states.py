"""Saved states that are sound: rounding, however large, is never taken for damage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidState
from stoic.policies import by_name, names

KERNEL = stoic.SquaredExponential(0.5)
TWINS = np.random.default_rng(1).random((20, 1)).repeat(2, axis=0)
TWINS[::2] += 1e-9


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("lam", [1e-8, 1e-3, 1e6])
def test_hard_numbers_are_not_taken_for_damage(name: str, lam: float) -> None:
    """Near-duplicates, tiny and huge ridges, and payoffs of any size."""
    make: Any = by_name(name)
    for unit in (1.0, 1e-200, 1e235):
        policy = make(stoic.Arms(TWINS), stoic.SquaredExponential(0.3), lam=lam, seed=1)
        rng = np.random.default_rng(2)
        for t in range(120):
            arm = policy.ask()
            policy.tell(arm, unit * float(np.sin(9.0 * TWINS[arm, 0]) + rng.standard_t(1.5)))
            if t % 40 == 39:
                again = make.from_state(policy.state())
                assert again.ask() == policy.ask()


class Searching(stoic.policies.GPUCB):
    """GP-UCB that searches its arms as it would very many."""

    many_arms = 1


CENTRAL = stoic.Assumptions(central_moment=1.0)
CANCELLING: dict[str, tuple[Any, dict[str, Any]]] = {
    "one column": (stoic.policies.GPUCB, {}),
    "a sketch": (stoic.policies.BKB, {}),
    "two columns": (
        stoic.policies.MoMGPUCB,
        {"plays": 2, "schedule": "theory", "horizon": 100, "assumptions": CENTRAL},
    ),
    "many arms": (Searching, {}),
}


def cancelled(kind: str, big: float) -> Any:
    """A policy after payoffs of a few units, and ± ``big`` that cancel each other in the sums."""
    make, own = CANCELLING[kind]
    policy = make(stoic.Arms([[0.0, 0.0]]), KERNEL, **own)
    for payoff in (*np.sin(np.arange(12.0)).tolist(), big, big, -big, -big, 0.5, 0.5):
        policy.tell(0, payoff)
    return policy


@pytest.mark.parametrize("big", [1e15, 1e239])
@pytest.mark.parametrize("kind", CANCELLING)
def test_payoffs_that_cancel_are_not_taken_for_damage(kind: str, big: float) -> None:
    policy = cancelled(kind, big)
    sums = policy.state()["memory/estimator/sums"]
    assert np.abs(sums).max() < big / 1e6
    again = type(policy).from_state(policy.state())
    for payoff in (1.0, 2.0):
        policy.tell(0, payoff)
        again.tell(0, payoff)
    assert again.mean == policy.mean


@pytest.mark.parametrize("kind", CANCELLING)
def test_after_payoffs_that_cancel_a_tampered_mean_is_refused(kind: str) -> None:
    state = dict(cancelled(kind, 1e15).state())
    name = "memory/estimator/" + ("beta" if kind == "many arms" else "smoothed")
    for wrong in ({name: state[name] + 1e12}, {"memory/estimator/largest": 1e250}):
        with pytest.raises(InvalidState, match="damaged"):
            CANCELLING[kind][0].from_state({**state, **wrong})


@pytest.mark.parametrize("kind", CANCELLING)
def test_states_that_lack_the_largest_payoff_are_loaded(kind: str) -> None:
    """Earlier releases did not save it."""
    policy = cancelled(kind, 2.0)
    state = {k: v for k, v in policy.state().items() if k != "memory/estimator/largest"}
    assert CANCELLING[kind][0].from_state(state).mean == policy.mean
