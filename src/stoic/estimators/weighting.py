"""Payoffs that weigh less the less likely they are: the robust conjugate Gaussian process.

Altamirano, Briol, Knoblauch, *Robust and conjugate Gaussian process regression*, ICML 2024.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.estimators.belief import Belief, DenseBelief
from stoic.estimators.clipping import Clipping
from stoic.estimators.limited import Limited
from stoic.estimators.limiter import About, Limiter
from stoic.estimators.smoothed import SmoothedMean
from stoic.loops import deviate
from stoic.posterior import Posterior, Step, WeightedPosterior

__all__ = ["FixedWeights", "LearnedWeights", "WeightedBelief", "WeightedMean", "weighed"]

_FARTHEST = 1e9  # times c beyond the plateau: payoffs farther out are taken as being there


def weighed(payoffs: Array, inner: Array, c: Array, std: float) -> tuple[Array, Array]:
    """Targets y − m_w + m and weights ω = 2w²/σ² of payoffs.

    With u = y − inner, the part of a payoff beyond the plateau of its weight, c > 0, and σ the
    std of the noise,

        ω = 1/(1 + u²/c²),  target = y − σ² ∂_y ln w² = y + 2σ² u/(c² + u²).

    >>> targets, weights = weighed(np.array([1.0, 5.0]), np.array([1.0, 2.0]), np.ones(2), 1.0)
    >>> targets.tolist(), weights.tolist()
    ([1.0, 5.6], [1.0, 0.1])
    """
    u = payoffs - inner
    ratio = np.zeros(len(u))
    np.divide(u, c, out=ratio, where=(u != 0.0) & (c > 0.0))  # c = 0: all payoffs were equal
    far = (u != 0.0) & ~(np.abs(ratio) < _FARTHEST) | (u != 0.0) & (c <= 0.0)
    ratio[far] = np.sign(u[far]) * _FARTHEST
    weights = 1.0 / (1.0 + ratio * ratio)
    shift = np.zeros(len(u))
    np.divide(std, c, out=shift, where=c > 0.0)
    targets: Array = inner + ratio * c + 2.0 * std * shift * (ratio * weights)
    return np.where(u == 0.0, payoffs, targets), weights


class FixedWeights(Limiter):
    """w = β(1 + y²/c²)^{−½} with the schedule's c and noise variance λ; the prior mean is zero."""

    def weigh(self, arm: int, payoffs: Array, about: About, belief: Belief) -> Limited:
        """The target and the weight of a payoff."""
        del arm, about, belief
        c, std = np.array([self.schedule.scale()]), float(self.schedule.setting.lam) ** 0.5
        targets, weights = weighed(payoffs, np.zeros(1), c, std)
        return Limited(targets, weights=weights)


class LearnedWeights(Clipping):
    """Weights about the present estimate, by what was learned of the noise.

    The weight is one up to the limit L that :class:`Clipping` clips at, L from the estimate of
    the arm, and falls beyond it as 1/(1 + u²/c²) with u the distance from the limit and c = L/2.
    It is decided once, when the payoff arrives. σ is the spread of the residuals.
    """

    PLATEAU = 2.0  # L/c; the experiments of RCGP-UCB have L = 1.96 and c = 1

    def weigh(self, arm: int, payoffs: Array, about: About, belief: Belief) -> Limited:
        """The target and the weight of a payoff; of all payoffs so far, while warming up."""
        if self.warming:
            limited = self.warm(arm, payoffs)
            first, std = self._first - self.origin, self._payoffs.scale
            inner = self._limited(first)
            c = np.full(len(first), self.WARMUP_LIMIT * std / self.PLATEAU)
            targets, weights = weighed(first, inner, c, std)
            return limited._replace(anew=(self._first_arms, targets), weights=weights)
        centre, std = about[0], self._residuals.scale
        inner = self.clip(arm, payoffs, about, float(belief.posterior.counts.item(arm) + 1))
        targets, weights = weighed(payoffs, inner, np.abs(inner - centre) / self.PLATEAU, std)
        return Limited(targets, self.location, weights=weights)


class WeightedMean(SmoothedMean):
    """The posterior mean of payoffs that do not all weigh the same: sums are of ω·y."""

    def learn(self, arm: int, limited: Limited, step: Step, posterior: Posterior) -> None:
        """Take in the payoff of the play that made ``step``, or all payoffs so far anew."""
        self.location, weights = limited.location, limited.weights
        if weights is None:
            weights = np.ones(1)
        if limited.anew is not None:
            arms, targets = limited.anew
            self._set_sums(arms, weights * targets)
            self.smooth(posterior)
            return
        added = weights * limited.payoffs
        self.sums[arm] += added
        self._largest = max(self._largest, abs(added.item(0)))
        if step.refreshed:
            self.smooth(posterior)
            return
        targets = np.append(limited.payoffs, 1.0)
        self._rows += (targets - self._rows[:, arm])[:, None] * step.gain
        self.range = deviate(self._rows, self.location, self.deviation)

    def _ones(self, posterior: Posterior) -> Array:
        weights: Array = posterior.weights  # type: ignore[attr-defined]
        return weights


class WeightedBelief(DenseBelief):
    """A weighted posterior and the mean of payoffs that do not all weigh the same."""

    posterior: WeightedPosterior

    def account(self, arm: int, limited: Limited) -> Step:
        """Let the posterior account for one more play of an arm, of the weight of its payoff."""
        weights = limited.weights
        if weights is None:
            return self.observe(arm)
        if limited.anew is not None:
            return self.posterior.renew(limited.anew[0], weights)
        return self.posterior.weigh(arm, weights.item(0))
