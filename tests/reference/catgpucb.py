"""CA-TGP-UCB: contextual adaptive truncated GP-UCB.

Park and Lee, "Contextually adaptive algorithms for Gaussian process bandit optimization under
heavy-tailed noise", 2024, Algorithm 1 and Lemma 3.

Departures from print: the realised information gain logdet / 2 of the plays so far stands for
gamma_t. The paper prints no other constants for its experiments: both schedules are Lemma 3.
"""

from typing import Unpack

import numpy as np

from .base import Array, Common, Reference


class CATGPUCB(Reference):
    """CA-TGP-UCB. No parameter of its own."""

    def __init__(self, K: Array, **common: Unpack[Common]) -> None:
        super().__init__(K, **common)
        self.y_hat: list[float] = []  # truncated once, at arrival

    def tell(self, arm: int, payoff: float) -> None:
        super().tell(arm, payoff)  # K_t includes the new play from here on
        order = 1.0 + self.constants.moment_order
        # Alg. 1, line 6: the weights k_t(x_t)^T (K_t + lam I)^-1
        weights = np.linalg.solve(self._gram(self.plays), self.K[np.array(self.plays), arm])
        # Alg. 1, line 6: h(x_t) = || weights ||_{1+eps}
        h = np.sum(np.abs(weights) ** order) ** (1.0 / order)
        # Alg. 1, line 7: y_hat_t = y_t 1{|b_t y_t| <= h(x_t)}, b_t the t-th weight
        self.y_hat.append(float(payoff) if abs(weights[-1] * payoff) <= h else 0.0)

    @property
    def mean(self) -> Array:
        # Alg. 1, line 8
        return self._posterior_mean(self.plays, np.array(self.y_hat, dtype=np.float64))

    @property
    def std(self) -> Array:
        # Alg. 1, line 8
        return self._posterior_std(self.plays)

    @property
    def width(self) -> float:
        B, delta = self.constants.norm_bound, self.constants.delta
        eps, nu_bar = self.constants.moment_order, self.constants.raw_moment
        gamma = self._logdet(self.plays) / 2.0
        # Alg. 1, line 4 and Lemma 3
        growth = self.n ** ((1.0 - eps) / (2.0 * (1.0 + eps))) / np.sqrt(self.lam)
        noise = 2.0 / np.sqrt(self.lam) * np.sqrt(2.0 * (gamma + np.log(1.0 / delta)))
        return float(B + growth * (noise + nu_bar))
