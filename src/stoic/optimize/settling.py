"""Stop when only noise is left: whether further measurements would hardly improve the answer.

The gain of a measurement is the knowledge gradient, or where no parameter is a float the expected
improvement, of the best candidate. Gains shrink as measurements are made, so ``horizon`` times the
next one bounds what that many more could gain. The search is *settled* where this is small against
the uncertainty of the answer, or against the spread of all values:

    horizon · gain < max(share · σ, floor),

σ being the standard deviation of the surrogate at its best point, all in spreads of the values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.optimize.acquisition import Acquisition
from stoic.optimize.knowledge import Knowledge

__all__ = ["SettlingRule", "settled"]


@dataclass(frozen=True)
class SettlingRule:
    """When a search is settled; chosen on the develop set of benchmarks/robust."""

    horizon: int = 20  # measurements
    share: float = 0.5  # of the standard deviation at the best point
    floor: float = 0.005  # in spreads of the values
    least: float = 3.0  # times the size of the first design: measurements before


_RULE = SettlingRule()


def settled(known: Knowledge, acquisition: Acquisition) -> bool:
    """Whether another measurement would hardly improve the answer."""
    history, model = known.history, known.model
    if history.successes < _RULE.least * history.design_size or model.scaling.is_one_sided:
        return False
    gain, std = potential(known, acquisition)
    return _RULE.horizon * gain < max(_RULE.share * std, _RULE.floor)


def potential(known: Knowledge, acquisition: Acquisition) -> tuple[float, float]:
    """The gain of the best measurement, and the standard deviation at the best point, in z."""
    model, seen = known.model, known.model.points()
    nothing: Array = np.empty((0, seen.shape[1]))
    committee = model.committee(acquisition.tactics, nothing)
    gain = acquisition.largest_gain(committee, seen, known.failures, len(known.history))
    mean, variance = model.gp.predict(seen)
    return gain, math.sqrt(float(variance[int(np.argmax(mean))]))
