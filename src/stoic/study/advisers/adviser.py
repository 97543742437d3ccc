"""Advisers suggest the next trial and draw conclusions; they are rebuilt from the study's log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from stoic.errors import InvalidInput
from stoic.optimize import Answer, FinalsRecord, Luckiest, Suspect, Trial, Verdict
from stoic.optimize.answers import Explanation
from stoic.optimize.finals.settling import Room
from stoic.report import Result
from stoic.study.definition import Definition

__all__ = ["Adviser", "LeftOut", "Mark", "Observation", "Params"]

Params = Mapping[str, Any]
Observation = tuple[int, Params, float | None, str | None]  # trial, its parameters, value, reason


@dataclass(frozen=True)
class Mark:
    """An entry of the log that is no outcome: finals begin, or end where ``evaluations`` is 0."""

    evaluations: int
    contenders: tuple[Params, ...] = ()


class LeftOut(NamedTuple):
    """An outcome of a trial that is excluded: the trial is finished, and nothing is known of it."""

    trial: int


class Adviser(ABC):
    """Suggests trials as a function of the log: the same entries give the same suggestions."""

    needs_history = True  # whether suggestions depend on the log

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.excluded = 0  # outcomes

    @abstractmethod
    def take(self, number: int, params: Params, value: float | None, reason: str | None) -> None:
        """Take in an entry of the log; a failure has no value."""

    def take_all(self, observations: Sequence[Observation]) -> None:
        """Take in entries in order."""
        for observation in observations:
            self.take(*observation)

    def leave_out(self, number: int) -> None:
        """Take in that an outcome of a trial is excluded."""
        self.excluded += 1
        del number

    def mark(self, mark: Mark) -> None:
        """Take in a mark of the log."""
        raise InvalidInput(f"expected no {mark} in this study; it has no finals")

    def take_log(self, entries: Sequence[Observation | Mark | LeftOut]) -> None:
        """Take in a part of the log: outcomes, excluded ones and marks, in order."""
        outcomes: list[Observation] = []
        for entry in entries:
            if isinstance(entry, Mark):
                self.take_all(outcomes)
                self.mark(entry)
                outcomes = []
            elif isinstance(entry, LeftOut):
                self.leave_out(entry.trial)
            else:
                outcomes.append(entry)
        self.take_all(outcomes)

    # -- finals: of optimisers alone ----------------------------------------------------------

    @property
    def finals(self) -> tuple[int, int] | None:
        """Of the present finals: finished trials when they began, and planned evaluations."""
        return None

    def contenders(self, evaluations: int) -> list[dict[str, Any]]:
        """Who would take part in finals that began now; fewer than two if there can be none."""
        del evaluations
        return []

    def measurements_needed(self, least: int, most: int) -> int:
        """How many of each contender the finals need to show that the answer is better."""
        del least
        return most

    def settled(self) -> bool:
        """Whether another measurement would hardly improve the answer."""
        return False

    def room(self) -> Room | None:
        """What another measurement could gain; None where that is not known."""
        return None

    def verdict(self) -> Verdict | None:
        """What the finals show; None without finals."""
        return None

    def finals_record(self) -> FinalsRecord | None:
        """The finals so far, block by block; None without."""
        return None

    def explanation(self) -> Explanation | None:
        """The kind of function, scale and noise that the values indicate; of optimisers alone."""
        return None

    @abstractmethod
    def suggest(self, number: int, pending: Sequence[Params]) -> dict[str, Any]:
        """The configuration of trial ``number`` while others are under evaluation."""

    def suggest_quickly(
        self, number: int, count: int, pending: Sequence[Params]
    ) -> list[dict[str, Any]]:
        """The configurations of ``count`` trials from ``number`` on, as fast as it is possible."""
        made: list[dict[str, Any]] = []
        for each in range(number, number + count):
            made.append(self.suggest(each, [*pending, *made]))
        return made

    @abstractmethod
    def recommend(self) -> Answer:
        """The recommended configuration."""

    @property
    @abstractmethod
    def luckiest(self) -> Luckiest:
        """The best measurement."""

    @abstractmethod
    def suspects(self) -> tuple[Suspect, ...]:
        """Measurements that are taken for corrupt."""

    @property
    @abstractmethod
    def trials(self) -> tuple[Trial, ...]:
        """All entries of the log, in order."""

    def conclusions(self) -> dict[str, Any]:
        """The parts of a `Result` that need a value."""
        return {
            "best": self.recommend(),
            "luckiest": self.luckiest,
            "suspects": self.suspects(),
            "explanation": self.explanation(),
            "verdict": self.verdict(),
            "finals": self.finals_record(),
        }

    def result(self) -> Result:
        """All conclusions at once."""
        trials = self.trials
        known = any(not trial.failed for trial in trials)
        none: dict[str, Any] = {"best": None, "luckiest": None, "suspects": ()}
        return Result(
            **(self.conclusions() if known else none),
            trials=trials,
            space=self.definition.space,
            direction=self.definition.direction,
            seed=self.definition.seed,
            objective=self.definition.objective,
            target=self.definition.target,
            bounds=self.definition.bounds,
            baseline=self.definition.baseline,
            excluded=self.excluded,
        )
