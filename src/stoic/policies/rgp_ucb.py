"""RGP-UCB: GP-UCB with bounds wide enough for a corruption budget.

Bogunovic, Krause, Scarlett, *Corruption-tolerant Gaussian process bandit optimization*,
AISTATS 2020, Algorithm 1; constants of the experiments from bogunovic2022 §4.
"""

from __future__ import annotations

from stoic.policies.many import ManyArmsPolicy
from stoic.policies.registry import register
from stoic.schedules.bogunovic2022 import RGPUCBPaper, RGPUCBTheory
from stoic.schedules.practical import PracticalRGPUCB

__all__ = ["RGPUCB"]


@register
class RGPUCB(ManyArmsPolicy):
    """RGP-UCB: GP-UCB with width β_t + C/√λ.

    For an adversary who may change payoffs by C in total. The mean is the plain one: it defends
    by doubting longer, not by discarding.

    Cost per round: as GP-UCB.

    Departures from print: an unknown C is √T/γ (bogunovic2022 §3.4).

    >>> import numpy as np, stoic
    >>> policy = RGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask()
    0
    """

    name = "rgp-ucb"
    schedules = {"theory": RGPUCBTheory, "paper": RGPUCBPaper, "practical": PracticalRGPUCB}

    def _learn(self, arm: int, payoff: float) -> None:
        self._absorb(arm, [payoff])
