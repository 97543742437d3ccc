"""What a configuration's own measurements say of it, where they agree with each other.

A surrogate that has once called the measurements of a configuration outliers may go on doing so,
however often they are repeated: left out one by one, each is contradicted by a model that already
ignores the others. Measurements of one configuration that agree are facts about it, whatever the
surrogate makes of them.

Measurements *agree* where at least half of those of their configuration, and at least two, lie
within a tolerance: four standard deviations of the noise, but not less than 1/20 and not more
than 1/2 of the spread of all values. Beyond three spreads from the centre the tolerance grows in
proportion, since the noise of far values mostly does. Noise and spread are those of the surrogate
and its scaling, so that no unit matters.

An estimate *contradicts* agreeing measurements where it lies outside of their range by more than
four standard deviations of the noise, or 1/20 of the spread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stoic.checks import Array
from stoic.optimize.answers import middle
from stoic.optimize.history import History
from stoic.optimize.model import Model
from stoic.surrogate.distances import Coded, between

__all__ = ["Agreement", "Own"]

_NOISE_STDS = 4.0  # the range of agreeing measurements; of ten normal ones it is 3.1 on average
_MIN_SPREADS, _MAX_SPREADS = 0.05, 0.5  # between which the tolerance is kept
_FAR_SPREADS = 3.0  # from the centre, beyond which the tolerance is relative
_OUTVOTING = 3  # agreeing measurements that are believed where they look too good to the surrogate
_NEAR_LENGTHSCALES = 0.1  # what is said of a configuration holds for those as near as this


@dataclass(frozen=True)
class Own:
    """The agreeing measurements of one configuration, in z: their range, widened by the noise.

    ``values`` are the least, the median and the largest of them as they were measured (negated
    where the objective is minimised): z is nearly flat far from the centre, and tells them no more.
    """

    low: float
    middle: float
    high: float
    count: int
    values: tuple[float, float, float]

    def contradicts(self, estimate: float) -> bool:
        """Whether an estimate lies outside of the range."""
        return not self.low <= estimate <= self.high

    def outvotes(self, estimate: float) -> bool:
        """Whether the measurements are to be believed rather than an estimate outside the range.

        What is worse than estimated is believed at once. What is better may be the same fluke
        twice, which is the dangerous case: it takes a third measurement.
        """
        return estimate > self.high or self.count >= _OUTVOTING


class Agreement:
    """Which measurements of a history agree with others of their configuration."""

    def __init__(self, history: History, model: Model) -> None:
        self._model = model
        self.noise = math.sqrt(model.gp.hyper.noise)
        self.margin = max(_NOISE_STDS * self.noise, _MIN_SPREADS)  # of estimates, about a range
        self.tolerance = min(self.margin, _MAX_SPREADS)
        points, y = history.points(), history.values()
        self.agreeing: npt.NDArray[np.bool_] = np.zeros(len(y), dtype=bool)  # by measurement
        self._own: dict[bytes, Own] = {}
        z, units = model.scaling.z(y), model.scaling.units(y)
        _, inverse, counts = np.unique(points, axis=0, return_inverse=True, return_counts=True)
        order = np.argsort(inverse.ravel(), kind="stable")
        for rows in np.split(order, np.cumsum(counts)[:-1]):
            if len(rows) > 1:
                chosen = rows[_agreeing(units[rows], self.tolerance)]
                self.agreeing[chosen] = True
                if len(chosen):
                    self._own[points[chosen[0]].tobytes()] = self._of(z[chosen], y[chosen])
        self._contradicted = self._find()

    def _of(self, z: Array, y: Array) -> Own:
        low, high = float(z.min()) - self.margin, float(z.max()) + self.margin
        values = float(y.min()), middle(y.tolist()), float(y.max())
        return Own(low, float(np.median(z)), high, len(z), values)

    def _find(self) -> Array:
        """The configurations whose measurements contradict the surrogate's estimate."""
        keys = list(self._own)
        points = np.frombuffer(b"".join(keys)).reshape(len(keys), self._model.gp.X.shape[1])
        means = self._model.gp.mean(points) if keys else np.empty(0)
        wrong = [self._own[k].contradicts(float(m)) for k, m in zip(keys, means, strict=True)]
        contradicted: Array = points[np.array(wrong, dtype=bool)]
        return contradicted

    def own(self, point: Array) -> Own | None:
        """The agreeing measurements of a point, if there are any."""
        return self._own.get(point.tobytes())

    def weighed(self, points: Array, mean: Array, cautious: Array) -> Array:
        """Cautious estimates that no agreeing measurements contradict.

        Where they do, their own median counts, less one deviation of the noise, or nothing (−∞);
        nor does the surrogate's estimate right beside such a configuration.
        """
        if not len(self._contradicted):
            return cautious
        scores = np.where(self._beside(points), -np.inf, cautious)
        spare = np.full(len(points), -np.inf)
        for i, point in enumerate(points):
            own, estimate = self.own(point), float(mean[i])
            if own is not None and own.contradicts(estimate):
                spare[i] = own.middle - self.noise
                scores[i] = spare[i] if own.outvotes(estimate) else -np.inf
            elif own is not None:
                scores[i] = cautious[i]
        usable = (s for s in (scores, spare) if np.isfinite(s).any())
        return next(usable, cautious)

    def _beside(self, points: Array) -> npt.NDArray[np.bool_]:
        h = self._model.gp.hyper
        here, there = (
            Coded(X, h.groups).scaled(h.lengthscales) for X in (points, self._contradicted)
        )
        beside: npt.NDArray[np.bool_] = between(here, there).min(1) < _NEAR_LENGTHSCALES**2
        return beside


def _agreeing(units: Array, tolerance: float) -> npt.NDArray[np.bool_]:
    """Which of the measurements of one configuration agree: all that are in a tight half."""
    order = np.argsort(units, kind="stable")
    half = max(2, (len(units) + 1) // 2)
    low, high = units[order][: len(units) - half + 1], units[order][half - 1 :]
    size = np.where(np.sign(low) == np.sign(high), np.minimum(np.abs(low), np.abs(high)), 0.0)
    tight = high - low <= tolerance * np.maximum(1.0, size / _FAR_SPREADS)
    found = np.zeros(len(units), dtype=bool)
    for first in np.flatnonzero(tight):
        found[order[first : first + half]] = True
    return found
