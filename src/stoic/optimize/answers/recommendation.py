"""Recommend a configuration by its estimate, and estimate any other one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from stoic.checks import Array
from stoic.optimize.acquisition import mean_slopes
from stoic.optimize.answers.edges import edges
from stoic.optimize.answers.interval import interval
from stoic.optimize.answers.records import Answer
from stoic.optimize.knowledge import Knowledge
from stoic.surrogate.covariance import SMOOTH

__all__ = ["bounded_interval", "cautious_scores", "estimate", "recommend"]


@dataclass(frozen=True)
class RecommendationRule:
    """How the answer is chosen; chosen on the develop set of benchmarks/robust."""

    caution: float = 1.0  # standard deviations off the estimate: the answer is the best of many
    starts: int = 3  # the best evaluated points, from which the cautious estimate is climbed
    steps: int = 30  # of each climb
    min_noise: float = 0.01  # in spreads: with less, only a measured configuration is the answer
    min_success: float = 0.5  # chance of success of the answer, if any configuration has it


_RULE = RecommendationRule()


def recommend(known: Knowledge, winner: Array | None = None) -> Answer:
    """The configuration of the highest cautious estimate: an evaluated one, or uphill from one.

    An estimate that the configuration's own measurements contradict does not count. The point of
    the ``winner`` of finals is recommended in any case.
    """
    if known.model.scaling.is_one_sided:
        points, best = known.history.points(), int(np.argmax(known.history.values()))
        return estimate(known, points[best] if winner is None else winner)
    point = _chosen(known) if winner is None else winner
    answer = estimate(known, point)
    at_edge = edges(known.model, known.history.space, point, answer.params)
    return replace(answer, at_edge=at_edge)


def _chosen(known: Knowledge) -> Array:
    """The point of the highest cautious estimate."""
    points = known.model.points()
    best = np.argsort(-cautious_scores(known, points), kind="stable")[: _RULE.starts]
    hyper = known.model.gp.hyper
    if hyper.covariance is SMOOTH and math.sqrt(hyper.noise) > _RULE.min_noise:
        score = mean_slopes(known.model.gp, _RULE.caution)
        uphill = known.search.climb(score, points[best], steps=_RULE.steps)
        points = np.vstack([points, uphill])
    scores, chance = cautious_scores(known, points), known.failures.chance_of_success(points)
    safe = min(_RULE.min_success, float(chance[np.isfinite(scores)].max()))
    chosen: Array = points[int(np.argmax(np.where(chance >= safe, scores, -np.inf)))]
    return chosen


def estimate(known: Knowledge, point: Array) -> Answer:
    """The estimate of any point of the unit cube, with its 90% interval."""
    history, scaling = known.history, known.model.scaling
    centre, below, above = bounded_interval(known, point)
    low, value, high = (scaling.y(centre + e) for e in (-below, 0.0, above))
    own = known.agreement.contradicting(point)
    if own is not None:
        least, value, most = own.values
        low, high = least - below * scaling.unit_of_y, most + above * scaling.unit_of_y
    ends = sorted((history.sign * low, history.sign * high))
    if not scaling.known:
        ends = [-math.inf, math.inf]
    value *= history.sign
    target, measured = history.aim.target, history.measured(point)
    return Answer(history.configuration(point), value, (ends[0], ends[1]), measured, target)


def cautious_scores(known: Knowledge, points: Array) -> Array:
    """What the answer maximises: the mean less ``caution`` standard deviations, corrected."""
    mean, variance = known.model.gp.predict(points)
    return known.agreement.corrected(points, mean, mean - _RULE.caution * np.sqrt(variance))


def bounded_interval(known: Knowledge, point: Array) -> tuple[float, float, float]:
    """The interval at a point, in z, its centre within the range of the point's measurements."""
    centre, below, above = interval(known.model, point)
    own, margin = known.agreement.replicates(point), known.agreement.margin
    if own is None:
        return centre, below, above
    if known.agreement.contradicting(point) is not None:
        return own.middle, max(below, margin), max(above, margin)
    return min(max(centre, own.low), own.high), below, above
