"""Verdicts on measurements: the answer, the flukes, the lies."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.numbers import rounded
from stoic.optimize.acquisition import mean_slopes
from stoic.optimize.agreement import Agreement
from stoic.optimize.answers import Answer, Luckiest, Suspect, Trial
from stoic.optimize.failures import Failures
from stoic.optimize.history import History
from stoic.optimize.model import Model
from stoic.optimize.search import Search

__all__ = ["estimate", "luckiest", "moved_by_skew", "recommend", "suspects"]

_CORRUPT = 1.0 / 25.0  # the weight of a measurement five times wilder than ordinary ones
_FAR = 5.0  # median errors; however quiet the noise seems, half of them are not far
_CAUTION = 1.0  # standard deviations off the estimate, when the answer is chosen
_STARTS = 3  # the best evaluated points, from which the estimate is climbed
# Of the interval, chosen for coverage on problems to develop with:
_BELOW = 2.1, 1.4  # standard deviations of the surrogate and of the noise's mean, below
_ABOVE = 1.1, 0.65  # and above
_NEARBY = 5.0, 1.0 / 6.0  # measurements, or of all of them: what is near the answer
_TOP = 1.4, 1.9  # what residuals there, and a rise with shorter length-scales, count for
_TOLD = 60.0  # measurements that tell the length-scales
_HIDDEN = 2.0  # times the share of measurements that are lies: how much more may be hidden
_QUIET = 0.02  # noise, in robust units of all values, that no luck comes from


def recommend(history: History, model: Model, failures: Failures, search: Search) -> Answer:
    """The configuration of the highest cautious estimate: an evaluated one, or uphill from such.

    No estimate counts that the configuration's own measurements contradict.
    """
    agreement = Agreement(history, model)
    seen = model.points()
    starts = seen[np.argsort(-_scores(model, agreement, seen), kind="stable")[:_STARTS]]
    uphill = search.climb(mean_slopes(model.gp, _CAUTION), starts, steps=30)
    seen = np.vstack([seen, uphill])
    scores, chance = _scores(model, agreement, seen), failures.chance_of_success(seen)
    safe = min(0.5, float(chance[np.isfinite(scores)].max()))
    best = int(np.argmax(np.where(chance >= safe, scores, -np.inf)))
    return _estimate(history, model, agreement, seen[best])


def estimate(history: History, model: Model, point: Array) -> Answer:
    """The estimate of any point of the unit cube, with its 90% interval."""
    return _estimate(history, model, Agreement(history, model), point)


def _estimate(history: History, model: Model, agreement: Agreement, point: Array) -> Answer:
    centre, below, above = _consistent(model, agreement, point)
    low, value, high = (model.scaling.y(centre + e) for e in (-below, 0.0, above))
    own = agreement.own(point)
    if own is not None and own.contradicts(float(model.gp.mean(point[None])[0])):
        least, value, most = own.values
        unit = model.scaling.unit_of_y
        low, high = least - below * unit, most + above * unit
    ends = sorted((history.sign * low, history.sign * high))
    if not model.scaling.known:
        ends = [-math.inf, math.inf]
    value *= history.sign
    return Answer(history.space.decode(point), value, (ends[0], ends[1]), history.measured(point))


def _scores(model: Model, agreement: Agreement, points: Array) -> Array:
    """An estimate that is not sure is worth less: it is the highest of many."""
    mean, variance = model.gp.predict(points)
    return agreement.weighed(points, mean, mean - _CAUTION * np.sqrt(variance))


def _consistent(model: Model, agreement: Agreement, point: Array) -> tuple[float, float, float]:
    """The interval at a point, its centre bounded by what the point's own measurements say."""
    centre, below, above = _interval(model, point)
    own = agreement.own(point)
    if own is None:
        return centre, below, above
    if own.contradicts(float(model.gp.mean(point[None])[0])):
        return own.middle, max(below, agreement.margin), max(above, agreement.margin)
    return min(max(centre, own.low), own.high), below, above


def _interval(model: Model, point: Array) -> tuple[float, float, float]:
    """Centre of a 90% interval for the mean payoff at a point and its reach below and above, in z.

    Counts what the surrogate does not know of f, how far the committee disagrees, and the error
    of the noise's mean, which moves the centre where the noise is skewed. There the error is
    larger, since a tail may be lies, and most towards the tail, of which a few measurements never
    show the whole. The reach below counts more of all that: the point is the best of many.
    A smooth surrogate rounds off a sharp top, and never the other way: the reach above counts how
    far measurements nearby lie above it, and what it would rise with length-scales half as long.
    Both reach further while few measurements have told the length-scales, and the upper one the
    more measurements are lies, of which some may have passed for a lower top.
    """
    views = [(say, *gp.predict(point[None])) for gp, say in model.opinions()]
    centre = float(views[0][1][0])
    variance = sum(say * (float(v[0]) + (float(m[0]) - centre) ** 2) for say, m, v in views)
    moved, error, sure = _skew(model)
    std, below, above = math.sqrt(variance), moved < 0.0, moved > 0.0  # where a tail is
    low = math.hypot(_BELOW[0] * std, _BELOW[1] * error * (1.0 + sure * (1 + below)))
    high = math.hypot(_ABOVE[0] * std, _ABOVE[1] * error * (1.0 + sure * (1 + above)))
    n, worth = len(model.gp), float(model.gp.weights.sum())
    residual = model.gp.misfit(point, max(_NEARBY[0], _NEARBY[1] * worth))
    rise = float(model.gp.wary(0.5, 1.0).mean(point[None])[0]) - centre
    top = _TOP[0] * max(residual, 0.0) + _TOP[1] * max(rise, 0.0)
    top *= math.sqrt(max(_TOLD / n, 1.0))
    low *= max(_TOLD / max(worth, 1.0), 1.0) ** 0.25
    high = math.hypot(high, top) * (1.0 + _HIDDEN * (1.0 - worth / n))
    return centre + moved, low, high


