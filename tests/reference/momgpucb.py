"""MoM-GP-UCB: median of means GP-UCB.

Park and Lee, "Contextually adaptive algorithms for Gaussian process bandit optimization under
heavy-tailed noise", 2024, Algorithm 2 and Lemma 5.

Departures from print: l is rounded up; line 8 lacks the inverse; line 9 lacks "k(x,x) -" and the
root; the realised information gain of the completed episodes (one entry per episode) stands for
gamma_n; the T - N l rounds left are played on the argmax of the mean, and their payoffs ignored.
The paper prints no other constants for its experiments: both schedules are Lemma 5.
"""

from math import ceil, floor, log
from typing import Unpack

import numpy as np

from .base import Array, Common, Reference


class MoMGPUCB(Reference):
    """MoM-GP-UCB. Own parameter: `delta_prime`."""

    def __init__(self, K: Array, *, delta_prime: float = 0.1, **common: Unpack[Common]) -> None:
        super().__init__(K, **common)
        # Alg. 2, line 2: l = 8 ln(2T/delta'), N = floor(T/l)
        self.length = ceil(8.0 * log(2.0 * self.horizon / delta_prime))
        self.episodes = floor(self.horizon / self.length)

    @property
    def completed(self) -> int:
        """Number of completed episodes."""
        return min(self.t // self.length, self.episodes)

    @property
    def arms(self) -> list[int]:
        """x_1, ..., x_n of the completed episodes."""
        return [self.plays[i * self.length] for i in range(self.completed)]

    def tell(self, arm: int, payoff: float) -> None:
        # Alg. 2, line 6: play x_n l times
        within = self.t % self.length
        if self.completed < self.episodes and within and arm != self.plays[self.t - within]:
            expected = self.plays[self.t - within]
            raise ValueError(f"expected the episode's arm {expected}, got {arm}")
        super().tell(arm, payoff)

    @property
    def mean(self) -> Array:
        if self.completed == 0:
            return np.zeros(len(self.K))  # Alg. 2, line 2
        told = np.array(self.payoffs[: self.completed * self.length], dtype=np.float64)
        Y = told.reshape(self.completed, self.length)  # column j is Y_n^j
        # Alg. 2, line 7: k_n(x)^T (K_n + lam I)^-1 Y_n^j for each j
        means = self._posterior_mean(self.arms, Y)
        # Alg. 2, line 8 and Eq. (12)
        return np.asarray(np.median(means, axis=1), dtype=np.float64)

    @property
    def std(self) -> Array:
        # Alg. 2, line 9 (corrected)
        return self._posterior_std(self.arms)

    @property
    def width(self) -> float:
        if self.completed == self.episodes:
            return 0.0  # the remainder: the best arm by the mean
        B, delta = self.constants.norm_bound, self.constants.delta
        eps, nu = self.constants.moment_order, self.constants.central_moment
        n = self.completed + 1
        gamma = self._logdet(self.arms) / 2.0
        # Alg. 2, line 4 and Lemma 5
        growth = n ** ((1.0 - eps) / (2.0 * (1.0 + eps))) * (4.0 * nu) ** (1.0 / (1.0 + eps))
        noise = 2.0 * B / np.sqrt(self.lam) * np.sqrt(gamma + np.log(1.0 / delta))
        return float(growth * (noise + 0.25) + B)
