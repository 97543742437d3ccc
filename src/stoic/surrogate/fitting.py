"""Fit the hyper-parameters of the surrogate and the weights of its measurements together.

The fit alternates between weights (:mod:`stoic.surrogate.noise`) and a few quasi-Newton steps on
the evidence given the weights. A cold start first fits clipped values. With unclipped ones, the
outliers would be taken for noise, the noise for the whole variation, and no later step would
recover.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.surrogate.ascent import ascend
from stoic.surrogate.covariance import SMOOTH, Covariance
from stoic.surrogate.evidence import negative_evidence
from stoic.surrogate.gp import RobustGP, prior_covariance
from stoic.surrogate.hyper import ROUGH_PRIOR, SMOOTH_PRIOR, Hyper, Prior
from stoic.surrogate.noise import NoisePrior, Weighting, learned_law
from stoic.surrogate.noise_law import EVERYWHERE, NoiseLaw
from stoic.surrogate.replicates import informed

__all__ = ["Fit", "Start", "fit"]


@dataclass(frozen=True)
class FitRule:
    """How a fit is searched; chosen on the develop set of benchmarks/robust."""

    same_mode: float = 0.3  # two fits are one mode if no logarithm in θ differs by more
    same_smoothness: float = 1.0  # and the logit of the smoothness, which matters least, by this
    max_step: float = 1.0  # change of a logarithm in one step
    evidence_subset: int = 256  # measurements whose evidence decides θ
    rounds_of_law: int = 2  # alternations after the noise is found to depend on the value
    coarse_from: int = 400  # measurements above which a cold start begins with a subset


_RULE = FitRule()


@dataclass(frozen=True)
class Start:
    """A cold start: values clipped at ±``clip``, length-scales in units of the prior's."""

    clip: float = 1.0
    lengthscale: float = 1.0
    covariance: Covariance = SMOOTH
    micro: float | None = None  # log b², the prior's mean if None
    prior: Prior | None = None  # that of the covariance if None


@dataclass(frozen=True)
class Fit:
    """A fitted surrogate, the weighting of its measurements, and the evidence for it."""

    gp: RobustGP
    z: Array
    weighting: Weighting
    evidence: float
    prior: Prior  # as it was before replicates informed it

    def restricted(self, kept: NDArray[np.bool_]) -> Fit:
        """The fit, with its hyper-parameters and weights, of the measurements that are kept."""
        if kept.all():
            return self
        gp = self.gp
        fewer = RobustGP(gp.X[kept], gp.z[kept], gp.weights[kept], gp.hyper)
        return Fit(fewer, self.z[kept], self.weighting, self.evidence, self.prior)

    def same_mode(self, other: Fit) -> bool:
        """Whether another fit has found the same mode of the evidence."""
        if self.gp.hyper.covariance is not other.gp.hyper.covariance:
            return False
        apart = np.abs(self.gp.hyper.theta - other.gp.hyper.theta)
        near = apart[:-2].max() < _RULE.same_mode
        return bool(near and apart[-2:].max() < _RULE.same_smoothness)


