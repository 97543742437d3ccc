"""Learning the hyper-parameters and the weights together, without being fooled at the start.

Alternates between judging the measurements (:mod:`stoic.surrogate.noise`) and a few
quasi-Newton steps on the evidence given their weights. A cold start first fits values that are
cut: outliers would otherwise pass for noise, the noise for all there is, and no later step would
find back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from stoic.checks import Array, IntArray
from stoic.surrogate.ascent import ascend
from stoic.surrogate.evidence import negative_evidence
from stoic.surrogate.gp import RobustGP, prior_covariance
from stoic.surrogate.hyper import Hyper, Prior
from stoic.surrogate.noise import Beliefs, Trust, skew

__all__ = ["Fit", "Start", "fit"]

_SAME = 0.3  # in every logarithm: fits closer than this are one
_ALIKE = 1.0  # in the logit of the smoothness, which shows least
_STEP = 1.0  # the most that a logarithm changes at once
_SUBSET = 256  # the evidence of this many measurements settles the hyper-parameters
_COARSE = 400  # measurements, beyond which a cold start begins with a choice of them


@dataclass(frozen=True)
class Start:
    """A cold start: values cut at ±``cut``, length-scales in units of the prior's."""

    cut: float = 1.0
    lengthscale: float = 1.0


@dataclass(frozen=True)
class Fit:
    """A fitted surrogate, how it judged its measurements, and the evidence for it."""

    gp: RobustGP
    z: Array
    trust: Trust
    evidence: float

    @cached_property
    def skew(self) -> tuple[float, float]:
        """The mean of the noise about its ordinary part, and its standard error."""
        gp = self.gp
        return skew(self.trust.responsibilities, self.z, *gp.left_out, gp.hyper.noise)

    def agrees(self, other: Fit) -> bool:
        """Whether another fit tells the same story."""
        apart = np.abs(self.gp.hyper.theta - other.gp.hyper.theta)
        return bool(apart[:-1].max() < _SAME and apart[-1] < _ALIKE)


def fit(
    X: Array,
    z: Array,
    groups: IntArray,
    *,
    start: Start | Fit | None = None,
    prior: Prior | None = None,
    beliefs: Beliefs | None = None,
    rounds: int = 5,
    steps: int = 5,
) -> Fit:
    """Fit a robust GP to values ``z`` at points ``X`` of the unit cube.

    Parameters
    ----------
    X, z
        (n, d) points and n values in robust units.
    groups
        Number of the length-scale of each column.
    start
        A fit of the first of these measurements to start from, or the manner of a cold start.
    prior, beliefs
        About the hyper-parameters and about the noise.
    rounds, steps
        Alternations, and quasi-Newton steps in each.
    """
    prior, beliefs = prior or Prior(), beliefs or Beliefs()
    if len(z) > _COARSE and not isinstance(start, Fit):
        few = _even(len(z), _SUBSET)
        again = partial(fit, start=start, prior=prior, beliefs=beliefs, rounds=rounds, steps=steps)
        coarse = again(X[few], z[few], groups)
        return _refined(coarse, X, z, few, prior, beliefs)
    learner, surrogates = _Learner(X, groups, prior), _Surrogates(X, groups)
    if isinstance(start, Fit):
        theta = start.gp.hyper.theta
        weights, targets = np.ones(len(z)), z.copy()
        weights[: len(start.gp)] = start.gp.weights
        targets[: len(start.gp)] -= start.z - start.gp.z
        gp = surrogates.of(theta, targets, weights)
    else:
        start = start or Start()
        theta = learner.centre.copy()
        theta[:-4] += math.log(start.lengthscale)
        cut, even = np.clip(z, -start.cut, start.cut), np.ones(len(z))
        theta = learner.climb(theta, cut, even, np.zeros(len(z)), steps + steps // 2)
        gp = surrogates.of(theta, cut, even)
    for _ in range(rounds):
        trust = Trust.of(z, *gp.left_out, gp.hyper.noise, beliefs)
        theta = learner.climb(theta, trust.targets, trust.own, trust.lies, steps)
        gp = surrogates.trusting(theta, trust)
    trust = Trust.of(z, *gp.left_out, gp.hyper.noise, beliefs)
    gp = surrogates.trusting(theta, trust)
    return Fit(gp, z, trust, gp.evidence + trust.bonus - prior.doubt(theta))


def _refined(coarse: Fit, X: Array, z: Array, few: IntArray, prior: Prior, beliefs: Beliefs) -> Fit:
    """The fit of all measurements with the hyper-parameters of a ``few``."""
    hyper, surrogates = coarse.gp.hyper, _Surrogates(X, coarse.gp.hyper.groups)
    mean, variance = coarse.gp.predict(X)  # of those that the few have not seen
    mean[few], variance[few] = coarse.gp.left_out
    trust = Trust.of(z, mean, variance, hyper.noise, beliefs)
    gp = surrogates.trusting(hyper.theta, trust)
    trust = Trust.of(z, *gp.left_out, hyper.noise, beliefs)
    gp = surrogates.trusting(hyper.theta, trust)
    return Fit(gp, z, trust, gp.evidence + trust.bonus - prior.doubt(hyper.theta))


def _even(n: int, most: int) -> IntArray:
    """At most so many of n measurements, evenly chosen."""
    chosen: IntArray = np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))
    return chosen


class _Surrogates:
    """Surrogates of the same points; their prior covariance is kept while θ stays."""

    def __init__(self, X: Array, groups: IntArray) -> None:
        self._X, self._groups = X, groups
        self._last: tuple[Hyper, Array] | None = None

    def of(self, theta: Array, z: Array, weights: Array) -> RobustGP:
        if self._last is None or not np.array_equal(theta, self._last[0].theta):
            hyper = Hyper(theta, self._groups)
            self._last = hyper, prior_covariance(self._X, hyper)
        return RobustGP(self._X, z, weights, *self._last)

    def trusting(self, theta: Array, trust: Trust) -> RobustGP:
        return self.of(theta, trust.targets, trust.weights(Hyper(theta, self._groups).noise))


class _Learner:
    """Climbs the evidence of the measurements, or of an even choice of many."""

    def __init__(self, X: Array, groups: IntArray, prior: Prior) -> None:
        n, count = len(X), int(groups.max()) + 1
        self.chosen = _even(n, _SUBSET)
        self.loss = negative_evidence(X[self.chosen], groups, prior)
        self.low, self.high = np.array(prior.bounds(count)).T
        self.centre = prior.centre(count)

    def climb(self, theta: Array, z: Array, w: Array, q: Array, steps: int) -> Array:
        start = np.clip(theta, self.low, self.high)
        if not steps:
            return start
        z, w, q = z[self.chosen], w[self.chosen], q[self.chosen]

        def score(rows: Array) -> tuple[Array, Array]:
            loss, gradient = self.loss(rows[0], z, w, q)
            return np.array([-loss]), -gradient[None]

        found, _ = ascend(score, start[None], self.low, self.high, steps=steps, reach=_STEP)
        best: Array = found[0]
        return best
