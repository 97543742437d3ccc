"""Recommend a configuration by its estimate, and estimate any other one."""

from __future__ import annotations

import math
import sys
from dataclasses import astuple, dataclass, replace

import numpy as np

from stoic.checks import Array
from stoic.optimize.answers.edges import edges
from stoic.optimize.answers.interval import Estimate, estimated
from stoic.optimize.answers.possible import Possible
from stoic.optimize.answers.records import Answer
from stoic.optimize.improvement import mean_slopes
from stoic.optimize.knowledge import Knowledge
from stoic.surrogate.covariance import SMOOTH

__all__ = ["cautious_scores", "centre", "estimate", "recommend"]


@dataclass(frozen=True)
class RecommendationRule:
    """How the answer is chosen; chosen on the develop set of benchmarks/robust."""

    caution: float = 1.0  # standard deviations off the estimate: the answer is the best of many
    starts: int = 3  # the best evaluated points, from which the cautious estimate is climbed
    steps: int = 30  # of each climb
    min_noise: float = 0.01  # in spreads: with less, only a measured configuration is the answer
    min_success: float = 0.5  # chance of success of the answer, if any configuration has it
    # Where no surrogate explains the values (chosen on instances 3-8 of the uniform noise of BBOB):
    leading: float = 1 / 20  # of all measurements, the best: one of them is the answer
    good: float = 1 / 8  # of all measurements, the best: those near the answer count for it
    beside: float = 0.2  # length-scale of near, in sides of the unit cube times √d
    fewest: int = 3  # measurements that lead


_RULE = RecommendationRule()


def recommend(known: Knowledge, winner: Array | None = None) -> Answer:
    """The configuration of the highest cautious estimate: an evaluated one, or uphill from one.

    An estimate that the configuration's own measurements contradict does not count. The point of
    the ``winner`` of finals is recommended in any case.
    """
    if known.model.scaling.is_one_sided:
        return estimate(known, _most_confirmed(known) if winner is None else winner)
    point = _chosen(known) if winner is None else winner
    answer = estimate(known, point)
    at_edge = edges(known.model, known.history.space, point, answer.params)
    return replace(answer, at_edge=at_edge)


def _most_confirmed(known: Knowledge) -> Array:
    """Of the best measurements, the point with the most good ones near it.

    Where errors multiply a value by any factor, the best measurement is partly luck. Good ones
    nearby show that it is not, and bad ones show nothing.
    """
    points, rule = known.history.points(), _RULE
    order = np.argsort(-known.history.values(), kind="stable")
    n, d = points.shape
    leading = points[order[: max(round(rule.leading * n), rule.fewest)]]
    good = points[order[: max(round(rule.good * n), rule.fewest)]]
    r2 = np.square(leading[:, None] - good).sum(2) / (rule.beside**2 * d)
    found: Array = leading[int(np.argmax(np.exp(-0.5 * r2).sum(1)))]
    return found


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
    """The estimate of any point of the unit cube, with its 90% interval; no suspect moves it."""
    history, rest = known.history, known.regular.known
    scaling, aim = rest.model.scaling, history.aim
    found = _with_replicates(rest, point, estimated(rest, point, aim.target))
    value, *ends = (history.sign * scaling.y(z) for z in astuple(found))
    own = rest.agreement.contradicting(point)
    if own is not None:
        unit = scaling.unit_of_y
        least, value, most = (history.sign * y for y in own.values)
        below, above = (found.value - found.low) * unit, (found.high - found.value) * unit
        ends = [_finite(least - history.sign * below), _finite(most + history.sign * above)]
        ends *= 2
    possible = Possible.of(rest)
    value = possible.value(_within_own(rest, point, _most_frequent(rest, point, value)))
    interval = single = (-math.inf, math.inf)
    if scaling.known:
        low, high, run_low, run_high = (*sorted(ends[:2]), *sorted(ends[2:]))
        interval = possible.range(value, min(low, value), max(high, value))
        single = possible.range(value, min(run_low, value), max(run_high, value))
    params, measured = history.configuration(point), history.measured(point)
    return Answer(params, value, interval, measured, aim.target, single)


def _finite(end: float) -> float:
    """An end of an interval of finite values, which may be as large as floats get."""
    return math.copysign(min(abs(end), sys.float_info.max), end)


def cautious_scores(known: Knowledge, points: Array) -> Array:
    """What the answer maximises: the mean less ``caution`` standard deviations, corrected."""
    mean, variance = known.model.gp.predict(points)
    return known.agreement.corrected(points, mean, mean - _RULE.caution * np.sqrt(variance))


def centre(known: Knowledge, point: Array) -> float:
    """The estimate at a point in z, within the range of the point's measurements."""
    rest = known.regular.known
    found = estimated(rest, point, known.history.aim.target)
    return _with_replicates(rest, point, found).value


def _with_replicates(known: Knowledge, point: Array, found: Estimate) -> Estimate:
    """An estimate within the range of the point's agreeing measurements."""
    own, margin = known.agreement.replicates(point), known.agreement.margin
    if own is None:
        return found
    if known.agreement.contradicting(point) is not None:
        below = max(found.value - found.low, margin)
        above = max(found.high - found.value, margin)
        return _about(own.middle, below, above, found)
    value = min(max(found.value, own.low), own.high)
    return _about(value, found.value - found.low, found.high - found.value, found)


def _within_own(known: Knowledge, point: Array, value: float) -> float:
    """The nearest value within the range of the point's agreeing measurements.

    They are facts, a surrogate is not. Its estimate remains within the interval. Where no surrogate
    explains the values, all measurements of the point count, if there are two.
    """
    history, own = known.history, known.agreement.replicates(point)
    if own is not None:
        ends = history.sign * own.values[0], history.sign * own.values[2]
        return min(max(value, min(ends)), max(ends))
    if known.model.scaling.is_one_sided and history.measured(point) > 1:
        told = history.sign * history.values()[(history.points() == point).all(axis=1)]
        return min(max(value, float(told.min())), float(told.max()))
    return value


def _about(value: float, below: float, above: float, found: Estimate) -> Estimate:
    """An estimate moved to another value, with these half-widths."""
    moved = value - found.value
    runs = found.run_low + moved, found.run_high + moved
    return Estimate(value, value - below, value + above, *runs)


def _most_frequent(known: Knowledge, point: Array, value: float) -> float:
    """The value that most measurements near the point are equal to, if the median is asked for.

    Counts, or delays that are mostly zero, have such a median; no surrogate hits it exactly.
    """
    history = known.history
    if history.aim.target != "median":
        return value
    nearness = known.model.gp.nearness(point)
    different, which = np.unique(history.values()[known.model.rows], return_inverse=True)
    shares = np.bincount(which, nearness) / nearness.sum()
    if float(shares.max()) <= 0.5 or len(different) == len(which):
        return value
    return history.sign * float(different[int(np.argmax(shares))])