def moved_by_skew(model: Model) -> float:
    """By how much skewed noise moves every estimate, in z."""
    return _skew(model)[0]


def _skew(model: Model) -> tuple[float, float, float]:
    """How far skewed noise moves an estimate, the error of that, and how sure it is skewed."""
    shift, error = model.fits[0].skew
    sure = shift**2 / (shift**2 + (0.5 * error) ** 2) if error > 0.0 else 0.0
    return sure * shift, error, sure


def suspects(history: History, model: Model) -> tuple[Suspect, ...]:
    """Measurements that the others contradict, and none of the same configuration bears out."""
    agreeing = Agreement(history, model).agreeing[model.rows]
    mean, variance = model.gp.left_out
    noise = math.sqrt(model.gp.hyper.noise)
    numbers = history.numbers()
    errors = np.abs(model.fits[0].z - mean)
    found = []
    wild = (model.gp.weights < _CORRUPT) & (errors > _FAR * np.median(errors))
    for i in np.flatnonzero(wild & ~agreeing):
        trial = history.trials[numbers[int(model.rows[i])]]
        assert trial.value is not None
        expected = history.sign * model.scaling.y(float(mean[i]))
        spread = math.sqrt(float(variance[i]) + noise**2)
        off = float(errors[i]) / spread
        way = "above" if trial.value > expected else "below"
        times = f"{off:.0f}" if off < 100 else "over 100"
        usual = abs(model.scaling.y(float(mean[i]) + spread) - model.scaling.y(float(mean[i])))
        reason = (
            f"measured {rounded(trial.value)} where the other measurements predict "
            f"{rounded(expected, usual)}: "
            f"{times} standard deviations {way}"
        )
        found.append(Suspect(trial.number, trial.params, trial.value, expected, reason))
    return tuple(found)


def luckiest(
    history: History, model: Model, answer: Answer, suspected: tuple[Suspect, ...]
) -> Luckiest:
    """The best observation, set against the answer."""
    values = history.values()
    trial = history.trials[history.numbers()[int(np.argmax(values))]]
    half_width = answer.interval[1] / 2 - answer.interval[0] / 2
    if trial.params == answer.params:
        best = rounded(answer.value, half_width)
        return Luckiest(trial, f"the answer is this configuration, estimated at {best}")
    for suspect in suspected:
        if suspect.trial == trial.number:
            return Luckiest(trial, f"not the answer: {suspect.reason}")
    agreement, point = Agreement(history, model), history.space.encode(trial.params)
    mean = float(model.gp.mean(point[None])[0])
    own = agreement.own(point)
    if own is not None and own.contradicts(mean) and not own.outvotes(mean):
        others = rounded(history.sign * model.scaling.y(mean), half_width)
        return Luckiest(
            trial,
            "not the answer: its configuration was measured twice with that outcome, but the "
            f"others predict {others} there; measure it once more",
        )
    here = history.sign * model.scaling.y(_consistent(model, agreement, point)[0])
    its, best = rounded(here, half_width), rounded(answer.value, half_width)
    return Luckiest(
        trial,
        f"not the answer: its own estimate is {its}, against {best} for the "
        f"answer; {_verdict(history, model, agreement, answer, trial)}",
    )


def _verdict(
    history: History, model: Model, agreement: Agreement, answer: Answer, trial: Trial
) -> str:
    """Why the best measurement was not taken: what of all that was weighed decided."""
    both = np.array([history.space.encode(trial.params), history.space.encode(answer.params)])
    (here, there), (safe_here, safe_there) = model.gp.mean(both), _scores(model, agreement, both)
    noise = math.sqrt(model.gp.hyper.noise)
    y = history.sign * float(trial.value or 0.0)
    surplus = float(model.scaling.z(np.array([y]))[0]) - here - moved_by_skew(model)
    if safe_here > safe_there:
        chance = Failures(
            history.failed(), history.points(), history.space.groups
        ).chance_of_success(both)
        if chance[0] < chance[1]:
            return f"of evaluations near it, an estimated {1.0 - chance[0]:.0%} fail"
        return "it was not among the measurements that the answer was chosen from"
    if here > there:
        return "the answer's estimate is surer"
    if noise > _QUIET and surplus > noise / 2.0:
        scatters = f"{surplus / noise:.2g}" if surplus < 100.0 * noise else "over 100"
        return (
            f"the measurement was better than that estimate by {scatters} times the usual scatter"
        )
    if there - here > noise:
        return "the measurement agrees with its estimate, which is worse than the answer's"
    return "the two estimates differ by less than a measurement usually scatters"
