"""Find the measurements that are corrupt, each with the reason."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.numbers import rounded
from stoic.optimize.answers.records import Suspect
from stoic.optimize.knowledge import Knowledge

__all__ = ["suspects"]


@dataclass(frozen=True)
class SuspectRule:
    """When a measurement is a suspect; chosen on the develop set of benchmarks/robust."""

    max_weight: float = 1.0 / 25.0  # that of an error of five times the ordinary deviation
    median_errors: float = 5.0  # the least error; however small the noise, half are not far
    min_measurements: int = 4  # of fewer, none is a suspect
    max_quoted: float = 100.0  # standard deviations that a reason quotes


_RULE = SuspectRule()


def suspects(known: Knowledge) -> tuple[Suspect, ...]:
    """Measurements that the others contradict and no replicate confirms."""
    history, model = known.history, known.model
    if history.successes < _RULE.min_measurements:
        return ()
    agreeing = known.agreement.agreeing[model.rows]
    errors = np.abs(model.fits[0].z - model.gp.left_out[0])
    far = errors > _RULE.median_errors * np.median(errors)
    corrupt = (model.gp.weights < _RULE.max_weight) & far & ~agreeing
    return tuple(_suspect(known, int(i), float(errors[i])) for i in np.flatnonzero(corrupt))


def _suspect(known: Knowledge, i: int, error: float) -> Suspect:
    """The i-th measurement of the model, which is off by ``error`` in z, as a suspect."""
    history, model = known.history, known.model
    trial = history.trials[history.numbers()[int(model.rows[i])]]
    assert trial.value is not None
    mean, variance = (float(part[i]) for part in model.gp.left_out)
    predicted = model.scaling.y(mean)
    std = math.sqrt(variance + model.gp.hyper.noise)
    expected = history.sign * predicted
    off = error / std
    side = "above" if trial.value > expected else "below"
    times = f"{off:.0f}" if off < _RULE.max_quoted else f"over {_RULE.max_quoted:.0f}"
    usual = abs(model.scaling.y(mean + std) - predicted)
    reason = (
        f"measured {rounded(trial.value)} where the other measurements predict "
        f"{rounded(expected, usual)}: "
        f"{times} standard deviations {side}"
    )
    return Suspect(trial.number, trial.params, trial.value, expected, reason)
