"""Choose the next measurement: the one that should improve the answer most.

One-step knowledge gradient: by how much would the highest posterior mean rise, on average, after
a measurement at x? The noise is part of it, so measuring a known point again is a candidate like
any other, and the best *observed* value plays no part. Candidates come from
:mod:`stoic.optimize.search`. The gain is averaged over a committee of surrogates, since few
measurements never determine one.

Where no parameter is a float, the gain is the expected improvement on the highest posterior mean.
Such spaces are mostly rugged: good configurations are among bad ones, and a point's own small
chance to be much better counts for more than what it tells about others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from stoic.checks import Array
from stoic.optimize.failing.failures import Failures
from stoic.optimize.improvement import (
    Belief,
    improvement,
    log_improvement,
    log_improvement_slopes,
    mean_slopes,
)
from stoic.optimize.search import Search
from stoic.optimize.tactics import Tactics
from stoic.surrogate import RobustGP
from stoic.surrogate.covariance import SMOOTH
from stoic.surrogate.rows import distinct, first_rows

__all__ = ["Acquisition"]

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _Field:
    """Candidates, and what counts beside their gain."""

    points: Array
    hidden: Array  # what an outlier would hide there; 0 where there are other measurements
    chance: Array  # of success
    safe: Flags  # where an answer may be
    worse: Array  # how far the mean is below the best, with the cost of failure
    closed: Flags  # not worth another measurement


class Acquisition:
    """Chooses points to measure, given a surrogate."""

    def __init__(self, search: Search, tactics: Tactics | None = None) -> None:
        self.search = search
        self.tactics = tactics or Tactics()
        t = self.tactics
        self._finite = not search.space.continuous.any()
        self._power = t.success_power_finite if self._finite else t.success_power
        self._cost_of_worse = t.cost_of_worse_finite if self._finite else t.cost_of_worse
        self._cost_of_failure = 0.0 if self._finite else t.cost_of_failure
        q = t.quantiles
        self._normal: Array = np.array([NormalDist().inv_cdf((k + 0.5) / q) for k in range(q)])

    def choose(
        self, committee: list[tuple[RobustGP, float]], seen: Array, failures: Failures, round_: int
    ) -> Array:
        """The point whose measurement is worth most; ``seen`` are the distinct points so far."""
        step = self._step(committee, seen, failures, round_) if self._finite else None
        if step is not None:
            return step
        field = self._field(committee, seen, failures, round_)
        value = self._value(field, self._gains(committee, field, seen))
        best: Array = field.points[int(np.argmax(value))]
        return best

    def choose_several(
        self,
        committee: list[tuple[RobustGP, float]],
        seen: Array,
        failures: Failures,
        round_: int,
        count: int,
    ) -> list[Array]:
        """Up to ``count`` points to measure at once, at the cost of little more than one.

        All are different, and among the candidates of the first. Each is chosen as if those before
        it were pending: their values are expected to be as predicted, so the covariances alone
        change.
        """
        step = self._step(committee, seen, failures, round_) if self._finite else None
        if step is not None:
            return [step]
        field = self._field(committee, seen, failures, round_)
        beliefs = [(Belief.of(gp, field.points, seen), weight) for gp, weight in committee]
        closed, chosen = field.closed.copy(), list[Array]()
        while len(chosen) < count:
            gains = np.zeros(len(field.points))
            for belief, weight in beliefs:
                gains += weight * self._gain_believed(belief, field.safe)
            value = self._value(replace(field, closed=closed), gains)
            best = int(np.argmax(value))
            if chosen and not np.isfinite(value[best]):  # all are closed
                break
            chosen.append(field.points[best])
            closed |= (field.points == field.points[best]).all(axis=1)
            for belief, _ in beliefs:
                belief.expect(best)
        return chosen

    def prospects(
        self, committee: list[tuple[RobustGP, float]], seen: Array, failures: Failures, round_: int
    ) -> Array:
        """What each surrogate expects of the best measurement, in z: a row for each.

        By how much it will improve the answer, and by how much the point is better than the answer.
        """
        field = self._field(committee, seen, failures, round_)
        weight = np.where(field.closed, 0.0, field.chance)
        found = []
        for gp, _ in committee:
            better = improvement(gp, field.points, seen)
            gain = better if self._finite else self._gain(gp, field.points, field.safe)
            found.append([float((each * weight).max()) for each in (gain, better)])
        return np.array(found)

    def _field(
        self, committee: list[tuple[RobustGP, float]], seen: Array, failures: Failures, round_: int
    ) -> _Field:
        """The candidates, with all but their gain."""
        t, first = self.tactics, committee[0][0]
        single, hidden = self._single(first)
        closed = self._closed(first, failures)
        others = self._candidates([gp for gp, _ in committee], seen, failures, closed, round_)
        points = np.vstack([single, others])
        chance = failures.chance_of_success(points)
        safe = chance >= min(0.5, float(chance.max()))
        # To try a bad configuration has a cost, and so has a failure.
        mean = first.mean(points)
        worse = np.maximum(mean[safe].max() - mean, 0.0) + self._cost_of_failure * (1.0 - chance)
        hidden = t.outlier_chance * np.concatenate([hidden, np.zeros(len(others))])
        return _Field(points, hidden, chance, safe, worse, closed(points))

    def _gains(self, committee: list[tuple[RobustGP, float]], field: _Field, seen: Array) -> Array:
        """How much a measurement of each candidate is expected to improve the answer, in z."""
        gains = np.zeros(len(field.points))
        for gp, weight in committee:
            if self._finite:
                gains += weight * improvement(gp, field.points, seen)
            else:
                gains += weight * self._gain(gp, field.points, field.safe)
        return gains

    def _value(self, field: _Field, gains: Array) -> Array:
        """What the measurement of each candidate is worth, given its gain."""
        value: Array = (gains + field.hidden) * field.chance**self._power
        value -= self._cost_of_worse * field.worse
        value[field.closed] = -np.inf
        return value

    def _step(
        self, committee: list[tuple[RobustGP, float]], seen: Array, failures: Failures, round_: int
    ) -> Array | None:
        """Now and then, a good point with one parameter changed: each parameter in turn.

        A surrogate that has seen a value of a parameter fail beside bad points expects little of
        it beside good ones, and would never try.
        """
        t = self.tactics
        turn, rest = divmod(round_, t.step_every)
        if rest:
            return None
        top = seen[np.argsort(-committee[0][0].mean(seen), kind="stable")][: t.step_top]
        steps = self.search.changed(top, turn)
        tried = {x.tobytes() for x in seen}
        new = np.array([x.tobytes() not in tried for x in steps], dtype=bool)
        steps = steps[new & ~failures.hopeless(steps)]
        if not len(steps):
            return None
        chance = failures.chance_of_success(steps)
        if chance.max() < t.step_chance:
            return None
        value = np.where(chance < t.step_chance, 0.0, chance**self._power)
        value *= sum(weight * improvement(gp, steps, seen) for gp, weight in committee)
        best: Array = steps[int(np.argmax(value))]
        return best

    def _closed(self, gp: RobustGP, failures: Failures) -> Callable[[Array], Flags]:
        """A function that tells which points are not worth another measurement.

        Their own measurements leave an error too small to matter, or they failed too often. Where
        no parameter is a float, new points have precedence if too many measurements are repeats.
        """
        t = self.tactics
        error = t.settled_error * math.sqrt(min(t.settled_from / len(gp), 1.0))
        points, counts = gp.X[first_rows(gp.X)], np.bincount(distinct(gp.X))
        needed = np.maximum(gp.hyper.noise_at(gp.mean(points)) / error**2, 1.0)
        if self._finite and len(gp) - len(points) > t.max_repeats * len(gp):
            needed = np.ones(len(points))
        settled = {x.tobytes() for x in points[counts >= needed]}

        def closed(X: Array) -> Flags:
            known = np.array([x.tobytes() in settled for x in X], dtype=bool)
            return known | failures.hopeless(X)

        return closed

    def _gain(self, gp: RobustGP, points: Array, safe: Flags) -> Array:
        """E[max mean after a measurement at x] − max mean, for every x among ``points``."""
        mean, covariance = gp.joint(points)
        return self._rise(mean, covariance, gp.hyper.noise_at(mean), safe)

    def _rise(self, mean: Array, covariance: Array, noise: Array, safe: Flags) -> Array:
        """The gain at points of which mean and covariance are known."""
        variance = np.maximum(np.diag(covariance), 0.0)
        slope = covariance / np.sqrt(variance + noise)  # of each mean, by each x
        after = mean[safe, None, None] + slope[safe, :, None] * self._normal
        gain: Array = after.max(0).mean(1) - mean[safe].max()
        return gain

    def _gain_believed(self, belief: Belief, safe: Flags) -> Array:
        """The gain of every candidate, by a belief that accounts for those that were chosen."""
        if not self._finite:
            return self._rise(belief.mean, belief.covariance, belief.noise, safe)
        variance = np.maximum(np.diag(belief.covariance), belief.least)
        return np.exp(log_improvement(belief.mean, variance, belief.best))

    def _single(self, gp: RobustGP) -> tuple[Array, Array]:
        """Points measured once that would hide most if that was an outlier; and how much.

        That is the expected improvement that the other measurements alone predict at the point.
        An outlier there would hide it permanently, since nothing else leads back to the point.
        """
        t = self.tactics
        if len(gp) > t.repeated_until:
            return np.empty((0, gp.X.shape[1])), np.empty(0)
        of = distinct(gp.X)
        once = np.flatnonzero((np.bincount(of)[of] == 1) & (gp.usualness > t.repeated_weight))
        mean, variance = (part[once] for part in gp.left_out)
        hidden = np.exp(log_improvement(mean, variance, float(gp.mean(gp.X).max())))
        most = np.argsort(-hidden, kind="stable")[: t.repeated]
        return gp.X[once[most]], hidden[most]

    def _candidates(
        self,
        committee: list[RobustGP],
        seen: Array,
        failures: Failures,
        closed: Callable[[Array], Flags],
        round_: int,
    ) -> Array:
        t, search, gp = self.tactics, self.search, committee[0]
        means = [model.mean(seen) for model in committee]
        ranked = seen[np.argsort(-means[0], kind="stable")]
        top = ranked[: t.top]
        pool = np.vstack(
            [
                self._spread(top, round_),
                search.around(top, gp.hyper.lengthscales, t.near, round_),
                search.neighbours(top, round_),
            ]
        )
        open_ = ~closed(pool)
        pool = pool[open_] if open_.any() else pool
        success = self._power * np.log(np.maximum(failures.chance_of_success(pool), 1e-9))
        chosen = [ranked[: t.best]]
        for model, of_seen in zip(committee, means, strict=True):
            best = float(of_seen.max())
            mean, variance = model.predict(pool)
            order = np.argsort(-log_improvement(mean, variance, best) - success, kind="stable")
            if model.hyper.covariance is SMOOTH:
                score = partial(log_improvement_slopes, model, best=best)
                chosen.append(search.climb(score, pool[order[: t.climbs]]))
            chosen.append(pool[order[: t.climbs + t.kept]])
            if model is gp:
                by_mean = pool[np.argsort(-mean - success, kind="stable")]
                optimistic = np.argsort(-(mean + t.optimism * np.sqrt(variance)), kind="stable")
                starts = np.vstack([ranked[: t.mean_climbs], by_mean[: t.mean_climbs]])
                if gp.hyper.covariance is SMOOTH:
                    chosen.append(search.climb(mean_slopes(gp), starts))
                chosen += [by_mean[: t.kept], pool[optimistic[: t.kept]]]
        return np.vstack(chosen)

    def _spread(self, top: Array, round_: int) -> Array:
        """Candidates that fill the space; of many parameters, most differ from ``top`` in a few."""
        t, search = self.tactics, self.search
        spread = search.spread(t.spread_finite if self._finite else t.spread, round_)
        if not search.many:
            return spread
        return np.vstack([spread[: t.spread_many], search.crossed(top, spread, round_)])
