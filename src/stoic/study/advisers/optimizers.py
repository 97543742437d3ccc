"""The optimiser and random search as advisers of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from stoic.optimize import Answer, FinalsRecord, Luckiest, Optimizer, Suspect, Trial, Verdict
from stoic.optimize.answers import Explanation
from stoic.optimize.finals.settling import Room
from stoic.randomness import generator
from stoic.study.advisers.adviser import Adviser, Mark, Observation, Params
from stoic.study.definition import Definition

__all__ = ["OptimizerAdviser", "RandomAdviser"]


class OptimizerAdviser(Adviser):
    """`stoic.Optimizer`, whose trials have the study's numbers."""

    def __init__(self, definition: Definition) -> None:
        super().__init__(definition)
        self._numbers: list[int] = []
        self._renumbered_trials: list[Trial] = []
        self._left_out: set[int] = set()  # trials with an excluded outcome
        self._before_finals = 0  # finished trials, excluded ones included

    @cached_property
    def optimizer(self) -> Optimizer:
        """The optimiser, made when it is needed: its imports take half a second."""
        of = self.definition
        aim = of.aim
        return Optimizer(
            of.space, direction=aim.direction, seed=of.seed,
            target=aim.target, bounds=aim.bounds, baseline=of.baseline,
        )  # fmt: skip

    def take(self, number: int, params: Params, value: float | None, reason: str | None) -> None:
        self.take_all([(number, params, value, reason)])

    def take_all(self, observations: Sequence[Observation]) -> None:
        self.optimizer.tell_all([observation[1:] for observation in observations])
        self._numbers += [observation[0] for observation in observations]

    def leave_out(self, number: int) -> None:
        super().leave_out(number)
        self._left_out.add(number)

    def mark(self, mark: Mark) -> None:
        if mark.evaluations:
            self._before_finals = len({*self._numbers, *self._left_out})
            self.optimizer.start_finals(mark.evaluations, mark.contenders)
        else:
            self.optimizer.end_finals()

    @property
    def finals(self) -> tuple[int, int] | None:
        found = self.optimizer.finals
        return None if found is None else (self._before_finals, found.evaluations)

    def contenders(self, evaluations: int) -> list[dict[str, Any]]:
        return self.optimizer.contenders(evaluations)

    def measurements_needed(self, least: int, most: int) -> int:
        return self.optimizer.measurements_needed(least, most)

    def settled(self) -> bool:
        return self.optimizer.settled()

    def room(self) -> Room | None:
        return self.optimizer.room()

    def verdict(self) -> Verdict | None:
        return self.optimizer.verdict()

    def explanation(self) -> Explanation:
        return self.optimizer.conclude().explanation

    def finals_record(self) -> FinalsRecord | None:
        record = self.optimizer.finals_record()
        if record is None:
            return None
        contenders = (
            replace(each, trials=tuple(self._numbers[i] for i in each.trials))
            for each in record.contenders
        )
        return replace(record, contenders=tuple(contenders))

    def suggest(self, number: int, pending: Sequence[Params]) -> dict[str, Any]:
        del number  # it follows from the history and from what is pending
        suggestion: dict[str, Any] = self.optimizer.ask(pending=pending)
        return suggestion

    def suggest_quickly(
        self, number: int, count: int, pending: Sequence[Params]
    ) -> list[dict[str, Any]]:
        del number
        return self.optimizer.ask_quickly(count, pending=pending)

    def recommend(self) -> Answer:
        return self.optimizer.recommend()

    @property
    def luckiest(self) -> Luckiest:
        return self._lucky(self.optimizer.luckiest)

    def _lucky(self, lucky: Luckiest) -> Luckiest:
        return replace(lucky, trial=self._renumbered(lucky.trial))

    def suspects(self) -> tuple[Suspect, ...]:
        return self._suspected(self.optimizer.suspects())

    def _suspected(self, found: Sequence[Suspect]) -> tuple[Suspect, ...]:
        return tuple(replace(s, trial=self._numbers[s.trial]) for s in found)

    @property
    def trials(self) -> tuple[Trial, ...]:
        known, every = len(self._renumbered_trials), self.optimizer.history.trials
        self._renumbered_trials += map(self._renumbered, every[known:])
        return tuple(self._renumbered_trials)

    def conclusions(self) -> dict[str, Any]:
        found = self.optimizer.conclude()  # once, for all of them
        return {
            "best": found.answer,
            "luckiest": self._lucky(found.luckiest),
            "suspects": self._suspected(found.suspects),
            "explanation": found.explanation,
            "verdict": found.verdict,
            "finals": self.finals_record(),
        }

    def _renumbered(self, trial: Trial) -> Trial:
        return replace(trial, number=self._numbers[trial.number])


class RandomAdviser(OptimizerAdviser):
    """Suggests uniform draws; the optimiser draws the conclusions."""

    needs_history = False
    suggest_quickly = Adviser.suggest_quickly

    def contenders(self, evaluations: int) -> list[dict[str, Any]]:
        """None: its suggestions depend on no log, so it holds no finals."""
        del evaluations
        return []

    def suggest(self, number: int, pending: Sequence[Params]) -> dict[str, Any]:
        del pending
        if number == 0 and self.definition.baseline is not None:
            return dict(self.definition.baseline)
        space = self.definition.space
        return space.decode(space.draw(generator(self.definition.seed, number)))
