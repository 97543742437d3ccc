"""RGP-UCB: GP-UCB with bounds wide enough for a corruption budget.

Bogunovic, Krause, Scarlett, *Corruption-tolerant Gaussian process bandit optimization*,
AISTATS 2020, Algorithm 1; constants of the experiments from bogunovic2022 §4.
"""

from __future__ import annotations

from typing import Any

from stoic.checks import Array
from stoic.estimators import Belief
from stoic.policies.parts.registry import register
from stoic.policies.parts.ucb import UCBPolicy
from stoic.schedules.bogunovic2022 import RGPUCBPaper, RGPUCBTheory
from stoic.schedules.practical import PracticalRGPUCB

__all__ = ["RGPUCB"]


@register
class RGPUCB(UCBPolicy):
    """RGP-UCB: GP-UCB with width β_t + C/√λ.

    For an adversary who may change payoffs by C in total. The mean is that of GP-UCB: it defends
    by exploring longer, not by discarding payoffs.

    Cost per round: as GP-UCB.

    Departures from print: an unknown C is √T/γ (bogunovic2022 §3.4).

    >>> import numpy as np, stoic
    >>> policy = RGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask()
    0
    """

    name = "rgp-ucb"
    schedules = {"theory": RGPUCBTheory, "paper": RGPUCBPaper, "practical": PracticalRGPUCB}

    def _choose(self, belief: Belief) -> Any:
        return self.choices.argmax(belief, self.width, self.seed)  # mean + (β_t + C/√λ)·std

    def _learn(self, arm: int, payoffs: Array) -> None:
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)  # σ_t, and the gain of the play
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)  # y_t as it is
        self.belief.learn(arm, y_hat, step)  # μ_t
