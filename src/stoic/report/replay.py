"""What would have been recommended on the way, each time from what was known then."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stoic.checks import IntArray
from stoic.optimize.answers import Answer
from stoic.optimize.judgement import recommend
from stoic.optimize.model import Model
from stoic.optimize.optimizer import Optimizer
from stoic.report.result import Result
from stoic.surrogate import RobustGP, Scaling, fit
from stoic.surrogate.fitting import Fit

__all__ = ["Estimate", "replay"]

_STOPS = 20  # at which an answer is asked for
_FEWEST = 3  # values, before which no estimate is shown
_EXACT = 200  # measurements, up to which the surrogate is the optimiser's own
_SEEN = 600  # measurements that a later surrogate looks at, at most
_HEARD = 0.01  # the least say of a surrogate that is taken along


@dataclass(frozen=True)
class Estimate:
    """What would have been recommended after a trial: its value and 90% interval then."""

    position: int  # of the trial among all
    value: float
    low: float
    high: float

    @property
    def bounded(self) -> bool:
        """Whether the interval was known; once it is, it stays so."""
        return math.isfinite(self.low) and math.isfinite(self.high)


def replay(result: Result) -> tuple[Optimizer, list[Estimate]]:
    """An optimiser told all trials, and its estimates on the way, each from its own past only.

    The last estimate is the result's answer. Of many measurements, surrogates on the way look at
    an even choice, and go on from the one before: the whole takes seconds.
    """
    optimizer = Optimizer(result.space, direction=result.direction, seed=result.seed)
    past, stops = _Past(optimizer), set(_stops(len(result.trials)))
    estimates = []
    for position, trial in enumerate(result.trials):
        if trial.value is None:
            optimizer.fail(trial.params, trial.reason or "")
        else:
            optimizer.tell(trial.params, trial.value)
        last = position == len(result.trials) - 1
        if position in stops and not last and optimizer._history.successes >= _FEWEST:
            answer = past.answer()
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


class _Past:
    """Answers of an optimiser that is being told its trials one by one."""

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer
        self._model: Model | None = None  # of the last stop
        self._lots = np.random.default_rng(0)  # one for each measurement, in order
        self._lot = np.empty(0)

    def answer(self) -> Answer:
        """What the optimiser, or its thrifty likeness, recommends now."""
        optimizer = self._optimizer
        n = optimizer._history.successes
        modeller = optimizer._modeller
        if n <= _EXACT:
            self._model = modeller.at(n)
        else:
            self._model = self._further(n, self._model or modeller.at(_EXACT))
        search = optimizer._acquisition.search
        return recommend(optimizer._history, self._model, optimizer._failures(), search)

    def _further(self, n: int, before: Model) -> Model:
        """The model of ``n`` measurements, from that of fewer."""
        history, groups = self._optimizer._history, self._optimizer.space.groups
        y = history.values(n)
        scaling = Scaling.of(y, self._optimizer._first, before.scaling)
        rows = self._rows(n)
        X, z = history.points(n)[rows], scaling.z(y)[rows]
        kept = np.isin(before.rows, rows)
        heard = zip(before.fits, before.opinions(), strict=True)
        starts = [_among(f, kept) for f, (_, say) in heard if say > _HEARD]
        fits = [fit(X, z, groups, start=start, rounds=1, steps=4) for start in starts]
        fits.sort(key=lambda f: -f.evidence)
        return Model(fits[:1] if fits[0].agrees(fits[-1]) else fits, scaling, rows)

    def _rows(self, n: int) -> IntArray:
        """Measurements to look at: those chosen once are a beginning of any later choice,

        or, where the choice had to become rarer, a part of it is.
        """
        self._lot = np.concatenate([self._lot, self._lots.random(n - len(self._lot))])
        share = 0.5 ** max(0, math.ceil(math.log2(n / _SEEN)))
        rows: IntArray = np.flatnonzero(self._lot < share)
        return rows


def _among(before: Fit, kept: NDArray[np.bool_]) -> Fit:
    """A fit as if it had seen only the measurements that are kept."""
    if kept.all():
        return before
    gp = before.gp
    fewer = RobustGP(gp.X[kept], gp.z[kept], gp.weights[kept], gp.hyper)
    return Fit(fewer, before.z[kept], before.trust, before.evidence)
