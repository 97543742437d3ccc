"""How far an average may be from the values of replicates that are mostly equal.

Where most runs show exactly the same value and some a very different one, replicates are often
equal. A surrogate then takes the different values for a rough function without noise. Let e of n
replicates be equal to an earlier measurement of their configuration. At most a share u of all runs
differs, where

    P(at least e of n are equal | share u) = 1/10.

With errors by which measurements differ from what the others predict, these are off by the
distance d between the average of the errors above 0 and that of those below. So the average of
runs may be off by u·d.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaincinv

from stoic.optimize.answers.suspects import outlying

if TYPE_CHECKING:
    from stoic.optimize.knowledge import Knowledge

__all__ = ["widened"]


@dataclass(frozen=True)
class EqualRule:
    """When replicates are equal; chosen with benchmarks/core/quotable.py on seeds 0–34."""

    least_share: float = 0.5  # of the replicates that are equal to an earlier one
    error: float = 0.1  # that more runs are different


_RULE = EqualRule()


def widened(known: Knowledge, mean: float, ends: tuple[float, float]) -> tuple[float, float]:
    """The interval of an average in z, wider where replicates are mostly equal."""
    share = _most_different(known)
    if not share:
        return ends
    scaling, gp = known.model.scaling, known.model.gp
    expected = np.array([scaling.y(each) for each in gp.left_out[0].tolist()])
    with np.errstate(over="ignore"):
        errors = (known.history.values()[known.model.rows] - expected)[~outlying(known)]
        sides = (errors[errors < 0.0], errors[errors > 0.0])
        off = share * sum(float(np.mean(np.abs(side))) for side in sides if len(side))
    value, moved = scaling.y(mean), []
    for end, sign in zip(ends, (-1.0, 1.0), strict=True):
        distance = sign * math.hypot(scaling.y(end) - value, off)
        moved.append(float(scaling.z(np.array([value + distance]))[0]))
    return min(moved[0], ends[0]), max(moved[1], ends[1])


def _most_different(known: Knowledge) -> float:
    """The largest share of runs that may show another value; 0 where replicates differ."""
    equal = replicates = 0
    seen: dict[bytes, Counter[float]] = {}
    for point, value in zip(known.history.points(), known.history.values().tolist(), strict=True):
        of_point = seen.setdefault(point.tobytes(), Counter())
        replicates += bool(of_point)
        equal += of_point[value] > 0
        of_point[value] += 1
    if not equal or equal < _RULE.least_share * replicates:
        return 0.0
    return 1.0 - float(betaincinv(equal, replicates - equal + 1, _RULE.error))
