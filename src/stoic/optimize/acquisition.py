"""What to measure next: the measurement that should improve the answer most.

One-step knowledge gradient: by how much would the highest posterior mean rise, on average, once
a measurement at x has come in? The noise is part of it, so measuring a known point again is a
move like any other, taken when it is worth more than anything new, and the best *observed*
value plays no part. Candidates come from :mod:`stoic.optimize.search`; a second, wary surrogate
with shorter length-scales has a say, since the data never prove that nothing is hidden between
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtri

from stoic.checks import Array
from stoic.optimize.failures import Failures
from stoic.optimize.improvement import log_improvement, log_improvement_slopes
from stoic.optimize.search import Search
from stoic.surrogate import RobustGP

__all__ = ["Acquisition", "Tactics"]


@dataclass(frozen=True)
class Tactics:
    """How the next measurement is sought; chosen once, on many problems, for everybody.

    ``doubt`` is the say of the wary surrogate, whose length-scales are ``shorter`` and whose
    amplitude is ``taller``; ``spread`` and ``near`` count candidates, ``best`` the evaluated
    points among them, ``climbs`` local searches, ``kept`` candidates kept by each ranking;
    ``quantiles`` discretise the coming measurement.
    """

    doubt: float = 0.2
    shorter: float = 0.5
    taller: float = 1.0
    spread: int = 300
    near: int = 25
    best: int = 10
    climbs: int = 4
    kept: int = 8
    quantiles: int = 15


class Acquisition:
    """Chooses points to measure, given a surrogate."""

    def __init__(self, search: Search, tactics: Tactics | None = None) -> None:
        self.search = search
        self.tactics = tactics or Tactics()
        q = self.tactics.quantiles
        self._normal: Array = ndtri((np.arange(q) + 0.5) / q)

    def choose(self, gp: RobustGP, seen: Array, failures: Failures, round_: int) -> Array:
        """The point whose measurement is worth most; ``seen`` are the distinct points so far."""
        t = self.tactics
        wary = gp.wary(t.shorter, t.taller)
        candidates = self._candidates(gp, wary, seen, round_)
        value = (1.0 - t.doubt) * self._gain(gp, candidates)
        value += t.doubt * self._gain(wary, candidates)
        value *= failures.chance_of_success(candidates)
        best: Array = candidates[int(np.argmax(value))]
        return best

    def _gain(self, gp: RobustGP, points: Array) -> Array:
        """E[max mean after a measurement at x] − max mean, for every x among ``points``."""
        mean, covariance = gp.joint(points)
        variance = np.maximum(np.diag(covariance), 0.0)
        slope = covariance / np.sqrt(variance + gp.hyper.noise)  # of each mean, by each x
        after = mean[:, None, None] + slope[:, :, None] * self._normal
        gain: Array = after.max(0).mean(1) - mean.max()
        return gain

    def _candidates(self, gp: RobustGP, wary: RobustGP, seen: Array, round_: int) -> Array:
        t, search = self.tactics, self.search
        mean_seen, _ = gp.predict(seen)
        ranked = seen[np.argsort(-mean_seen, kind="stable")]
        top = ranked[:4]
        pool = np.vstack(
            [
                search.spread(t.spread, round_),
                search.around(top, gp.hyper.lengthscales, t.near, round_),
                search.neighbours(top),
            ]
        )
        chosen = [ranked[: t.best]]
        for model in (gp, wary):
            best = float(model.predict(seen)[0].max())
            mean, variance = model.predict(pool)
            order = np.argsort(-log_improvement(mean, variance, best), kind="stable")
            score = partial(log_improvement_slopes, model, best=best)
            chosen.append(search.climb(score, pool[order[: t.climbs]]))
            chosen.append(pool[order[t.climbs : t.climbs + t.kept]])
            if model is gp:
                by_mean = pool[np.argsort(-mean, kind="stable")]
                hopeful = np.argsort(-(mean + 2.0 * np.sqrt(variance)), kind="stable")
                chosen.append(search.climb(_mean_slopes(gp), np.vstack([ranked[:2], by_mean[:2]])))
                chosen += [by_mean[: t.kept], pool[hopeful[: t.kept]]]
        return np.vstack(chosen)


def _mean_slopes(gp: RobustGP) -> partial[tuple[Array, Array]]:
    def mean_and_slope(gp: RobustGP, X: Array) -> tuple[Array, Array]:
        mean, _, d_mean, _ = gp.slopes(X)
        return mean, d_mean

    return partial(mean_and_slope, gp)
