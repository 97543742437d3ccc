"""Replay a run: the recommendation after each of some trials, from earlier trials only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoic.optimize.answers import Trial
from stoic.optimize.answers.recommendation import recommend
from stoic.optimize.optimizer import Optimizer
from stoic.optimize.thinning import ThinnedModeller
from stoic.parallel import one_thread

if TYPE_CHECKING:
    from stoic.report.result import Result

__all__ = ["Estimate", "Replay", "replay", "stops"]

_STOPS = 20  # trials after which a recommendation is computed
_MIN_VALUES = 3  # before the first stop: with fewer values the interval is unknown


@dataclass(frozen=True)
class Estimate:
    """The recommendation after a trial: its estimated value and 90% interval at that time."""

    position: int  # of the trial among all
    value: float
    low: float
    high: float

    @property
    def bounded(self) -> bool:
        """Whether the interval was known; once it is, it stays so."""
        return math.isfinite(self.low) and math.isfinite(self.high)


class Replay:
    """Recommends after earlier trials, in their order, from those alone.

    Where there are many measurements, a random subset is used, so that each recommendation takes
    a second at most.
    """

    def __init__(self, result: Result) -> None:
        self.optimizer = result.fresh_optimizer()
        self._modeller = ThinnedModeller(self.optimizer.history)

    def take(self, trials: Sequence[Trial], end: int) -> None:
        """Take in the trials that are new, up to position ``end``."""
        new = trials[len(self.optimizer.history) : end]
        self.optimizer.tell_all(
            [(t.params, t.value, (t.reason or "") if t.failed else None) for t in new]
        )

    def estimate(self, trials: Sequence[Trial], position: int) -> Estimate | None:
        """The recommendation after a trial; None after too few values.

        The position is not before that of an earlier call.
        """
        self.take(trials, position + 1)
        if self.optimizer.history.successes < _MIN_VALUES:
            return None
        with one_thread():
            answer = recommend(self.optimizer.knowledge(self._modeller.model()))
        return Estimate(position, answer.value, *answer.interval)


def replay(result: Result) -> tuple[Optimizer, list[Estimate]]:
    """An optimiser that knows all trials, and the estimates after earlier trials.

    The last estimate is the result's answer. Where there are many measurements, earlier estimates
    use a random subset, so that the replay takes seconds.
    """
    replayed, last = Replay(result), len(result.trials) - 1
    found = [replayed.estimate(result.trials, stop) for stop in stops(last + 1) if stop < last]
    replayed.take(result.trials, last + 1)
    estimates = [estimate for estimate in found if estimate is not None]
    if result.best is not None:
        estimates.append(Estimate(last, result.best.value, *result.best.interval))
    return replayed.optimizer, estimates


def stops(n: int) -> list[int]:
    """Positions spread evenly over the trials, with more among the first ones."""
    if not n:
        return []
    half = _STOPS // 2
    even, early = np.linspace(1, n, half + 1), np.geomspace(1, n, half)
    return sorted({round(float(stop)) - 1 for stop in (*even, *early)})
