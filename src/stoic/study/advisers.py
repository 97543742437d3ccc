"""Who suggests the next trial and draws conclusions: rebuilt from the log, never stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from stoic.errors import InvalidInput, OutOfPlan
from stoic.optimize import Answer, Luckiest, Optimizer, Result, Suspect, Trial
from stoic.policies import Policy, from_state
from stoic.randomness import generator
from stoic.spaces import Arms
from stoic.study.problem import Problem

__all__ = ["Adviser", "Told", "adviser_of"]

Params = Mapping[str, Any]
Told = tuple[int, Params, float | None, str | None]  # number, parameters, value, reason


def adviser_of(problem: Problem, policy: Policy | None = None) -> Adviser:
    """The adviser of a problem; ``policy`` lends its schedule where that is no stored one."""
    if problem.policy is not None:
        return _OfPolicy(problem, policy)
    return (_Random if problem.method == "random" else _OfOptimizer)(problem)


class Adviser(ABC):
    """A function of the log: told the same entries, it says the same."""

    needs_history = True  # whether suggestions depend on what was told

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @abstractmethod
    def take(self, number: int, params: Params, value: float | None, reason: str | None) -> None:
        """Take in an entry of the log; a failure has no value."""

    def take_all(self, told: Sequence[Told]) -> None:
        """Take in entries in order."""
        for each in told:
            self.take(*each)

    @abstractmethod
    def suggest(self, number: int, pending: Sequence[Params]) -> dict[str, Any]:
        """The configuration of trial ``number`` while others are under evaluation."""

    @abstractmethod
    def recommend(self) -> Answer:
        """The configuration to stand by."""

    @property
    @abstractmethod
    def luckiest(self) -> Luckiest:
        """The best measurement."""

    @abstractmethod
    def suspects(self) -> tuple[Suspect, ...]:
        """Measurements judged corrupt."""

    @property
    @abstractmethod
    def trials(self) -> tuple[Trial, ...]:
        """All entries of the log, in order."""

    def result(self) -> Result:
        """All conclusions at once."""
        known = any(not trial.failed for trial in self.trials)
        return Result(
            best=self.recommend() if known else None,
            luckiest=self.luckiest if known else None,
            suspects=self.suspects() if known else (),
            trials=self.trials,
            space=self.problem.space,
            direction=self.problem.direction,
            seed=self.problem.seed,
            objective=self.problem.objective,
        )


class _OfOptimizer(Adviser):
    """`stoic.Optimizer`, with the study's numbers on its trials."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._numbers: list[int] = []

    @cached_property
    def optimizer(self) -> Optimizer:
        """Made when it is needed: it takes half a second of imports."""
        problem = self.problem
        return Optimizer(problem.space, direction=problem.direction, seed=problem.seed)

    def take(self, number: int, params: Params, value: float | None, reason: str | None) -> None:
        self.take_all([(number, params, value, reason)])

    def take_all(self, told: Sequence[Told]) -> None:
        self.optimizer.tell_all([each[1:] for each in told])
        self._numbers += [each[0] for each in told]

    def suggest(self, number: int, pending: Sequence[Params]) -> dict[str, Any]:
        del number  # the history and what is pending tell it
        suggestion: dict[str, Any] = self.optimizer.ask(pending=pending)
        return suggestion

    def recommend(self) -> Answer:
        return self.optimizer.recommend()

    @property
    def luckiest(self) -> Luckiest:
        lucky = self.optimizer.luckiest
        return replace(lucky, trial=self._renumbered(lucky.trial))

    def suspects(self) -> tuple[Suspect, ...]:
        return tuple(replace(s, trial=self._numbers[s.trial]) for s in self.optimizer.suspects())

    @property
    def trials(self) -> tuple[Trial, ...]:
        return tuple(map(self._renumbered, self.optimizer.trials))

    def _renumbered(self, trial: Trial) -> Trial:
        return replace(trial, number=self._numbers[trial.number])


class _Random(_OfOptimizer):
    """Uniform draws; the optimiser is asked for conclusions only."""

    needs_history = False

    def suggest(self, number: int, pending: Sequence[Params]) -> dict[str, Any]:
        del pending
        space = self.problem.space
        quantiles = generator(self.problem.seed, number).random((1, len(space)))
        return space.decode(space.fill(quantiles)[0])


class _OfPolicy(Adviser):
    """A bandit policy.

    Policies with a plan (plays of one arm, of one epoch) want its arms and no others. Parallel
    workers tell in any order, and a study takes all that comes. What is out of plan is held
    back, in order, until a plan wants that arm. Where all of a plan is under way, the next one
    is foreseen by a copy that is told what the policy expects. A failure is told as the worst
    value so far; before there is one, it counts as under way, so that another arm is tried.
    """

    def __init__(self, problem: Problem, policy: Policy | None) -> None:
        super().__init__(problem)
        assert problem.policy is not None
        custom = problem.policy.get("shared/schedule") == "custom"
        if custom and policy is None:
            raise InvalidInput(
                "expected policy=… beside a study whose policy has a schedule of its own; give it"
            )
        self._schedule = policy.schedule if custom and policy is not None else None
        self.policy = from_state(problem.policy, schedule=self._schedule)
        self._sign = 1.0 if problem.direction == "maximize" else -1.0
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
        place = 0
        while place < len(self._held):  # each payoff that is taken may change the plan
            arm, payoff = self._held[place]
            if arm not in refused:
                try:
                    self.policy.tell(self._shown(arm), payoff)
                except OutOfPlan:
                    refused.add(arm)
                else:
                    del self._held[place]
                    refused.clear()
                    place = 0
                    continue
            place += 1

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
            policy = self._foreseen(policy, batch)
            for arm in batch:  # each of them is under way
                waiting.remove(arm)

    def _foreseen(self, policy: Policy, plan: list[Any]) -> Policy:
        """A copy of the policy as it will be after a plan that goes as expected."""
        copy = from_state(policy.state(), schedule=self._schedule)
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
        return dict(zip(self.problem.space.names, arm, strict=True))

    def recommend(self) -> Answer:
        if self._worst is None:
            raise InvalidInput("expected at least one trial with a value, got none; tell one first")
        arm, value, (low, high) = self.policy.recommend()
        ends = sorted((self._sign * low, self._sign * high))
        key = self._key(arm)
        return Answer(
            self._params(key), self._sign * value, (ends[0], ends[1]), self._measured[key]
        )

    @property
    def luckiest(self) -> Luckiest:
        answer = self.recommend()
        told = [trial for trial in self._trials if trial.value is not None]
        best = max(told, key=lambda trial: self._sign * (trial.value or 0.0))
        if best.params == answer.params:
            return Luckiest(best, "the answer is this arm; its estimate counts all of its plays")
        return Luckiest(best, "not the answer: the policy trusts estimates, not single payoffs")

    def suspects(self) -> tuple[Suspect, ...]:
        return ()

    @property
    def trials(self) -> tuple[Trial, ...]:
        return tuple(self._trials)
