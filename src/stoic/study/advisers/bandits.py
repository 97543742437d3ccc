"""Bandit policies as advisers of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

import stoic  # stoic.policies is imported when it is used: it takes a quarter of a second
from stoic.errors import InvalidInput, OutOfPlan
from stoic.forks import importing
from stoic.optimize import Answer, Luckiest, Suspect, Trial
from stoic.spaces import Arms
from stoic.study.advisers.adviser import Adviser, Params
from stoic.study.definition import Definition

if TYPE_CHECKING:
    from stoic.policies import Policy

__all__ = ["PolicyAdviser"]


class PolicyAdviser(Adviser):
    """A bandit policy.

    Some policies plan ahead (several plays of one arm, or of one epoch) and accept payoffs of
    planned arms only. Parallel workers report in any order. A payoff that is not planned is held
    back until a plan contains its arm. Where all arms of a plan are under evaluation, a copy of
    the policy is given the values that the policy expects, and the copy makes the next plan. A
    failure counts as the worst value so far. Before there is a value, a failed arm counts as
    under evaluation, so that another arm is tried.
    """

    def __init__(self, definition: Definition, policy: Policy | None) -> None:
        super().__init__(definition)
        assert definition.policy is not None
        custom = definition.policy.get("shared/schedule") == "custom"
        if custom and policy is None:
            raise InvalidInput(
                "expected policy=… for a study whose policy has a schedule of its own; give it"
            )
        self._schedule = policy.schedule if custom and policy is not None else None
        with importing:
            from_state = stoic.policies.from_state
        self.policy = from_state(definition.policy, schedule=self._schedule)
        self._sign = 1.0 if definition.direction == "maximize" else -1.0
        self._trials: list[Trial] = []
        self._held: list[tuple[Any, float]] = []  # out of plan
        self._crashed: list[Any] = []  # before any value
        self._worst: float | None = None
        self._measured: Counter[Any] = Counter()

    def take(self, number: int, params: Params, value: float | None, reason: str | None) -> None:
        arm = self._arm(params)
        self._trials.append(Trial(number, params, value, reason))
        if value is None:
            if self._worst is None:
                self._crashed.append(arm)
            else:
                self._tell(arm, self._worst)
            return
        payoff = self._sign * value
        self._worst = payoff if self._worst is None else min(payoff, self._worst)
        self._measured[arm] += 1
        self._tell(arm, payoff)
        crashed, self._crashed = self._crashed, []
        for other in crashed:
            self._tell(other, self._worst)

    def _tell(self, arm: Any, payoff: float) -> None:
        self._held.append((arm, payoff))
        refused: set[Any] = set()
        i = 0
        while i < len(self._held):  # each accepted payoff may change the plan
            arm, payoff = self._held[i]
            if arm not in refused:
                try:
                    self.policy.tell(self._shown(arm), payoff)
                except OutOfPlan:
                    refused.add(arm)
                else:
                    del self._held[i]
                    refused.clear()
                    i = 0
                    continue
            i += 1

    def suggest(self, number: int, pending: Sequence[Params]) -> dict[str, Any]:
        del number
        waiting = [*map(self._arm, pending), *self._crashed]
        policy = self.policy
        while True:
            counts = Counter(waiting)
            batch = [self._key(arm) for arm in policy.ask(len(waiting) + 1)]
            for arm in batch:
                if not counts[arm]:
                    return self._params(arm)
                counts[arm] -= 1
            policy = self._predicted(policy, batch)
            for arm in batch:  # each is under evaluation
                waiting.remove(arm)

    def _predicted(self, policy: Policy, plan: list[Any]) -> Policy:
        """A copy of the policy after its plan, with the expected payoffs."""
        copy = deepcopy(policy)
        for arm in plan:
            arms = isinstance(policy.domain, Arms)
            copy.tell(self._shown(arm), float(policy.mean[arm]) if arms else self._typical)
        return copy

    @property
    def _typical(self) -> float:
        values = [trial.value for trial in self._trials[-100:] if trial.value is not None]
        return self._sign * float(np.median(values)) if values else 0.0

    def _arm(self, params: Params) -> Any:
        return params["arm"] if isinstance(self.policy.domain, Arms) else tuple(params.values())

    def _key(self, arm: Any) -> Any:
        return int(arm) if isinstance(self.policy.domain, Arms) else tuple(arm.tolist())

    def _shown(self, arm: Any) -> Any:
        return arm if isinstance(self.policy.domain, Arms) else np.array(arm)

    def _params(self, arm: Any) -> dict[str, Any]:
        if isinstance(self.policy.domain, Arms):
            return {"arm": arm}
        return dict(zip(self.definition.space.names, arm, strict=True))

    def recommend(self) -> Answer:
        if self._worst is None:
            raise InvalidInput("expected at least one trial with a value, got none; tell one first")
        arm, value, (low, high) = self.policy.recommend()
        ends = sorted((self._sign * low, self._sign * high))
        key = self._key(arm)
        return Answer(
            self._params(key),
            self._sign * value,
            (ends[0], ends[1]),
            self._measured[key],
            target="mean",
        )

    @property
    def luckiest(self) -> Luckiest:
        answer = self.recommend()
        measured = [trial for trial in self._trials if trial.value is not None]
        best = max(measured, key=lambda trial: self._sign * (trial.value or 0.0))
        if best.params == answer.params:
            return Luckiest(best, f"the answer is this arm, estimated at {answer.value:.4g}")
        if not isinstance(self.policy.domain, Arms):
            return Luckiest(best, "not the answer: the policy recommends by its estimates")
        own = self._sign * float(self.policy.mean[self._arm(best.params)])
        words = f"its own estimate is {own:.4g}, against {answer.value:.4g} for the answer"
        return Luckiest(best, f"not the answer: {words}")

    def suspects(self) -> tuple[Suspect, ...]:
        return ()

    @property
    def trials(self) -> tuple[Trial, ...]:
        return tuple(self._trials)
