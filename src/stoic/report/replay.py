"""Replay a run: the recommendation after each of some trials, from earlier trials only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoic.optimize.answers.recommendation import recommend
from stoic.optimize.optimizer import Optimizer
from stoic.optimize.thinning import ThinnedModeller

if TYPE_CHECKING:
    from stoic.report.result import Result

__all__ = ["Estimate", "replay"]

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


def replay(result: Result) -> tuple[Optimizer, list[Estimate]]:
    """An optimiser that knows all trials, and the estimates after earlier trials.

    The last estimate is the result's answer. Where there are many measurements, earlier estimates
    use a random subset, so that the replay takes seconds.
    """
    optimizer = result.fresh_optimizer()
    modeller, stops = ThinnedModeller(optimizer.history), set(_stops(len(result.trials)))
    estimates = []
    for position, trial in enumerate(result.trials):
        if trial.value is None:
            optimizer.fail(trial.params, trial.reason or "")
        else:
            optimizer.tell(trial.params, trial.value)
        last = position == len(result.trials) - 1
        if position in stops and not last and optimizer.history.successes >= _MIN_VALUES:
            answer = recommend(optimizer.knowledge(modeller.model()))
            estimates.append(Estimate(position, answer.value, *answer.interval))
    if result.best is not None:
        estimates.append(Estimate(len(result.trials) - 1, result.best.value, *result.best.interval))
    return optimizer, estimates


def _stops(n: int) -> list[int]:
    """Positions spread evenly over the trials, with more among the first ones."""
    if not n:
        return []
    half = _STOPS // 2
    even, early = np.linspace(1, n, half + 1), np.geomspace(1, n, half)
    return sorted({round(float(stop)) - 1 for stop in (*even, *early)})
