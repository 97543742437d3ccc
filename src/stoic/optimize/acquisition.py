"""What to measure next: the measurement that should improve the answer most.

One-step knowledge gradient: by how much would the highest posterior mean rise, on average, once
a measurement at x has come in? The noise is part of it, so measuring a known point again is a
move like any other, taken when it is worth more than anything new, and the best *observed*
value plays no part. Candidates come from :mod:`stoic.optimize.search`; a second surrogate has a
say, since few data never tell one story only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from stoic.checks import Array
from stoic.optimize.failures import Failures
from stoic.optimize.improvement import log_improvement, log_improvement_slopes
from stoic.optimize.search import Search
from stoic.optimize.tactics import Tactics
from stoic.surrogate import RobustGP

__all__ = ["Acquisition", "mean_slopes"]

_CROWD = 300  # measurements among which none stands alone any more
_SHY = 4.0  # power of the chance of success: crashes make shy
_CRASH = 3.0  # a failure is as bad as a value this many spreads below the best


class Acquisition:
    """Chooses points to measure, given a surrogate."""

    def __init__(self, search: Search, tactics: Tactics | None = None) -> None:
        self.search = search
        self.tactics = tactics or Tactics()
        q = self.tactics.quantiles
        self._normal: Array = np.array([NormalDist().inv_cdf((k + 0.5) / q) for k in range(q)])

    def choose(
        self,
        committee: list[tuple[RobustGP, float]],
        seen: Array,
        failures: Failures,
        round_: int,
    ) -> Array:
        """The point whose measurement is worth most; ``seen`` are the distinct points so far."""
        first = committee[0][0]
        doubtful, stakes = self._doubtful(first)
        others = self._candidates([gp for gp, _ in committee], seen, failures, round_)
        candidates = np.vstack([doubtful, others])
        chance = failures.chance_of_success(candidates)
        safe = chance >= min(0.5, float(chance.max()))  # where an answer may lie
        value = np.zeros(len(candidates))
        for gp, say in committee:
            value += say * self._gain(gp, candidates, safe)
        value[: len(doubtful)] += self.tactics.suspicion * stakes
        # A bad configuration costs something while it is tried, and so does a crash.
        mean = first.mean(candidates)
        worse = np.maximum(mean[safe].max() - mean, 0.0) + _CRASH * (1.0 - chance)
        value = value * chance**_SHY - self.tactics.care * worse
        best: Array = candidates[int(np.argmax(value))]
        return best

    def _gain(self, gp: RobustGP, points: Array, safe: npt.NDArray[np.bool_]) -> Array:
        """E[max mean after a measurement at x] − max mean, for every x among ``points``."""
        mean, covariance = gp.joint(points)
        variance = np.maximum(np.diag(covariance), 0.0)
        slope = covariance / np.sqrt(variance + gp.hyper.noise)  # of each mean, by each x
        after = mean[safe, None, None] + slope[safe, :, None] * self._normal
        gain: Array = after.max(0).mean(1) - mean[safe].max()
        return gain

    def _doubtful(self, gp: RobustGP) -> tuple[Array, Array]:
        """Points measured once whose values, were they lies, would hide the most; and how much.

        What the others alone would make one hope for at such a point is lost for good if its one
        measurement lied, and nothing else leads back there.
        """
        if len(gp) > _CROWD:
            return np.empty((0, gp.X.shape[1])), np.empty(0)
        _, inverse, counts = np.unique(gp.X, axis=0, return_inverse=True, return_counts=True)
        once = np.flatnonzero((counts[inverse.ravel()] == 1) & (gp.weights > 0.2))
        mean, variance = (part[once] for part in gp.left_out)
        hidden = np.exp(log_improvement(mean, variance, float(gp.mean(gp.X).max())))
        most = np.argsort(-hidden, kind="stable")[: self.tactics.audited]
        return gp.X[once[most]], hidden[most]

    def _candidates(
        self, committee: list[RobustGP], seen: Array, failures: Failures, round_: int
    ) -> Array:
        t, search, gp = self.tactics, self.search, committee[0]
        means = [model.mean(seen) for model in committee]
        ranked = seen[np.argsort(-means[0], kind="stable")]
        top = ranked[:4]
        pool = np.vstack(
            [
                search.spread(t.spread, round_),
                search.around(top, gp.hyper.lengthscales, t.near, round_),
                search.neighbours(top),
            ]
        )
        shy = _SHY * np.log(np.maximum(failures.chance_of_success(pool), 1e-9))
        chosen = [ranked[: t.best]]
        for model, of_seen in zip(committee, means, strict=True):
            best = float(of_seen.max())
            mean, variance = model.predict(pool)
            order = np.argsort(-log_improvement(mean, variance, best) - shy, kind="stable")
            score = partial(log_improvement_slopes, model, best=best)
            chosen.append(search.climb(score, pool[order[: t.climbs]]))
            chosen.append(pool[order[t.climbs : t.climbs + t.kept]])
            if model is gp:
                by_mean = pool[np.argsort(-mean - shy, kind="stable")]
                hopeful = np.argsort(-(mean + 2.0 * np.sqrt(variance)), kind="stable")
                chosen.append(search.climb(mean_slopes(gp), np.vstack([ranked[:2], by_mean[:2]])))
                chosen += [by_mean[: t.kept], pool[hopeful[: t.kept]]]
        return np.vstack(chosen)


def mean_slopes(gp: RobustGP, caution: float = 0.0) -> Callable[[Array], tuple[Array, Array]]:
    """The surrogate's mean less ``caution`` times its std, and the gradient: a score to climb."""

    def score_and_slope(X: Array) -> tuple[Array, Array]:
        mean, variance, d_mean, d_variance = gp.slopes(X)
        std = np.sqrt(variance)
        return mean - caution * std, d_mean - (0.5 * caution / std)[:, None] * d_variance

    return score_and_slope
