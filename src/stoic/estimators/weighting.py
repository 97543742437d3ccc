"""Payoffs that weigh less the less likely they are: the robust conjugate Gaussian process.

Altamirano, Briol, Knoblauch, *Robust and conjugate Gaussian process regression*, ICML 2024.
"""

from __future__ import annotations

import math
from typing import Any

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


def weighed(payoff: float, inner: float, c: float, std: float) -> tuple[float, float]:
    """The target y − m_w + m and the weight ω = 2w²/σ² of a payoff.

    With u = y − inner, the part of the payoff beyond the plateau of its weight, and σ the std of
    the noise,

        ω = 1/(1 + u²/c²),  target = y − σ² ∂_y ln w² = y + 2σ² u/(c² + u²).

    >>> weighed(5.0, 2.0, 1.0, 1.0)
    (5.6, 0.1)
    """
    u = payoff - inner
    if u == 0.0:
        return payoff, 1.0
    if abs(u) < _FARTHEST * c:
        ratio = u / c
    else:  # c = 0, too: all payoffs were equal so far
        ratio = math.copysign(_FARTHEST, u)
        u = ratio * c
    weight = 1.0 / (1.0 + ratio * ratio)
    return inner + u + 2.0 * std * (std / c if c else 0.0) * ratio * weight, weight


class FixedWeights(Limiter):
    """w = β(1 + y²/c²)^{−½} with the schedule's c and noise variance λ; the prior mean is zero."""

    def __init__(self, schedule: Any, prior_var: float) -> None:
        super().__init__(schedule, prior_var)
        self._std = math.sqrt(schedule.setting.lam)

    def weigh(self, arm: int, payoffs: Array, about: About, belief: Belief) -> Limited:
        """The target and the weight of a payoff."""
        del arm, about, belief
        target, weight = weighed(payoffs.item(0), 0.0, self.schedule.scale(), self._std)
        return Limited(np.array([target]), weights=np.array([weight]))


class LearnedWeights(Clipping):
    """Weights about the present estimate, by what was learned of the noise.

    The weight is one up to the limit L that :class:`Clipping` clips at, L from the estimate of
    the arm, and falls beyond it as 1/(1 + u²/c²) with u the distance from the limit and c = L/2.
    It is decided once, when the payoff arrives. σ is the spread of the residuals.

    After a payoff beyond the limit, the limit of the arm's next payoff is doubled, and that payoff
    does not count for the noise level: if it is beyond the plain limit as well, the estimate is
    wrong, and a payoff without weight did not correct it. Otherwise a few arms whose payoffs are
    all far below the others (crashed runs) would raise the widths of all arms for good.
    """

    PLATEAU = 2.0  # L/c; the experiments of RCGP-UCB have L = 1.96 and c = 1

    def weigh(self, arm: int, payoffs: Array, about: About, belief: Belief) -> Limited:
        """The target and the weight of a payoff; of all payoffs so far, while warming up."""
        if self.warming:
            return self._weighed_anew(self.warm(arm, payoffs))
        centre, std = about[0], self._residuals.scale
        (inner,) = self.clip(arm, payoffs, about, float(belief.posterior.counts.item(arm) + 1))
        c = abs(float(inner) - centre) / self.PLATEAU
        target, weight = weighed(payoffs.item(0), float(inner), c, min(std, c))
        return Limited(np.array([target]), self.location, weights=np.array([weight]))

    def clip(self, arm: int, payoffs: Array, about: About, plays: float) -> Array:
        """As the base class, without the noise level after a payoff beyond the limit."""
        counted = self._counters[2].copy() if arm in self._streaks else None
        y_hat = super().clip(arm, payoffs, about, plays)
        if counted is not None:
            self._counters[2] = counted
        return y_hat

    def _weighed_anew(self, limited: Limited) -> Limited:
        """All payoffs of the warm-up, weighed about their median."""
        first, std = self._first - self.origin, self._payoffs.scale
        c = self.WARMUP_LIMIT * std / self.PLATEAU
        inner = self._limited(first)
        both = [weighed(*pair, c, std) for pair in zip(first.tolist(), inner.tolist(), strict=True)]
        targets, weights = np.array(both).T
        return limited._replace(anew=(self._first_arms, targets), weights=weights)


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
