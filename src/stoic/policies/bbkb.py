"""BBKB: BKB in batches.

Calandriello, Carratino, Lazaric, Valko, Rosasco, *Near-linear time Gaussian process
optimization with adaptive batching and resparsification*, ICML 2020.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from stoic.checks import Array, number
from stoic.estimators import BatchedBelief, SmoothedMean
from stoic.policies.bkb import BKB
from stoic.policies.parts.options import Option
from stoic.policies.parts.registry import register
from stoic.posterior import Step, sketched_posterior
from stoic.schema import Sums

__all__ = ["BBKB"]


@register
class BBKB(BKB):
    """BBKB: dictionary, mean and width stand still within a batch; only the variance shrinks.

    For many arms and batched or delayed payoffs: within a batch the choices do not depend on
    payoffs, so ``ask(n)`` is exactly what ``n`` single rounds would play. A batch ends after
    the play at which 1 + Σ σ̃²(x_s)/λ over the batch, with the variances of its start, exceeds
    ``growth``; then the dictionary is drawn anew and all payoffs enter.

    Parameters
    ----------
    growth
        C̃ ≥ 1; a larger one makes longer batches, 1 makes BKB.

    Cost per round: A·m within a batch; A·m² + m³ at its end, or, with the practical schedule, A·m
    for each point that the dictionary has grown by.

    Departures from print: as BKB.

    >>> import numpy as np, stoic
    >>> policy = BBKB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.tell(policy.ask(), 1.0)
    >>> policy.posterior.size
    0
    """

    name = "bbkb"
    growth = Option(2.0, partial(number, at_least=1.0))
    keeps = {"_start_width": Sums()}
    belief: BatchedBelief

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._start_width: float = super().width

    def _new_belief(self, points: Array) -> BatchedBelief:
        empty = sketched_posterior(self.kernel, points, self.lam, grows=self._lasting, root=False)
        return BatchedBelief(empty, SmoothedMean(len(points)), self._sampler(points))

    @property
    def width(self) -> float:
        """What multiplies the std: that of the batch's start."""
        return self._start_width

    def _learn(self, arm: int, payoffs: Array) -> None:
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)  # within a batch only σ̃ shrinks
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)
        self.belief.learn(arm, y_hat, step)  # the payoff waits
        if 1.0 + self.belief.batch_sum > self.growth:
            self._close_batch(step)

    def _close_batch(self, step: Step) -> None:
        self.belief.redraw(self.posterior.var, step)
        first = self.limiter.first(since=self.belief.start.t)
        self.belief.close_batch(self.limiter.location, first)
        self._start_width = super().width
