"""Choose who takes part in the finals: the answer, and others that may well be better.

A contender beside the answer is worth its measurements only where it may be better by something
that matters: E[max(f(x) − max f(chosen), 0)] under the surrogate's joint posterior, for which each
further contender is the best candidate. Neighbours of the answer are nearly equal to it, and are
not worth a race.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.optimize.answers.recommendation import cautious_scores, recommend
from stoic.optimize.knowledge import Knowledge
from stoic.randomness import generator

__all__ = ["ContenderRule", "challengers", "nearest", "simpler"]

_STREAM = 16  # of the draws


@dataclass(frozen=True)
class ContenderRule:
    """Who takes part in finals; chosen on the develop set of benchmarks/robust."""

    evaluations_each: int = 16  # of the finals, at least, so that ten rounds make the verdict
    most: int = 4  # challengers
    candidates: int = 40  # measured points of the highest cautious estimate
    draws: int = 512  # of the joint posterior
    min_gain: float = 0.1  # expected gain over those chosen, in standard deviations of the noise


_RULE = ContenderRule()


def challengers(known: Knowledge, baseline: Array | None, evaluations: int, seed: int) -> Array:
    """Points of the challengers, the answer first: a row for each; none where there is no other.

    The baseline is not among them.
    """
    points = known.model.points()
    scores = cautious_scores(known, points)
    order = np.argsort(-scores, kind="stable")[: _RULE.candidates]
    answer = known.history.space.encode(recommend(known).params)
    pool = np.vstack([answer[None], points[order]])
    others = np.array([i == 0 or not (x == answer).all() for i, x in enumerate(pool)])
    if baseline is not None:
        others &= ~(pool == baseline).all(axis=1)
    pool = pool[others & ~known.failures.hopeless(pool)]
    room = 1 if baseline is not None else 2
    most = min(max(room, evaluations // _RULE.evaluations_each), _RULE.most)
    if known.model.scaling.is_one_sided or not len(pool):
        return pool[:most]
    return pool[_greedy(known, pool, most, seed)]


def _greedy(known: Knowledge, pool: Array, most: int, seed: int) -> list[int]:
    """The first of the pool, and then those that may improve most on those chosen."""
    gp = known.model.gp
    mean, covariance = gp.joint(pool)
    root = np.linalg.cholesky(
        covariance + 1e-9 * max(np.trace(covariance), 1e-12) * np.eye(len(pool))
    )
    normal = generator(seed, len(known.history), _STREAM).standard_normal((len(pool), _RULE.draws))
    drawn = mean[:, None] + root @ normal
    enough = _RULE.min_gain * math.sqrt(gp.hyper.noise)
    chosen = [0]
    while len(chosen) < min(most, len(pool)):
        gain = np.maximum(drawn - drawn[chosen].max(axis=0), 0.0).mean(axis=1)
        best = int(np.argmax(gain))
        if gain[best] <= enough or best in chosen:
            break
        chosen.append(best)
    return chosen


def nearest(points: Array, to: Array) -> int:
    """The row that differs from a point in the fewest columns, and of these by the least."""
    return min(range(len(points)), key=lambda i: simpler(points[i], to))


def simpler(point: Array, to: Array) -> tuple[int, float]:
    """How much a point differs from another one: in how many columns, and by what distance."""
    return int((point != to).sum()), float(np.square(point - to).sum())
