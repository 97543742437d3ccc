"""Stop when only noise is left: whether another measurement would hardly improve the answer.

The gain of a measurement is the knowledge gradient, or where no parameter is a float the expected
improvement, of the best candidate. The search is *settled* where it is small against the
uncertainty of the answer, or against the spread of all values:

    gain < max(share · σ, floor),

σ being the standard deviation of the surrogate at its best point, all in spreads of the values.
It is estimated from few measurements, so it must have been small two measurements before, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.optimize.acquisition import Acquisition
from stoic.optimize.failures import Failures
from stoic.optimize.history import History
from stoic.optimize.model import Model
from stoic.optimize.modeller import Modeller

__all__ = ["SettlingRule", "potential", "settled"]


@dataclass(frozen=True)
class SettlingRule:
    """When a search is settled; chosen on the develop set of benchmarks/robust."""

    share: float = 0.1  # of the standard deviation at the best point: of an interval, a sixteenth
    floor: float = 0.0005  # in spreads of the values
    before: int = 2  # measurements before that it must have been small as well
    least: float = 2.5  # times the size of the first design: measurements


_RULE = SettlingRule()


def settled(history: History, modeller: Modeller, acquisition: Acquisition) -> bool:
    """Whether another measurement would hardly improve the answer."""
    n = history.successes
    if n < _RULE.least * history.design_size:
        return False
    failures = Failures.of(history)
    for count in (n, n - _RULE.before):
        model = modeller.at(count)
        if model.scaling.is_one_sided:
            return False
        gain, std = potential(model, failures, acquisition)
        if gain >= max(_RULE.share * std, _RULE.floor):
            return False
    return True


def potential(model: Model, failures: Failures, acquisition: Acquisition) -> tuple[float, float]:
    """The gain of the best measurement, and the standard deviation at the best point, in z."""
    seen = model.points()
    nothing: Array = np.empty((0, seen.shape[1]))
    committee = model.committee(acquisition.tactics, nothing)
    gain = acquisition.largest_gain(committee, seen, failures, len(model.gp))
    mean, variance = model.gp.predict(seen)
    return gain, math.sqrt(max(float(variance[int(np.argmax(mean))]), 0.0))