def fit(
    X: Array,
    z: Array,
    groups: IntArray,
    *,
    start: Start | Fit | None = None,
    prior: Prior | None = None,
    noise_prior: NoisePrior | None = None,
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
        A fit of the first of these measurements to start from, or the kind of a cold start.
    prior, noise_prior
        Of the hyper-parameters and of the noise.
    rounds, steps
        Alternations, and quasi-Newton steps in each.
    """
    start = start or Start()
    form = start.gp.hyper.covariance if isinstance(start, Fit) else start.covariance
    given = prior or start.prior or (SMOOTH_PRIOR if form is SMOOTH else ROUGH_PRIOR)
    prior, noise_prior = informed(given, X, z), noise_prior or NoisePrior()
    if len(z) > _RULE.coarse_from and not isinstance(start, Fit):
        chosen = _evenly_spaced(len(z), _RULE.evidence_subset)
        again = partial(fit, start=start, prior=given, noise_prior=noise_prior)
        coarse = again(X[chosen], z[chosen], groups, rounds=rounds, steps=steps)
        return _extended(coarse, X, z, chosen, prior, noise_prior)
    search, surrogates = _EvidenceSearch(X, groups, prior, form), _Surrogates(X, groups, form)
    if isinstance(start, Fit):
        theta, gp = _warm(start, z, surrogates)
    else:
        theta, gp = _cold(start, z, search, surrogates, steps + steps // 2)
    law = start.gp.hyper.noise_law if isinstance(start, Fit) else EVERYWHERE

    def climbed(theta: Array, gp: RobustGP, law: NoiseLaw, rounds: int) -> Fit:
        for _ in range(rounds):
            w = Weighting.of(z, *gp.left_out, gp.hyper.noise, noise_prior, law)
            theta = search.climb(theta, w.targets, w.scaled_weights, w.fixed_precisions, steps)
            gp = surrogates.weighted(theta, w, law)
        w = Weighting.of(z, *gp.left_out, gp.hyper.noise, noise_prior, law)
        gp = surrogates.weighted(theta, w, law)
        return Fit(gp, z, w, gp.evidence + w.bound_term - prior.penalty(theta), given)

    found = climbed(theta, gp, law, rounds)
    if not isinstance(start, Fit):
        gp = found.gp
        law = learned_law(z, *gp.left_out, gp.hyper.noise, found.weighting.shares, noise_prior)
        if law is not EVERYWHERE:
            other = climbed(gp.hyper.theta, gp, law, _RULE.rounds_of_law)
            return max(found, other, key=lambda each: each.evidence)
    return found


def _warm(start: Fit, z: Array, surrogates: _Surrogates) -> tuple[Array, RobustGP]:
    """θ and weights of a fit of the first measurements; the others have weight 1."""
    theta = start.gp.hyper.theta
    weights, targets = np.ones(len(z)), z.copy()
    weights[: len(start.gp)] = start.gp.weights
    targets[: len(start.gp)] -= start.z - start.gp.z
    return theta, surrogates.of(theta, targets, weights)


def _cold(
    start: Start, z: Array, search: _EvidenceSearch, surrogates: _Surrogates, steps: int
) -> tuple[Array, RobustGP]:
    """θ that explains clipped values of equal weight, climbed from the prior's centre."""
    theta = search.centre.copy()
    theta[:-5] += math.log(start.lengthscale)
    theta[-1] = theta[-1] if start.micro is None else start.micro
    clipped, equal = np.clip(z, -start.clip, start.clip), np.ones(len(z))
    theta = search.climb(theta, clipped, equal, np.zeros(len(z)), steps)
    return theta, surrogates.of(theta, clipped, equal)


def _extended(
    coarse: Fit, X: Array, z: Array, chosen: IntArray, prior: Prior, noise_prior: NoisePrior
) -> Fit:
    """The fit of all measurements with the hyper-parameters of the ``chosen`` ones."""
    hyper = coarse.gp.hyper
    surrogates = _Surrogates(X, hyper.groups, hyper.covariance)
    mean, variance = coarse.gp.predict(X)
    mean[chosen], variance[chosen] = coarse.gp.left_out
    law = hyper.noise_law
    weighting = Weighting.of(z, mean, variance, hyper.noise, noise_prior, law)
    gp = surrogates.weighted(hyper.theta, weighting, law)
    weighting = Weighting.of(z, *gp.left_out, hyper.noise, noise_prior, law)
    gp = surrogates.weighted(hyper.theta, weighting, law)
    evidence = gp.evidence + weighting.bound_term - prior.penalty(hyper.theta)
    return Fit(gp, z, weighting, evidence, coarse.prior)


def _evenly_spaced(n: int, count: int) -> IntArray:
    """At most ``count`` of n measurements, evenly spaced."""
    chosen: IntArray = np.unique(np.linspace(0, n - 1, min(n, count)).astype(int))
    return chosen


class _Surrogates:
    """Surrogates of the same points; the prior covariance is kept while θ stays the same."""

    def __init__(self, X: Array, groups: IntArray, covariance: Covariance) -> None:
        self._X, self._groups, self._covariance = X, groups, covariance
        self._last: tuple[Hyper, Array] | None = None

    def of(self, theta: Array, z: Array, weights: Array, law: NoiseLaw = EVERYWHERE) -> RobustGP:
        hyper = Hyper(theta, self._groups, self._covariance, law)
        if self._last is None or not np.array_equal(theta, self._last[0].theta):
            self._last = hyper, prior_covariance(self._X, hyper)
        return RobustGP(self._X, z, weights, hyper, self._last[1])

    def weighted(self, theta: Array, weighting: Weighting, law: NoiseLaw) -> RobustGP:
        weights = weighting.weights(Hyper(theta, self._groups).noise)
        return self.of(theta, weighting.targets, weights, law)


class _EvidenceSearch:
    """Climbs the evidence of the measurements, or of an evenly spaced subset of many."""

    def __init__(self, X: Array, groups: IntArray, prior: Prior, covariance: Covariance) -> None:
        n, count = len(X), int(groups.max()) + 1
        self.chosen = _evenly_spaced(n, _RULE.evidence_subset)
        self.loss = negative_evidence(X[self.chosen], groups, prior, covariance)
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

        max_step = _RULE.max_step
        found, _ = ascend(score, start[None], self.low, self.high, steps=steps, max_step=max_step)
        best: Array = found[0]
        return best
