"""Find replicates that agree with each other, and estimates that contradict them.

A surrogate that has once called the measurements of a configuration outliers may continue to do
so, even if they are repeated many times: left out one by one, each is contradicted by a model that
already ignores the others. Measurements of one configuration that agree are evidence about it,
even against the surrogate's estimate.

Measurements *agree* where at least half of those of their configuration, and at least two, are
within a tolerance: four standard deviations of the noise, but not less than 1/20 and not more
than 1/2 of the spread of all values. Beyond three spreads from the centre the tolerance grows in
proportion, since the noise of far values mostly does. Noise and spread are those of the surrogate
and its scaling, so that no unit matters.

Nor are most measurements of a configuration outliers on the same side, however far apart they are:
its noise is larger than elsewhere. So four or more agree as well, if three quarters of all that the
configuration has are on one side of the estimate, beyond two standard deviations of the noise.

A value that is an outlier at three other configurations, always exactly the same, says nothing
about a configuration (0 of a measurement that was lost, the time at which all runs are stopped).
Such values do not agree.

An estimate *contradicts* agreeing measurements where it is outside of their range by more than
four standard deviations of the mean of so many, or 1/20 of the spread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stoic.checks import Array, IntArray
from stoic.optimize.answers.records import middle
from stoic.optimize.history import History
from stoic.optimize.model import Model
from stoic.surrogate.distances import Coded, between
from stoic.surrogate.rows import distinct

__all__ = ["Agreement", "Replicates"]


@dataclass(frozen=True)
class AgreementRule:
    """When measurements agree; tests/optimize/test_replicates.py has the cases it must decide."""

    noise_stds: float = 4.0  # the range of agreeing ones; that of ten normal ones is 3.1 on average
    min_tolerance: float = 0.05  # in spreads of all values
    max_tolerance: float = 0.5  # in spreads of all values
    far: float = 3.0  # spreads from the centre, beyond which the tolerance is relative
    overruling: int = 3  # measurements that overrule an estimate that is less good than they are
    most: int = 4  # measurements on one side of an estimate that agree, however far apart
    most_share: float = 0.75  # of those of their configuration: the same
    most_stds: float = 2.0  # of the noise, by which they are beyond the estimate
    recurring: int = 3  # other configurations at which exactly the same value is an outlier,
    recurring_weight: float = 1.0 / 25.0  # so its weight is less, as that of suspects
    beside: float = 0.1  # length-scales: an estimate nearer to a contradicted one does not count


_RULE = AgreementRule()


@dataclass(frozen=True)
class Replicates:
    """The agreeing measurements of one configuration, in z: their range, widened by the noise.

    ``values`` are the least, the median and the largest of them as they were measured (negated
    where the objective is minimised): far from the centre, z hardly distinguishes them.
    """

    low: float
    middle: float
    high: float
    count: int
    values: tuple[float, float, float]

    def contradict(self, estimate: float) -> bool:
        """Whether an estimate is outside of the range."""
        return not self.low <= estimate <= self.high

    def overrule(self, estimate: float) -> bool:
        """Whether the measurements count, and not an estimate outside of the range.

        Measurements worse than the estimate count at once. Better ones may be the same outlier
        twice, which is the dangerous case: they need a third measurement.
        """
        return estimate > self.high or self.count >= _RULE.overruling


class Agreement:
    """Which measurements of a history agree with others of their configuration."""

    def __init__(self, history: History, model: Model) -> None:
        self._model = model
        self.noise = math.sqrt(model.gp.hyper.noise)
        # the margin of estimates about a range, and the width of a range
        self.margin = max(_RULE.noise_stds * self.noise, _RULE.min_tolerance)
        self.tolerance = min(self.margin, _RULE.max_tolerance)
        points, y = history.points(), history.values()
        self.agreeing: npt.NDArray[np.bool_] = np.zeros(len(y), dtype=bool)  # by measurement
        self._replicates: dict[bytes, Replicates] = {}
        z, units = model.scaling.z(y), model.scaling.units(y)
        self._best: dict[bytes, float] = {}  # the best measurement of each point
        for point, value in zip(points, z.tolist(), strict=True):
            at = point.tobytes()
            self._best[at] = max(self._best.get(at, -math.inf), value)
        of = distinct(points)
        recurring = _outliers_at(y[model.rows], of[model.rows], model.gp.weights)
        order = np.argsort(of, kind="stable")
        for rows in np.split(order, np.cumsum(np.bincount(of))[:-1]):
            if len(rows) > 1:
                chosen = rows[_agreeing(units[rows], self.tolerance)]
                if _recurs(y[chosen], int(of[rows[0]]), recurring):
                    continue
                if len(rows) >= _RULE.most and not len(chosen):
                    errors = z[rows] - float(model.gp.mean(points[rows[:1]])[0])
                    chosen = rows[_on_one_side(errors, _RULE.most_stds * self.noise)]
                self.agreeing[chosen] = True
                if len(chosen):
                    key = points[chosen[0]].tobytes()
                    self._replicates[key] = self._summary(z[chosen], y[chosen])
        self._contradicted = self._find_contradicted()

    def _summary(self, z: Array, y: Array) -> Replicates:
        margin = max(_RULE.noise_stds * self.noise / math.sqrt(len(z)), _RULE.min_tolerance)
        low, high = float(z.min()) - margin, float(z.max()) + margin
        values = float(y.min()), middle(y.tolist()), float(y.max())
        return Replicates(low, float(np.median(z)), high, len(z), values)

    def _find_contradicted(self) -> Array:
        """The configurations whose measurements contradict the surrogate's estimate."""
        keys = list(self._replicates)
        points = np.frombuffer(b"".join(keys)).reshape(len(keys), self._model.gp.X.shape[1])
        means = self._model.gp.mean(points) if keys else np.empty(0)
        wrong = [self._replicates[k].contradict(float(m)) for k, m in zip(keys, means, strict=True)]
        contradicted: Array = points[np.array(wrong, dtype=bool)]
        return contradicted

    def replicates(self, point: Array) -> Replicates | None:
        """The agreeing measurements of a point, if there are any."""
        return self._replicates.get(point.tobytes())

    def contradicting(self, point: Array) -> Replicates | None:
        """The agreeing measurements of a point, if they contradict the surrogate's estimate."""
        found = self.replicates(point)
        if found is not None and found.contradict(float(self._model.gp.mean(point[None])[0])):
            return found
        return None

    def corrected(self, points: Array, mean: Array, cautious: Array) -> Array:
        """Cautious estimates, corrected where agreeing measurements contradict the surrogate.

        There, the median of the measurements less one deviation of the noise counts if they
        overrule the estimate, else nothing (−∞). Nor does the surrogate's estimate count right
        beside such a configuration.
        """
        disbelieved = self._disbelieved(points, mean)
        if disbelieved.any() and not disbelieved.all():
            cautious = np.where(disbelieved, -np.inf, cautious)
        if not len(self._contradicted):
            return cautious
        scores = np.where(self._beside(points), -np.inf, cautious)
        fallback = np.full(len(points), -np.inf)
        for i, point in enumerate(points):
            own, estimate = self.replicates(point), float(mean[i])
            if own is not None and own.contradict(estimate):
                fallback[i] = own.middle - self.noise
                scores[i] = fallback[i] if own.overrule(estimate) else -np.inf
            elif own is not None:
                scores[i] = cautious[i]
        usable = (s for s in (scores, fallback) if np.isfinite(s).any())
        return next(usable, cautious)

    def _disbelieved(self, points: Array, mean: Array) -> npt.NDArray[np.bool_]:
        """Where the estimate is better than all measurements of the point.

        The surrogate calls them outliers. That is not enough for an answer: measure it again.
        """
        own = np.array([self._best.get(point.tobytes(), math.inf) for point in points])
        disbelieved: npt.NDArray[np.bool_] = own + self.margin < mean
        return disbelieved

    def _beside(self, points: Array) -> npt.NDArray[np.bool_]:
        h = self._model.gp.hyper
        here, there = (
            Coded(X, h.groups).scaled(h.lengthscales) for X in (points, self._contradicted)
        )
        beside: npt.NDArray[np.bool_] = between(here, there).min(1) < _RULE.beside**2
        return beside


