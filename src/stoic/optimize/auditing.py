"""Repeat a measurement now and then: only replicates distinguish noise from a rugged function.

Without replicates, what a smooth surrogate does not explain may be either. A rugged function
without noise would be averaged away, and a lucky measurement of a noisy one be taken for a fact.

Nor would anything lead back to a good configuration whose first measurement was corrupt, if those
around it were corrupt as well: somebody may have changed the first results. So the worst of the
early measurements are repeated later, and more of them where one proves to be good. For the same
reason the point of the best estimate is measured again if none of the later measurements is there:
several early ones may be corrupt alike, and a surrogate that believes them sees nothing to gain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.optimize.history import History
from stoic.optimize.tactics import has_many_parameters
from stoic.surrogate import RobustGP
from stoic.surrogate.compression import mad
from stoic.surrogate.replicates import replicate_errors
from stoic.surrogate.rows import distinct, first_rows

__all__ = ["to_confirm", "to_repeat"]


@dataclass(frozen=True)
class AuditRule:
    """How many measurements are repeats; chosen on the develop set of benchmarks/robust.

    The size of the first design, n₀, is the unit of ``early`` and ``from_``.
    """

    share: float = 1.0 / 8.0  # of measurements that repeat a good one; noisy functions have more
    early: int = 2  # times n₀: the measurements whose worst are repeated
    from_: int = 3  # times n₀: when the first of them is
    worst: int = 3  # that are repeated, one after each n₀ measurements
    good: float = 0.75  # quantile of all values that a repeat exceeds if it matters
    outlier: float = 5.0  # spreads of the values: a larger difference is no noise
    chain: int = 10  # repeats of early measurements at most, where some matter
    old: float = 0.5  # of all measurements, the first: they alone make no best estimate
    leading: int = 3  # best points by estimate, from one of which the answer is climbed
    same: float = 0.99  # prior correlation of f at points that count as one


_RULE = AuditRule()


def to_repeat(history: History) -> Array | None:
    """The best point measured once, or a bad early one, if a replicate is due.

    An eighth of the measurements are to be repeats, none within the first design. As long as all
    replicates are exactly equal, one is enough after n₀, 2n₀, 4n₀, … values, n₀ being the size of
    that design. Where they differ and a parameter is a float, bad early points are repeated too.
    Among many parameters it remains at that few: each measurement tells of too little.
    """
    points, values, n0 = history.points(), history.values(), history.design_size
    due = math.floor(math.log2(max(history.successes / n0, 0.5))) + 1
    with np.errstate(over="ignore", invalid="ignore"):  # of values up to 1e308
        errors = np.abs(replicate_errors(points, values))
        usual = errors[errors <= _RULE.outlier * mad(values)]
    if errors.any() and not has_many_parameters(history.space):
        floats = history.space.continuous.any()  # without them, bad and good ones are neighbours
        early = _early_to_repeat(points, values, n0) if floats and usual.any() else None
        if early is not None:
            return early
        due = max(due, math.floor(_RULE.share * history.successes))
    if history.repeats >= due:
        return None
    order = np.argsort(-values, kind="stable")
    return next((points[i] for i in order if history.measured(points[i]) == 1), None)


def to_confirm(history: History, gp: RobustGP) -> Array | None:
    """One of the best points by estimate at which only the older half of measurements is."""
    n = history.successes
    if n < _RULE.from_ * history.design_size or is_deterministic(history):
        return None
    points = gp.X[first_rows(gp.X)]
    recent = np.arange(len(gp)) >= _RULE.old * len(gp)
    for i in np.argsort(-gp.mean(points), kind="stable")[: _RULE.leading]:
        nearness = gp.nearness(points[i])
        if not (recent & (nearness >= _RULE.same * nearness.max())).any():
            point: Array = points[i]
            return point
    return None


def is_deterministic(history: History) -> bool:
    """Whether there are replicates, and all of them are equal."""
    errors = replicate_errors(history.points(), history.values())
    return len(errors) > 0 and not errors.any()


def _early_to_repeat(points: Array, values: Array, n0: int) -> Array | None:
    """The worst early point measured once, or one whose repeat was good, until that is settled."""
    due = min(len(values) // n0 - _RULE.from_ + 1, _RULE.worst)
    if due <= 0:
        return None
    of, good = distinct(points), float(np.quantile(values, _RULE.good))
    first = first_rows(points)
    bad = [i for i in first[first < _RULE.early * n0] if values[i] < good]
    repeated = 0
    for i in bad:
        again = np.flatnonzero(of == of[i])[1:]
        if not len(again) or again[0] < _RULE.from_ * n0:  # not repeated, or for another reason
            continue
        repeated += 1
        if (values[again] > good).any():  # corrupt the first time, or by luck now
            due = min(due + 2, _RULE.chain)
            if len(again) == 1:
                point: Array = points[i]
                return point
    once = [i for i in bad if np.count_nonzero(of == of[i]) == 1]
    if repeated >= due or not once:
        return None
    worst: Array = points[min(once, key=lambda i: float(values[i]))]
    return worst
