"""BBKB: BKB in batches.

Calandriello, Carratino, Lazaric, Valko, Rosasco, *Near-linear time Gaussian process
optimization with adaptive batching and resparsification*, ICML 2020.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, number
from stoic.errors import InvalidState
from stoic.estimators import Overview
from stoic.estimators.truncation import check_sums
from stoic.policies.bkb import BKB
from stoic.policies.registry import register
from stoic.posterior import FeaturePosterior
from stoic.schema import LARGEST, Field, Reals, Schema, Sums

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
    own = (*BKB.own, "growth")
    keeps = {
        **BKB.keeps,
        "_start_width": Sums(),
        "_pending": Sums("A"),
        "_batch_sum": Reals(low=0.0, high=LARGEST),
    }

    def __init__(self, *args: Any, growth: float = 2.0, **kwargs: Any) -> None:
        self.growth = number(growth, "growth", at_least=1.0)
        super().__init__(*args, **kwargs)
        self._open_batch()

    def _suppose(self, pending: Overview, arm: int) -> None:
        pending.suppose(arm)  # within a batch the dictionary stands still

    def _open_batch(self) -> None:
        self._start = self.posterior.copy()
        self._start_width: float = super().width
        self._pending: Array = np.zeros(len(self.posterior.counts))  # payoff sums of the batch
        self._batch_sum = 0.0

    @property
    def width(self) -> float:
        """What multiplies the std: that of the batch's start."""
        return self._start_width

    @property
    def _basis(self) -> FeaturePosterior:
        return self._start

    def _follow(self, points: Array) -> None:
        self._start.track(points)
        self._pending = np.concatenate([self._pending, np.zeros(len(points))])
        super()._follow(points)

    def _learn(self, arm: int, payoff: float) -> None:
        warming = self._calibration is not None and self._calibration.warming
        location = self.estimator.location
        self._judge(arm, payoff)
        self.estimator.location = location  # like the mean, it waits for the batch's end
        self.posterior.observe(arm)
        self._draw_play(arm)
        if not warming:  # the warm-up's payoffs enter from the calibration
            self._pending[arm] += payoff
        self._batch_sum += float(self._start.var[arm]) / self.lam
        if 1.0 + self._batch_sum > self.growth:
            self._close_batch()

    def _close_batch(self) -> None:
        self._redraw(self.posterior.var)
        if self._calibration is not None:
            self.estimator.location = self._calibration.location
            if self._start.t < self._calibration.WARMUP:
                self._rewarm(clipped=False)
        self.estimator.sums[:, 0] += self._pending
        self.estimator.smooth(self.posterior)
        self._open_batch()

    def _memory(self) -> dict[str, Any]:
        return {**super()._memory(), "start": self._start.state()}

    def _layout(self) -> dict[str, Field | Schema]:
        return {**super()._layout(), "start": self._start.schema}

    def _remember(self, memory: dict[str, Any]) -> None:
        super()._remember(memory)
        self._start.restore(memory["start"])
        self._renew()

    def _verify(self) -> None:
        super()._verify()
        self._start.verify()
        batch = (self.posterior.counts - self._start.counts).astype(float)
        if (batch < 0).any():
            raise InvalidState("expected a batch that began with fewer plays in the state")
        check_sums(self._pending, batch)
