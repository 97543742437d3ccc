"""How much the answer depends on the suspects: the estimate without them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stoic.numbers import rounded
from stoic.optimize.answers import Answer, Suspect, Trial
from stoic.optimize.answers.recommendation import estimate
from stoic.optimize.optimizer import Optimizer
from stoic.parallel import one_thread

__all__ = ["Without", "leave_out", "positions"]

_SMALL_CHANGE_SHARE = 0.05  # of the interval's width: such a change of the estimate is called small


@dataclass(frozen=True)
class Without:
    """The estimate of the recommended configuration without the suspects."""

    count: int  # suspects that were left out
    answer: Answer  # with them
    value: float  # without them

    @property
    def inside(self) -> bool:
        """Whether the estimate without them is within the answer's 90% interval."""
        return self.answer.interval[0] <= self.value <= self.answer.interval[1]

    @property
    def small(self) -> bool:
        """Whether the estimate changes by at most 5% of the interval's width without them."""
        width = self.answer.interval[1] - self.answer.interval[0]
        moved = abs(self.value / 2 - self.answer.value / 2) * 2
        return math.isfinite(width) and moved <= _SMALL_CHANGE_SHARE * width

    def __str__(self) -> str:
        half_width = self.answer.interval[1] / 2 - self.answer.interval[0] / 2
        new, old = rounded(self.value, half_width), rounded(self.answer.value, half_width)
        who = "the suspect" if self.count == 1 else f"the {self.count} suspects"
        if new == old:
            return f"without {who} the estimate would still be {new}"
        side = "within" if self.inside else "outside"
        return f"without {who} the estimate would be {new} instead of {old}, {side} its interval"


def leave_out(
    optimizer: Optimizer, answer: Answer, trials: Sequence[Trial], suspects: Sequence[Suspect]
) -> Without | None:
    """The answer's configuration, estimated again from all measurements but the suspects.

    The other measurements are reported to ``optimizer``, a new one. None where there are no
    suspects, or only suspects. Cost: one fit from a cold start.
    """
    left_out = positions(trials, suspects)
    kept = [t for i, t in enumerate(trials) if t.value is not None and i not in left_out]
    if not left_out or not kept:
        return None
    optimizer.tell_all([(trial.params, trial.value, None) for trial in kept])
    point = optimizer.space.encode(answer.params)
    with one_thread():
        again = estimate(optimizer.knowledge(), point)
    return Without(len(left_out), answer, again.value)


def positions(trials: Sequence[Trial], suspects: Sequence[Suspect]) -> frozenset[int]:
    """Positions of the suspects among the trials; several trials may share a number."""
    suspected = {(suspect.trial, suspect.value) for suspect in suspects}
    return frozenset(i for i, t in enumerate(trials) if (t.number, t.value) in suspected)
