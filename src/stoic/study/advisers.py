"""Who suggests the next trial and draws conclusions: rebuilt from the log, never stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stoic.forks import importing
from stoic.optimize import Answer, Luckiest, Optimizer, Suspect, Trial
from stoic.randomness import generator
from stoic.report import Result
from stoic.study.definition import Problem

if TYPE_CHECKING:
    from stoic.policies import Policy

__all__ = ["Adviser", "Params", "Told", "adviser_of"]

Params = Mapping[str, Any]
Told = tuple[int, Params, float | None, str | None]  # number, parameters, value, reason


def adviser_of(problem: Problem, policy: Policy | None = None) -> Adviser:
    """The adviser of a problem; ``policy`` lends its schedule where that is no stored one."""
    if problem.policy is not None:
        with importing:  # policies take a quarter of a second
            from stoic.study.bandits import OfPolicy

        return OfPolicy(problem, policy)
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
