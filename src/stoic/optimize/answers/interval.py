"""What is estimated at a point, with a 90% interval, and what a single run will show there.

All in z, where higher is better, from a surrogate without suspects, with

    m_i, v_i, p_i   mean, variance and weight of the i-th fitted surrogate at the point, corrected
                    where the point's own measurements contradict it (`with_own`)
    q(·), e, n      quantiles of the noise, the standard error of its median, their number
    B               q(¾) + q(¼) − 2·q(½), by which the noise is skewed
    r               the mean residual of the measurements near the point
    k               by how much m_1 rises with length-scales half as long

the estimate of the median and its interval (value − low, value + high) are:

    σ²     = Σ_i p_i·(v_i + (m_i − m_1)²)
    base   = m_1 − w·hypot(σ, e)
    value  = base + q(½)
    low    = a·hypot(σ, e, b·B)·max(N/n, 1)^¼
    high   = hypot(low, (g·max(r, 0) + l·max(k, 0))·√max(N/n, 1))

The point is the best of many, so its estimate is lower by a part w of the standard error than that
of any other point would be. σ is what the surrogates do not know, and how far they disagree. Where
the noise is skewed, the surrogate may follow its mode rather than its median. ``high`` accounts for
a surrogate that rounds off a sharp top. Both sides are wider while fewer than N measurements have
shown the length-scales.

The mean is the average of the values that z = base + error stands for, over all errors: values may
be on a log-compressed scale. Its standard error replaces e, and counts for more on the side of
the tail, of which few measurements never show the whole, and where replicates are mostly equal both
sides are wider (`widened`). A single run is between base + q(0.05) and base + q(0.95), widened
by what is not known of the median.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoic.checks import Array
from stoic.optimize.answers.equal import widened
from stoic.optimize.answers.noise import Noise
from stoic.optimize.answers.own import with_own
from stoic.optimize.model import Model

if TYPE_CHECKING:
    from stoic.optimize.knowledge import Knowledge

__all__ = ["Estimate", "IntervalRule", "along", "estimated", "shift"]


@dataclass(frozen=True)
class IntervalRule:
    """The constants of the interval; chosen with benchmarks/core/quotable.py on seeds 0–34.

    ``residual`` and ``rise`` were chosen on 32 runs on a cone: 29 intervals hold the truth.
    """

    winner: float = 0.3  # w, of the standard error of a median
    stds: float = 1.55  # a
    skew: float = 0.5  # b
    residual: float = 2.0  # g, what residuals near the point count for
    rise: float = 3.0  # l, what a rise with shorter length-scales counts for
    length_factor: float = 0.5  # of the length-scales, for k
    nearby: float = 5.0  # the least weight of the measurements that are near the point
    nearby_share: float = 1.0 / 6.0  # of all weights: the same
    enough: float = 60.0  # N, measurements that show the length-scales
    tail: float = 3.0  # of the standard error of a mean, by which the tail's side counts for more
    run: float = 0.05  # of single runs are below their range, and as many above


RULE = IntervalRule()


@dataclass(frozen=True)
class Estimate:
    """An estimate, its interval, and the range of a single run; in z."""

    value: float
    low: float
    high: float
    run_low: float
    run_high: float


def estimated(known: Knowledge, point: Array, target: str) -> Estimate:
    """The estimate of the target at a point, from measurements without suspects."""
    model = known.model
    gp, rule = model.gp, RULE
    modes = [(p, *with_own(mode, point)) for mode, p in model.modes()]
    m1 = modes[0][1]
    variance = sum(p * (v + (m - m1) ** 2) for p, m, v in modes)
    noise, std = Noise.about(known, m1), math.sqrt(variance)
    error = math.hypot(std, noise.median_error)
    base = m1 - rule.winner * error
    few = max(rule.enough / len(gp), 1.0)
    width = rule.stds * few**0.25 * math.hypot(error, rule.skew * noise.skew)
    above = math.hypot(width, _top(model, point, m1) * math.sqrt(few))
    median = base + noise.median
    run_low, run_high = noise.quantile(rule.run), noise.quantile(1.0 - rule.run)
    run_low = median - math.hypot(noise.median - run_low, width)
    run_high = median + math.hypot(run_high - noise.median, width)
    if target == "median":
        return Estimate(median, median - width, median + above, run_low, run_high)
    scaling = model.scaling
    values = np.array([scaling.y(base + e) for e in noise.errors.tolist()])
    mean = float(scaling.z(np.array([float(noise.weights @ values)]))[0])
    e, lower, upper = rule.stds * noise.mean_error, noise.skew < 0.0, noise.skew > 0.0
    low = math.hypot(width, e * (1.0 + rule.tail * lower))
    high = math.hypot(above, e * (1.0 + rule.tail * upper))
    ends = widened(known, mean, (mean - low, mean + high))
    return Estimate(mean, *ends, run_low, run_high)


def _top(model: Model, point: Array, m1: float) -> float:
    """By how much the function may be higher than the surrogate, which rounds off a sharp top."""
    gp, rule = model.gp, RULE
    r = gp.mean_residual(point, max(rule.nearby, rule.nearby_share * float(gp.weights.sum())))
    k = float(gp.rescaled(rule.length_factor, 1.0).mean(point[None])[0]) - m1
    return rule.residual * max(r, 0.0) + rule.rise * max(k, 0.0)


def along(known: Knowledge, points: Array, answer: Array) -> tuple[Array, Array]:
    """Estimates of the target at many points, moved as at the answer, and the surrogate's std."""
    mean, variance = known.model.gp.predict(points)
    return mean + shift(known, answer), np.sqrt(variance)


def shift(known: Knowledge, point: Array) -> float:
    """By how much the estimate at a point is above the surrogate's mean there, in z."""
    found = estimated(known, point, known.history.aim.target)
    return found.value - float(known.model.gp.mean(point[None])[0])
