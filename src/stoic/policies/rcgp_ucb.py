"""RCGP-UCB: a payoff weighs less the less likely it is.

Altamirano, Briol, Knoblauch, *Robust and conjugate Gaussian process regression*, ICML 2024
(arXiv 2311.00463), and Ezzerg, Bogunovic, Knoblauch, *Robust Bayesian optimisation with unbounded
corruptions*, 2025 (arXiv 2511.15315).
"""

from __future__ import annotations

from typing import Any

from stoic.checks import Array
from stoic.estimators import Belief, FixedWeights, LearnedWeights, Limiters
from stoic.estimators import WeightedBelief, WeightedMean
from stoic.policies.parts.registry import register
from stoic.policies.parts.ucb import UCBPolicy
from stoic.posterior import WeightedPosterior
from stoic.schedules.altamirano2024 import RCGPUCBPaper
from stoic.schedules.practical import Practical

__all__ = ["RCGPUCB"]


@register
class RCGPUCB(UCBPolicy):
    """RCGP-UCB: UCB on the robust conjugate Gaussian process.

    TODO

    >>> import numpy as np, stoic
    >>> policy = RCGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> for payoff in (1.0, 2.0, 1e9):
    ...     policy.tell(policy.ask(), payoff)
    >>> bool(policy.mean.max() < 10)
    True
    """

    name = "rcgp-ucb"
    asks = {**UCBPolicy.asks, "scale": ()}
    schedules = {"paper": RCGPUCBPaper, "practical": Practical}
    limiters = Limiters(constants=FixedWeights, learned=LearnedWeights)
    limiter: FixedWeights | LearnedWeights
    belief: WeightedBelief

    def _new_belief(self, points: Array) -> WeightedBelief:
        posterior = WeightedPosterior(self.kernel, points, self.lam)
        return WeightedBelief(posterior, WeightedMean(len(points)))

    def _choose(self, belief: Belief) -> Any:
        return self.choices.argmax(belief, self.width, self.seed)  # argmax of mean + width·std

    def _learn(self, arm: int, payoffs: Array) -> None:
        about = self.limiter.about(self.belief, arm)
        y_hat = self.limiter.weigh(arm, payoffs, about, self.belief)  # w_t, and y_t − m_w
        step = self.belief.account(arm, y_hat)  # σ_t, with J_w
        self.belief.learn(arm, y_hat, step)  # μ_t
