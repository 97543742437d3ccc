"""GP-UCB: no defence against outliers, and the baseline of all others.

Srinivas, Krause, Kakade, Seeger, *Gaussian process optimization in the bandit setting: no
regret and experimental design*, ICML 2010. Width of ``theory``: Chowdhury & Gopalan, *On
kernelized multi-armed bandits*, ICML 2017, Theorem 2.
"""

from __future__ import annotations

from typing import Any

from stoic.checks import Array
from stoic.estimators import Belief
from stoic.policies.parts.registry import register
from stoic.policies.parts.ucb import UCBPolicy
from stoic.schedules.chowdhury2017 import GPUCBPaper, GPUCBTheory
from stoic.schedules.practical import Practical
from stoic.schedules.srinivas2010 import SrinivasTheorem1, SrinivasTheorem3

__all__ = ["GPUCB"]


@register
class GPUCB(UCBPolicy):
    """GP-UCB: play the arm of the highest posterior mean + width·std.

    For light-tailed noise. One absurd payoff moves its mean as far as it likes; TGPUCB,
    ATAGPUCB, CATGPUCB and MoMGPUCB exist for that reason.

    x_t = argmax μ_{t−1}(x) + β_t σ_{t−1}(x).

    Besides ``"theory"``, the tighter width of 2017, there are the widths of 2010:
    ``"srinivas-thm1"`` for functions drawn from the process, and ``"srinivas-thm3"`` for functions
    of bounded norm.

    Cost per round: one pass over A × (distinct arms played, or fewer features where the kernel
    is smooth on the arms); from 250,000 arms on, a part of one (see
    :class:`stoic.policies.parts.ucb.UCBPolicy`).

    Departures from print: logdet is the realised one; see the schedules.

    >>> import numpy as np, stoic
    >>> policy = GPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask()
    0
    >>> policy.tell(0, 1.0)
    """

    name = "gp-ucb"
    schedules = {
        "theory": GPUCBTheory,
        "paper": GPUCBPaper,
        "practical": Practical,
        "srinivas-thm1": SrinivasTheorem1,
        "srinivas-thm3": SrinivasTheorem3,
    }

    def _choose(self, belief: Belief) -> Any:
        return self.choices.argmax(belief, self.width, self.seed)  # argmax of mean + width·std

    def _learn(self, arm: int, payoffs: Array) -> None:
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)  # σ_t, and the gain of the play
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)  # y_t as it is
        self.belief.learn(arm, y_hat, step)  # μ_t
