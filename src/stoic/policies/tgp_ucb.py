"""TGP-UCB: truncate payoffs that are too large to be true.

Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019,
Algorithm 1 and Theorem 1.
"""

from __future__ import annotations

from stoic.estimators import truncate
from stoic.policies.many import ManyArmsPolicy
from stoic.policies.registry import register
from stoic.posterior import Step
from stoic.schedules.chowdhury2019 import TGPUCBPaper, TGPUCBTheory
from stoic.schedules.practical import Practical

__all__ = ["TGPUCB"]


@register
class TGPUCB(ManyArmsPolicy):
    """TGP-UCB: GP-UCB on truncated payoffs.

    For payoffs with a finite (1 + α)-th moment only: heavy tails, outliers. The simplest of the
    robust policies; its regret bound is T^{(2+α)/(2(1+α))}, looser than that of
    :class:`ATAGPUCB` and :class:`CATGPUCB`.

    ŷ_t = y_t·1{|y_t| ≤ b_t}, decided once, when the payoff arrives; then GP-UCB on ŷ.

    Cost per round: as GP-UCB.

    Departures from print: Algorithm 1 prints σ² without "k(x, x) −". The practical schedule
    clips y_t about the present estimate of its arm instead of zeroing it (see
    :class:`stoic.estimators.Calibration`).

    >>> import numpy as np, stoic
    >>> policy = TGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> for payoff in (1.0, 2.0, 1e9):
    ...     policy.tell(policy.ask(), payoff)
    >>> bool(policy.mean.max() < 10)
    True
    """

    name = "tgp-ucb"
    asks = {**ManyArmsPolicy.asks, "truncation": (1,)}
    schedules = {"theory": TGPUCBTheory, "paper": TGPUCBPaper, "practical": Practical}

    def _learn(self, arm: int, payoff: float) -> None:
        if self._calibration is None:
            payoff = truncate(payoff, self.schedule.truncation(self.t))  # Thm 1; Alg. 1, line 5
        self._absorb(arm, [payoff], clipped=True)  # line 6

    def _support(self, arm: int, step: Step) -> float:  # noqa: ARG002
        return float(self.posterior.counts[arm])
