"""BBKB: batched budgeted kernel bandits.

Calandriello, Carratino, Lazaric, Valko, Rosasco, "Near-linear time Gaussian process optimization
with adaptive batching and resparsification", ICML 2020, Algorithm 1.

Within a batch the dictionary, the mean and the width are those of its start; the variance follows
every play. The widths are BKB's, with the quantities at the start of the batch.
"""

from typing import Unpack

import numpy as np

from .base import Array, Common
from .bkb import BKB, Include


class BBKB(BKB):
    """BBKB. Own parameters: BKB's, and `growth`, at which a batch ends."""

    def __init__(
        self,
        K: Array,
        *,
        include: Include,
        eps: float = 0.5,
        q: float | None = None,
        growth: float = 2.0,
        **common: Unpack[Common],
    ) -> None:
        super().__init__(K, include=include, eps=eps, q=q, **common)
        self.growth = growth
        self.start = 0  # number of plays before the current batch

    def tell(self, arm: int, payoff: float) -> None:
        self.plays.append(int(arm))
        self.payoffs.append(float(payoff))
        at_start = self._variance(self.plays[: self.start])
        batch = np.array(self.plays[self.start :], dtype=np.intp)
        # Alg. 1: the batch goes on while 1 + sum_{s in batch} sigma~_fb^2(x_s) <= growth
        if 1.0 + np.sum(at_start[batch] / self.lam) > self.growth:
            # Alg. 1: resample from all plays, by the old dictionary's variance at the end
            self._resample(self._variance(self.plays))
            self.start = self.t

    @property
    def mean(self) -> Array:
        return self._mean(self.plays[: self.start], self.payoffs[: self.start])

    @property
    def std(self) -> Array:
        return np.sqrt(self._variance(self.plays))  # follows the plays of this batch

    @property
    def width(self) -> float:
        return self._width(self.plays[: self.start])