def _recurs(values: Array, configuration: int, outliers_at: dict[float, set[int]]) -> bool:
    """Whether the values are one that is an outlier at other configurations, too."""
    if not len(values) or not (values == values[0]).all():
        return False
    elsewhere = outliers_at.get(float(values[0]), set()) - {configuration}
    return len(elsewhere) >= _RULE.recurring


def _outliers_at(y: Array, of: IntArray, weights: Array) -> dict[float, set[int]]:
    """At which configurations each value is an outlier."""
    found: dict[float, set[int]] = {}
    for i in np.flatnonzero(weights < _RULE.recurring_weight):
        found.setdefault(float(y[i]), set()).add(int(of[i]))
    return found


def _on_one_side(errors: Array, margin: float) -> npt.NDArray[np.bool_]:
    """Which of the measurements of one configuration agree that its estimate is wrong."""
    needed = max(_RULE.most, _RULE.most_share * len(errors))
    for beyond in (errors > margin, errors < -margin):
        if np.count_nonzero(beyond) >= needed:
            return beyond
    return np.zeros(len(errors), dtype=bool)


def _agreeing(units: Array, tolerance: float) -> npt.NDArray[np.bool_]:
    """Which of the measurements of one configuration agree: all that are in a narrow half."""
    order = np.argsort(units, kind="stable")
    half = max(2, (len(units) + 1) // 2)
    low, high = units[order][: len(units) - half + 1], units[order][half - 1 :]
    size = np.where(np.sign(low) == np.sign(high), np.minimum(np.abs(low), np.abs(high)), 0.0)
    narrow = high - low <= tolerance * np.maximum(1.0, size / _RULE.far)
    found = np.zeros(len(units), dtype=bool)
    for first in np.flatnonzero(narrow):
        found[order[first : first + half]] = True
    return found
