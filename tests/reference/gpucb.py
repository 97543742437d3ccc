"""GP-UCB with the IGP-UCB width.

Srinivas, Krause, Kakade, Seeger, "Gaussian process optimization in the bandit setting: no regret
and experimental design", ICML 2010, Algorithm 1; width of Chowdhury and Gopalan, "On kernelized
multi-armed bandits", ICML 2017, Theorem 2 (quoted as Lemma 6 of bogunovic2022), or of Srinivas et
al. themselves, Theorems 1 and 3.

Departures from print: the realised information gain logdet / 2 stands for the maximal one; the
noise term is divided by min(1, sqrt(lam)), since the theorem as printed wants lam >= 1.
"""

from typing import Unpack

import numpy as np

from .base import Array, Common, Reference


class GPUCB(Reference):
    """GP-UCB. Own parameter: `c` of the paper schedule (bogunovic2022, section 4: c = 1/2)."""

    schedules = ("theory", "paper", "srinivas-thm1", "srinivas-thm3")

    def __init__(self, K: Array, *, c: float = 0.5, **common: Unpack[Common]) -> None:
        super().__init__(K, **common)
        self.c = c

    @property
    def mean(self) -> Array:
        # mu_t(x) = k_t(x)^T (K_t + lam I)^-1 Y_t
        return self._posterior_mean(self.plays, np.array(self.payoffs, dtype=np.float64))

    @property
    def std(self) -> Array:
        # sigma_t^2(x) = k(x,x) - k_t(x)^T (K_t + lam I)^-1 k_t(x)
        return self._posterior_std(self.plays)

    @property
    def width(self) -> float:
        if self.schedule == "paper":
            return float(self.c * np.sqrt(np.log(self.n)))  # bogunovic2022 sec. 4: sqrt(ln t)/2
        if self.schedule == "srinivas-thm1":
            # Thm 1: beta_t = 2 log(|D| t^2 pi^2 / (6 delta)), and the index is mu + beta_t^(1/2) s
            D, t = self.K.shape[0], self.n
            return float(np.sqrt(2 * np.log(D * t**2 * np.pi**2 / (6 * self.constants.delta))))
        if self.schedule == "srinivas-thm3":
            # Thm 3: beta_t = 2 B^2 + 300 gamma_t log^3(t / delta), gamma = logdet / 2
            gamma = 0.5 * self._logdet(self.plays)
            log = np.log(self.n / self.constants.delta)
            return float((2 * self.constants.norm_bound**2 + 300 * gamma * log**3) ** 0.5)
        B, R, delta = self.constants.norm_bound, self.constants.noise_std, self.constants.delta
        # Thm 2: B + R sqrt(2 (gamma_t + 1 + ln(1/delta)))
        root = np.sqrt(self._logdet(self.plays) + 2.0 * (1.0 + np.log(1.0 / delta)))
        return float(B + R / min(1.0, np.sqrt(self.lam)) * root)
