"""The finals so far, round by round, for displays and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stoic.optimize.finals.race import Race

__all__ = ["Contender", "FinalsRecord"]


@dataclass(frozen=True)
class Contender:
    """A configuration in the finals, and its values there."""

    params: Mapping[str, Any]
    values: tuple[float | None, ...]
    """One for each round, in order; None is a failed evaluation."""
    trials: tuple[int, ...]
    """The numbers of these trials."""
    is_baseline: bool = False
    dropped_after: int | None = None
    """The rounds after which it was dropped; None where it took part to the end."""


@dataclass(frozen=True)
class FinalsRecord:
    """The contenders of finals: the answer at their start first, the baseline last."""

    contenders: tuple[Contender, ...]
    evaluations: int
    """Planned ones."""
    chosen_after: int | None = None
    """The rounds after which the challenger was chosen; the verdict is of those that follow."""

    @classmethod
    def of(cls, race: Race) -> FinalsRecord:
        """The record of a race so far."""
        dropped, values, trials = race.dropped(), race.values(), race.trials()
        contenders = tuple(
            Contender(params, tuple(values[i]), tuple(trials[i]), i == race.baseline, dropped[i])
            for i, params in enumerate(race.finals.contenders)
        )
        return cls(contenders, race.finals.evaluations, race.chosen_after())

    @property
    def made(self) -> int:
        """Evaluations of contenders so far."""
        return sum(len(contender.values) for contender in self.contenders)

    @property
    def active(self) -> tuple[Contender, ...]:
        """Contenders that were not dropped."""
        return tuple(each for each in self.contenders if each.dropped_after is None)

    @property
    def blocks(self) -> int:
        """Rounds that all active contenders have completed: each was measured once in each."""
        return min(len(each.values) for each in self.active)

    @property
    def who(self) -> str:
        """Who still takes part, in words."""
        challengers = sum(not each.is_baseline for each in self.active)
        baseline = " and the baseline" * (challengers < len(self.active))
        return f"{challengers} challenger{'s' * (challengers != 1)}{baseline}"

    def __str__(self) -> str:
        over = self.made >= self.evaluations
        rounds = f"{self.blocks} rounds" if over else f"round {self.blocks + 1}"
        return f"finals, {rounds}: {self.who}"

    def to_dict(self) -> dict[str, Any]:
        """The finals as data that JSON can hold."""
        return {
            "evaluations": self.evaluations,
            "blocks": self.blocks,
            "chosen_after": self.chosen_after,
            "contenders": [
                {
                    "params": dict(each.params),
                    "values": list(each.values),
                    "trials": list(each.trials),
                    "is_baseline": each.is_baseline,
                    "dropped_after": each.dropped_after,
                }
                for each in self.contenders
            ],
        }
