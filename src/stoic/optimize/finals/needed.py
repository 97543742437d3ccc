"""How many measurements of each contender the finals need to show that the answer is better.

Finals are simulated. The gain is drawn from the surrogate's joint posterior of the answer and the
baseline, and the errors from those of the measurements so far, outliers included,

    r_i = e_i · √(s² / (s² + v_i)),

with e_i the error of a measurement that the others predict, v_i the variance of that prediction and
s² that of the noise. The finals have the least number of measurements with which they say "better"
hardly less often than with the most.
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
    """How finals are simulated.

    Chosen on the develop set of benchmarks/robust, and ``loss`` with benchmarks/core/verdicts.py on
    seeds 300–317.
    """

    finals: int = 400  # that are simulated, and of large ones fewer,
    measurements: int = 4800  # so that they have so many of each contender at most
    counts: int = 8  # steps from the fewest measurements to the most
    loss: float = 0.06  # of the share that says "better", against the most measurements
    open_share: float = 0.5  # of finals with the most measurements: if fewer say "better",
    least_if_open: int = 6  # so many measurements of each make an interval that is worth reading
    error: float = 0.05  # of a verdict
    unexplained: int = 7  # measurements of each, where no surrogate explains the values


_RULE = NeedRule()


def measurements_needed(known: Knowledge, baseline: Array, least: int, most: int, seed: int) -> int:
    """How many measurements of each, at least ``least``, and not more than ``most``."""
    r = _RULE
    if known.model.scaling.is_one_sided:
        return min(max(r.unexplained, least), most)
    rng = generator(seed, len(known.history), _STREAM)
    finals = min(r.finals, max(r.measurements // most, 1))
    old, new = _simulated(known, baseline, rng, (finals, most))
    shown = _share_shown(known, old, new)
    if shown < r.open_share:
        least = min(max(r.least_if_open, least), most)
    counts = range(least, most, max((most - least) // r.counts, 1))
    enough = (n for n in counts if _share_shown(known, old[:, :n], new[:, :n]) >= shown - r.loss)
    return min(math.ceil(next(enough, most) / _share_kept(known)), most)


def _share_kept(known: Knowledge) -> float:
    """The share of rounds without a suspect, where averages are compared; else 1."""
    if known.history.aim.target != "mean":
        return 1.0
    return max(1.0 - len(known.regular.suspects) / known.history.successes, 0.1) ** 2


def _share_shown(known: Knowledge, old: Array, new: Array) -> float:
    """The share of finals that say "better"."""
    sizes = block_sizes(old.shape[1])
    if known.history.aim.target == "mean":
        p = upper_tail(np.concatenate([old, new], axis=1), arrangements(tuple(sizes)))
    else:
        p = one_sided_p(old, new, sizes)
    return float(np.mean(p <= _RULE.error * (1.0 + 1e-9)))


def _simulated(
    known: Knowledge, baseline: Array, rng: np.random.Generator, shape: tuple[int, int]
) -> tuple[Array, Array]:
    """Values of the baseline and of the answer in finals: a row for each."""
    points, scores = known.model.points(), cautious_scores(known, known.model.points())
    scores[(points == baseline).all(axis=1)] = -np.inf
    mean, covariance = known.model.gp.joint(np.stack([baseline, points[int(np.argmax(scores))]]))
    variance = max(float(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1]), 0.0)
    gain = rng.normal(mean[1] - mean[0], math.sqrt(variance), shape[0])
    z = mean[0] + rng.choice(_errors(known), size=(2, *shape))
    z[1] += gain[:, None]
    scaling = known.model.scaling
    y = np.array([scaling.y(value) for value in z.ravel().tolist()]).reshape(z.shape)
    linear = scaling.log_unit == 0.0
    old, new = scaling.units(y) if linear else y / max(float(np.abs(y).max()), 1e-300)
    return old, new


def _errors(known: Knowledge) -> Array:
    """Errors of measurements, in z; suspects count unless averages are compared."""
    gp = known.model.gp
    mean, variance = gp.left_out
    errors = (known.model.fits[0].z - mean) * np.sqrt(gp.hyper.noise / (gp.hyper.noise + variance))
    if known.history.aim.target != "mean":
        return np.asarray(errors)
    gone = {suspect.trial for suspect in known.regular.suspects}
    numbers = [known.history.numbers()[row] for row in known.model.rows]
    return np.asarray(errors[np.array([number not in gone for number in numbers], dtype=bool)])
