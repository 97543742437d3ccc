"""Learning the hyper-parameters and the weights together, without being fooled at the start.

Alternates between judging the measurements (:mod:`stoic.surrogate.noise`) and a few
quasi-Newton steps on the evidence given their weights. A cold start first fits values cut at
±3 spreads: outliers would otherwise pass for noise, the noise for all there is, and no later
step would find back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stoic.checks import Array, IntArray
from stoic.surrogate.evidence import negative_evidence
from stoic.surrogate.gp import RobustGP
from stoic.surrogate.hyper import Hyper, Prior
from stoic.surrogate.noise import Beliefs, Trust

__all__ = ["Fit", "fit"]

_CUT = 3.0
_SUBSET = 256  # the evidence of this many measurements settles the hyper-parameters


@dataclass(frozen=True)
class Fit:
    """A fitted surrogate and how it judged its measurements."""

    gp: RobustGP
    trust: Trust
    score: float


def fit(
    X: Array,
    z: Array,
    groups: IntArray,
    *,
    warm: Fit | None = None,
    prior: Prior | None = None,
    beliefs: Beliefs | None = None,
    rounds: int = 3,
    steps: int = 8,
) -> Fit:
    """Fit a robust GP to values ``z`` at points ``X`` of the unit cube.

    Parameters
    ----------
    X, z
        (n, d) points and n values in robust units.
    groups
        Number of the length-scale of each column.
    warm
        A fit of the first of these measurements to start from; without it, a cold start.
    prior, beliefs
        About the hyper-parameters and about the noise.
    rounds, steps
        Alternations, and quasi-Newton steps in each.
    """
    prior, beliefs = prior or Prior(), beliefs or Beliefs()
    learner = _Learner(X, groups, prior)
    if warm is None:
        theta = prior.centre(int(groups.max()) + 1)
        theta = learner.climb(theta, np.clip(z, -_CUT, _CUT), np.ones(len(z)), steps + steps // 2)
        seen = RobustGP(X, np.clip(z, -_CUT, _CUT), np.ones(len(z)), Hyper(theta, groups))
    else:
        theta = warm.gp.hyper.theta
        weights = np.ones(len(z))
        weights[: len(warm.gp)] = warm.gp.weights
        seen = RobustGP(X, z, weights, Hyper(theta, groups))
    for _ in range(rounds):
        trust = _judge(seen, z, beliefs)
        theta = learner.climb(theta, z, trust.weights, steps)
        seen = RobustGP(X, z, trust.weights, Hyper(theta, groups))
    trust = _judge(seen, z, beliefs)
    u = (theta - learner.centre) / learner.spread
    score = trust.score - 0.5 * float(u @ u)
    return Fit(RobustGP(X, z, trust.weights, Hyper(theta, groups)), trust, score)


def _judge(gp: RobustGP, z: Array, beliefs: Beliefs) -> Trust:
    """Judge ``z``, of which the surrogate may have seen a cut version."""
    mean, variance = gp.left_out
    return Trust.of(z, mean, variance, gp.hyper.noise, beliefs)


class _Learner:
    """Climbs the evidence of the measurements, or of an even choice of many."""

    def __init__(self, X: Array, groups: IntArray, prior: Prior) -> None:
        n, count = len(X), int(groups.max()) + 1
        self.chosen = np.unique(np.linspace(0, n - 1, min(n, _SUBSET)).astype(int))
        self.loss = negative_evidence(X[self.chosen], groups, prior)
        self.bounds = prior.bounds(count)
        self.low, self.high = np.array(self.bounds).T
        self.centre, self.spread = prior.centre(count), prior.spread(count)

    def climb(self, theta: Array, z: Array, w: Array, steps: int) -> Array:
        from scipy.optimize import minimize  # slow to import: only where it is used

        found = minimize(
            self.loss,
            np.clip(theta, self.low, self.high),
            args=(z[self.chosen], w[self.chosen]),
            jac=True,
            method="L-BFGS-B",
            bounds=self.bounds,
            options={"maxiter": steps},
        )
        best: Array = found.x
        return best
