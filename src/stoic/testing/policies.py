"""Conformance tests of policies."""

from __future__ import annotations

import json
import math
from typing import Any, ClassVar

import numpy as np
import pytest

import stoic
from stoic.policies import Policy

__all__ = ["PolicySuite"]

_BAD_PAYOFFS: list[Any] = [
    math.nan,
    math.inf,
    -math.inf,
    None,
    "1.0",
    b"1",
    True,
    np.bool_(True),
    1j,
    10**400,
    [1.0],
    np.array([1.0, 2.0]),
    {},
]
_BAD_ARMS: list[Any] = [-1, 12, 1.5, True, None, "0", math.nan, 10**30, [0], np.array([0, 1])]


class PolicySuite:
    """Checks of the contract of :class:`stoic.policies.Policy`.

    Attributes
    ----------
    policy
        The class under test.
    own
        Its own constructor arguments.
    shift_free
        Whether the practical schedule must be invariant to scale and offset of payoffs.
    """

    policy: ClassVar[type[Policy]]
    own: ClassVar[dict[str, Any]] = {}
    shift_free: ClassVar[bool] = True

    X = np.linspace(0.0, 1.0, 12)

    def make(self, **kwargs: Any) -> Policy:
        """A policy on twelve arms."""
        options = {**self.own, **kwargs}
        return self.policy(stoic.Arms(self.X), stoic.SquaredExponential(0.2), **options)

    def make_on_box(self, **kwargs: Any) -> Policy:
        """A policy on a rectangle."""
        box = stoic.Box([0.0, -1.0], [1.0, 1.0])
        return self.policy(box, stoic.SquaredExponential(0.5), **{**self.own, **kwargs})

    def play(
        self, policy: Policy, rounds: int, scale: float = 1.0, shift: float = 0.0
    ) -> list[Any]:
        """Play against a sine with heavy-tailed noise; the arms played."""
        rng = np.random.default_rng(5)
        arms = []
        for _ in range(rounds):
            arm = policy.ask()
            where = self.X[arm] if isinstance(arm, int) else float(np.sum(arm))
            arms.append(arm)
            policy.tell(arm, shift + scale * (math.sin(5 * where) + 0.3 * rng.standard_t(3)))
        return arms

    def test_asks_arms_of_the_domain_and_asking_changes_nothing(self) -> None:
        policy = self.make()
        for _ in range(40):
            before = json.dumps(_as_json(policy.state()))
            arm = policy.ask()
            assert isinstance(arm, int)
            assert 0 <= arm < len(self.X)
            assert policy.ask() == arm
            batch = policy.ask(3)
            assert isinstance(batch, list)
            assert 1 <= len(batch) <= 3
            assert all(isinstance(a, int) and 0 <= a < len(self.X) for a in batch)
            assert batch[0] == arm
            assert json.dumps(_as_json(policy.state())) == before
            policy.tell(arm, math.sin(arm))

    def test_shows_finite_figures(self) -> None:
        policy = self.make()
        self.play(policy, 60)
        assert policy.t == 60
        assert policy.mean.shape == policy.std.shape == (len(self.X),)
        assert np.isfinite(policy.mean).all()
        assert (policy.std >= 0).all()
        assert math.isfinite(policy.width)
        choice = policy.recommend()
        low, high = choice.interval
        assert low <= choice.value <= high
        assert 0 <= choice.arm < len(self.X)

    def test_runs_on_a_box(self) -> None:
        policy = self.make_on_box()
        assert isinstance(policy.domain, stoic.Box)
        for _ in range(14):
            point = policy.ask()
            assert np.array_equal(point, policy.ask())
            assert policy.domain.point(point).shape == (2,)
            batch = policy.ask(2)
            assert batch.ndim == 2
            assert np.array_equal(batch[0], point)
            policy.tell(point, -float(((point - 0.3) ** 2).sum()))
        again = self.policy.from_state(policy.state())
        assert np.array_equal(again.ask(), policy.ask())
        policy.domain.point(policy.recommend().arm)

    @pytest.mark.parametrize("stop", [0, 1, 7, 33])
    def test_a_restored_policy_goes_on_bit_by_bit(self, stop: int) -> None:
        policy = self.make()
        self.play(policy, stop)
        text = json.dumps(_as_json(policy.state()))
        restored = self.policy.from_state(json.loads(text))
        assert self.play(policy, 40) == self.play(restored, 40)
        assert json.dumps(_as_json(policy.state())) == json.dumps(_as_json(restored.state()))

    @pytest.mark.parametrize("payoff", _BAD_PAYOFFS, ids=repr)
    def test_a_bad_payoff_is_refused_and_changes_nothing(self, payoff: Any) -> None:
        policy = self.make()
        self.play(policy, 3)
        before = json.dumps(_as_json(policy.state()))
        with pytest.raises(stoic.StoicError, match="expected"):
            policy.tell(policy.ask(), payoff)
        assert json.dumps(_as_json(policy.state())) == before

    @pytest.mark.parametrize("arm", _BAD_ARMS, ids=repr)
    def test_a_bad_arm_is_refused_and_changes_nothing(self, arm: Any) -> None:
        policy = self.make()
        self.play(policy, 3)
        before = json.dumps(_as_json(policy.state()))
        with pytest.raises(stoic.StoicError, match="expected"):
            policy.tell(arm, 1.0)
        assert json.dumps(_as_json(policy.state())) == before

    def test_survives_extreme_and_constant_payoffs(self) -> None:
        for payoffs in ([1e308, -1e308, 1e308], [0.0], [1e-320, -1e-320], [1e12, 1e12 + 1]):
            policy = self.make()
            for t in range(40):
                policy.tell(policy.ask(), payoffs[t % len(payoffs)])
            assert np.isfinite(policy.mean).all()
            assert math.isfinite(policy.width)
            assert 0 <= policy.ask() < len(self.X)

    def test_works_with_one_arm_and_with_duplicates(self) -> None:
        for X in ([0.5], [0.5, 0.5, 0.5]):
            policy = self.policy(stoic.Arms(X), stoic.SquaredExponential(0.3), **self.own)
            for t in range(30):
                policy.tell(policy.ask(), float(t % 3))
            assert np.isfinite(policy.mean).all()

    def test_practical_is_invariant_to_units(self) -> None:
        if not self.shift_free:
            pytest.skip("this policy does not claim it")
        base = self.play(self.make(), 150)
        for scale, shift in ((1e6, 1e9), (1e-9, 0.0), (3.0, -1e4), (1e-3, 1.0)):
            assert self.play(self.make(), 150, scale, shift) == base


def _as_json(state: dict[str, Any]) -> dict[str, Any]:
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in state.items()}
