"""How many measurements of each contender the finals need to show that the answer is better.

Finals are simulated: the answer exceeds the baseline by the surrogate's estimate less one standard
deviation of it, and the errors are those of the measurements so far, outliers included,

    r_i = e_i · √(s² / (s² + v_i)),

with e_i the error of a measurement that the others predict, v_i the variance of that prediction and
s² that of the noise. The finals have the least number of measurements by which most simulated ones
say "better".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.comparison.arrangements import arrangements, block_sizes
from stoic.comparison.blocked import one_sided_p, upper_tail
from stoic.optimize.answers.recommendation import cautious_scores
from stoic.optimize.knowledge import Knowledge
from stoic.randomness import generator

__all__ = ["NeedRule", "measurements_needed"]

_STREAM = 17  # of the draws


@dataclass(frozen=True)
class NeedRule:
    """How finals are simulated; chosen on the develop set of benchmarks/robust."""

    caution: float = 1.0  # standard deviations off the estimated gain: the answer is the best
    share: float = 0.95  # of simulated finals, which say "better"
    finals: int = 200  # simulated for each number of measurements
    error: float = 0.05  # of a verdict
    unexplained: int = 7  # measurements of each, where no surrogate explains the values


_RULE = NeedRule()


def measurements_needed(known: Knowledge, baseline: Array, least: int, most: int, seed: int) -> int:
    """How many measurements of each, from ``least`` on; ``most`` where no fewer suffice."""
    if known.model.scaling.is_one_sided:
        return min(max(_RULE.unexplained, least), most)
    old, new = _typical(known, baseline)
    if new <= old:
        return most
    values = _values(known, old), _values(known, new)
    drawn = generator(seed, len(known.history), _STREAM).random((2, _RULE.finals, most))
    rows = (drawn * len(values[0])).astype(int)
    for count in range(least, most):
        of_old, of_new = (v[which[:, :count]] for v, which in zip(values, rows, strict=True))
        sizes = block_sizes(count)
        if known.history.aim.target == "mean":
            terms = np.concatenate([of_old, of_new], axis=1)
            p = upper_tail(terms, arrangements(tuple(sizes)))
        else:
            p = one_sided_p(of_old, of_new, sizes)
        if float(np.mean(p <= _RULE.error * (1.0 + 1e-9))) >= _RULE.share:
            return count
    return most


def _typical(known: Knowledge, baseline: Array) -> tuple[float, float]:
    """Typical values of the baseline and, cautiously, of the best other point, in z."""
    points = known.model.points()
    scores = cautious_scores(known, points)
    scores[(points == baseline).all(axis=1)] = -np.inf
    best = points[int(np.argmax(scores))]
    mean, covariance = known.model.gp.joint(np.stack([baseline, best]))
    sides = np.array([-1.0, 1.0])
    variance = max(float(sides @ covariance @ sides), 0.0)
    return float(mean[0]), float(mean[1]) - _RULE.caution * math.sqrt(variance)


def _values(known: Knowledge, typical: float) -> Array:
    """Values that measurements of a point may show, in units of the spread of all values."""
    model, aim = known.model, known.history.aim
    mean, variance = model.gp.left_out
    noise = model.gp.hyper.noise
    errors = (model.fits[0].z - mean) * np.sqrt(noise / (noise + variance))
    if aim.target == "mean":  # blocks with a suspect do not count
        gone = {suspect.trial for suspect in known.regular.suspects}
        numbers = [known.history.numbers()[row] for row in model.rows]
        errors = errors[np.array([number not in gone for number in numbers], dtype=bool)]
    y = np.array([model.scaling.y(typical + error) for error in errors.tolist()])
    return model.scaling.units(y) if model.scaling.log_unit == 0.0 else y / np.abs(y).max()
