"""TGP-UCB: truncated GP-UCB.

Chowdhury and Gopalan, "Bayesian optimization under heavy-tailed payoffs", NeurIPS 2019,
Algorithm 1 and Theorem 1.

Departures from print: Algorithm 1 prints sigma^2 without "k(x,x) -"; the paper schedule is that of
the released code, B sqrt(lam) + b_t sqrt(ln t).
"""

from typing import Unpack

import numpy as np

from .base import Array, Common, Reference


class TGPUCB(Reference):
    """TGP-UCB. No parameter of its own."""

    def __init__(self, K: Array, **common: Unpack[Common]) -> None:
        super().__init__(K, **common)
        self.y_hat: list[float] = []  # truncated once, at arrival

    def truncation(self, t: int) -> float:
        """b_t, with b_0 = 0."""
        v, alpha = self.constants.raw_moment, self.constants.moment_order
        # Thm 1: b_t = v^(1/(1+alpha)) t^(1/(2(1+alpha)))
        return float(v ** (1.0 / (1.0 + alpha)) * t ** (1.0 / (2.0 * (1.0 + alpha))))

    def tell(self, arm: int, payoff: float) -> None:
        super().tell(arm, payoff)
        # Alg. 1: y_hat_t = y_t 1{|y_t| <= b_t}; t is by now this payoff's own round
        self.y_hat.append(float(payoff) if abs(payoff) <= self.truncation(self.t) else 0.0)

    @property
    def mean(self) -> Array:
        # Alg. 1: mu_hat_t(x) = k_t(x)^T (K_t + lam I)^-1 Y_hat_t
        return self._posterior_mean(self.plays, np.array(self.y_hat, dtype=np.float64))

    @property
    def std(self) -> Array:
        # Alg. 1 (corrected): sigma_t^2(x) = k(x,x) - k_t(x)^T (K_t + lam I)^-1 k_t(x)
        return self._posterior_std(self.plays)

    @property
    def width(self) -> float:
        B, delta = self.constants.norm_bound, self.constants.delta
        if self.schedule == "paper":
            # released code: beta_t = B sqrt(lam) + b_t sqrt(ln t), t the coming round
            b_n = self.truncation(self.n)
            return float(B * np.sqrt(self.lam) + b_n * np.sqrt(np.log(self.n)))
        # Thm 1: beta_{t+1} = B + (3/sqrt(lam)) b_t sqrt(ln|I + K_t/lam| + 2 ln(1/delta))
        root = np.sqrt(self._logdet(self.plays) + 2.0 * np.log(1.0 / delta))
        return float(B + 3.0 / np.sqrt(self.lam) * self.truncation(self.t) * root)
