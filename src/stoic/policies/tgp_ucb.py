"""TGP-UCB: truncate payoffs that are too large to be true.

Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019,
Algorithm 1 and Theorem 1.
"""

from __future__ import annotations

from typing import Any

from stoic.checks import Array
from stoic.estimators import Belief, Clipping, Limiters, Truncation
from stoic.policies.parts.registry import register
from stoic.policies.parts.ucb import UCBPolicy
from stoic.schedules.chowdhury2019 import TGPUCBPaper, TGPUCBTheory
from stoic.schedules.practical import Practical

__all__ = ["TGPUCB"]


@register
class TGPUCB(UCBPolicy):
    """TGP-UCB: GP-UCB on truncated payoffs.

    For payoffs with a finite (1 + α)-th moment only: heavy tails, outliers. The simplest of the
    robust policies; its regret bound is T^{(2+α)/(2(1+α))}, looser than that of
    :class:`ATAGPUCB` and :class:`CATGPUCB`.

    ŷ_t = y_t·1{|y_t| ≤ b_t}, decided once, when the payoff arrives; then GP-UCB on ŷ.

    Cost per round: as GP-UCB.

    Departures from print: Algorithm 1 prints σ² without "k(x, x) −". The practical schedule
    clips y_t about the present estimate of its arm instead of zeroing it (see
    :class:`stoic.estimators.Clipping`).

    >>> import numpy as np, stoic
    >>> policy = TGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> for payoff in (1.0, 2.0, 1e9):
    ...     policy.tell(policy.ask(), payoff)
    >>> bool(policy.mean.max() < 10)
    True
    """

    name = "tgp-ucb"
    asks = {**UCBPolicy.asks, "truncation": (1,)}
    schedules = {"theory": TGPUCBTheory, "paper": TGPUCBPaper, "practical": Practical}
    limiters = Limiters(constants=Truncation, learned=Clipping)

    def _choose(self, belief: Belief) -> Any:
        return self.choices.argmax(belief, self.width, self.seed)  # Alg. 1, line 4

    def _learn(self, arm: int, payoffs: Array) -> None:
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)  # line 6: σ_t
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)  # line 5: ŷ_t
        self.belief.learn(arm, y_hat, step)  # line 6: μ̂_t
