"""CA-TGP-UCB: truncate a payoff by the weight it would have.

Park & Lee, *Contextually adaptive algorithms for Gaussian process bandit optimization under
heavy-tailed noise*, ECAI 2024, Algorithm 1 and Lemma 3.
"""

from __future__ import annotations

from typing import Any

from stoic.checks import Array
from stoic.estimators import Belief, ContextualClipping, ContextualTruncation, Limiters
from stoic.policies.parts.registry import register
from stoic.policies.parts.ucb import UCBPolicy
from stoic.schedules.park2024 import CATGPUCBTheory
from stoic.schedules.practical import Practical

__all__ = ["CATGPUCB"]


@register
class CATGPUCB(UCBPolicy):
    """CA-TGP-UCB: truncation that depends on the context, with the optimal order in T.

    For payoffs with a finite (1 + ε)-th moment only, at GP-UCB's cost.

    ŷ_t = y_t·1{|b_t y_t| ≤ h(x_t)}, where w = k_t(x_t)ᵀ(K_t + λI)⁻¹ are the weights of the
    prediction at x_t, h = ‖w‖_{1+ε} and b_t is the weight of y_t itself. Both are read off the
    posterior's gain.

    Cost per round: as GP-UCB, plus O(A).

    Departures from print: none in the algorithm. Its threshold contains no moment, so with the
    theory and paper schedules payoffs must come in units in which E|y|^{1+ε} is about one; the
    practical schedule finds the units itself, and clips about the present estimate with a
    limit that grows with (h/b_t)², the plays that stand behind the prediction.

    >>> import numpy as np, stoic
    >>> policy = CATGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.tell(2, 1.0)
    >>> policy.recommend().arm
    2
    """

    name = "ca-tgp-ucb"
    asks = {**UCBPolicy.asks, "order": ()}
    schedules = {"theory": CATGPUCBTheory, "paper": CATGPUCBTheory, "practical": Practical}
    limiters = Limiters(constants=ContextualTruncation, learned=ContextualClipping)

    def _choose(self, belief: Belief) -> Any:
        return self.choices.argmax(belief, self.width, self.seed)  # Alg. 1, line 5

    def _learn(self, arm: int, payoffs: Array) -> None:
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)  # line 8: σ_t
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)  # lines 6–7: ŷ_t
        self.belief.learn(arm, y_hat, step)  # line 8: μ̂_t
