"""Advisers suggest the next trial and draw conclusions; they are rebuilt from the study's log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from stoic.optimize import Answer, Luckiest, Suspect, Trial
from stoic.report import Result
from stoic.study.definition import Definition

__all__ = ["Adviser", "Observation", "Params"]

Params = Mapping[str, Any]
Observation = tuple[int, Params, float | None, str | None]  # trial, its parameters, value, reason


class Adviser(ABC):
    """Suggests trials as a function of the log: the same entries give the same suggestions."""

    needs_history = True  # whether suggestions depend on the log

    def __init__(self, definition: Definition) -> None:
        self.definition = definition

    @abstractmethod
    def take(self, number: int, params: Params, value: float | None, reason: str | None) -> None:
        """Take in an entry of the log; a failure has no value."""

    def take_all(self, observations: Sequence[Observation]) -> None:
        """Take in entries in order."""
        for observation in observations:
            self.take(*observation)

    @abstractmethod
    def suggest(self, number: int, pending: Sequence[Params]) -> dict[str, Any]:
        """The configuration of trial ``number`` while others are under evaluation."""

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

    def result(self) -> Result:
        """All conclusions at once."""
        known = any(not trial.failed for trial in self.trials)
        return Result(
            best=self.recommend() if known else None,
            luckiest=self.luckiest if known else None,
            suspects=self.suspects() if known else (),
            trials=self.trials,
            space=self.definition.space,
            direction=self.definition.direction,
            seed=self.definition.seed,
            objective=self.definition.objective,
            target=self.definition.target,
            bounds=self.definition.bounds,
        )
