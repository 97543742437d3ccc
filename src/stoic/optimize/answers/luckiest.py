"""Explain why the best single measurement is, or is not, the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.numbers import rounded
from stoic.optimize.answers.interval import shift
from stoic.optimize.answers.recommendation import cautious_scores, centre
from stoic.optimize.answers.records import Answer, Luckiest, Suspect, Trial
from stoic.optimize.knowledge import Knowledge

__all__ = ["luckiest"]


@dataclass(frozen=True)
class LuckRule:
    """When luck explains a measurement; the rule decides about words only."""

    min_noise: float = 0.02  # s in spreads of all values: smaller noise is no explanation
    min_surplus: float = 0.5  # of s, by which the measurement exceeds its estimate
    max_quoted: float = 100.0  # times s that a sentence quotes


_RULE = LuckRule()


def luckiest(known: Knowledge, answer: Answer, suspected: tuple[Suspect, ...]) -> Luckiest:
    """The best measurement, compared with the answer."""
    history = known.history
    trial = history.trials[history.numbers()[int(np.argmax(history.values()))]]
    half_width = answer.interval[1] / 2 - answer.interval[0] / 2
    best = rounded(answer.value, half_width)
    if trial.params == answer.params:
        return Luckiest(trial, f"the answer is this configuration, estimated at {best}")
    for suspect in suspected:
        if suspect.trial == trial.number:
            return Luckiest(trial, f"not the answer: {suspect.reason}")
    point = history.space.encode(trial.params)
    own, y = known.agreement.contradicting(point), known.model.scaling.y
    mean = float(known.model.gp.mean(point[None])[0])
    if own is not None and not own.overrule(mean):
        others = rounded(history.sign * y(mean), half_width)
        return Luckiest(
            trial,
            "not the answer: its configuration was measured twice with that outcome, but the "
            f"others predict {others} there; measure it once more",
        )
    its = rounded(history.sign * y(centre(known, point)), half_width)
    return Luckiest(
        trial,
        f"not the answer: its own estimate is {its}, against {best} for the "
        f"answer; {_reason(known, answer, trial)}",
    )


def _reason(known: Knowledge, answer: Answer, trial: Trial) -> str:
    """What decided against the best measurement."""
    history, model = known.history, known.model
    both = np.array([history.space.encode(trial.params), history.space.encode(answer.params)])
    (here, there), (score_here, score_there) = model.gp.mean(both), cautious_scores(known, both)
    noise = math.sqrt(model.gp.hyper.noise)
    y = history.sign * float(trial.value or 0.0)
    surplus = float(model.scaling.z(np.array([y]))[0]) - here - shift(known.regular.known, both[0])
    if score_here > score_there:
        chance = known.failures.chance_of_success(both)
        if chance[0] < chance[1]:
            return f"of evaluations near it, an estimated {1.0 - chance[0]:.0%} fail"
        return "it was not among the measurements that the answer was chosen from"
    if here > there:
        return "the answer's estimate is surer"
    if noise > _RULE.min_noise and surplus > noise * _RULE.min_surplus:
        quoted = surplus < _RULE.max_quoted * noise
        times = f"{surplus / noise:.2g}" if quoted else f"over {_RULE.max_quoted:.0f}"
        return f"the measurement was better than that estimate by {times} times the usual scatter"
    if there - here > noise:
        return "the measurement agrees with its estimate, which is worse than the answer's"
    return "the two estimates differ by less than a measurement usually scatters"
