"""RGP-PE: robust GP phased elimination.

Bogunovic, Li, Krause, Scarlett, "A robust phased elimination algorithm for corruption-tolerant
Gaussian process bandits", NeurIPS 2022, Algorithm 1, Eqs. (6) and (7), Theorem 3, Corollaries 5
and 7; the paper schedule is section 4.

Departures from print: sigma_0(x) = sqrt(k(x,x)), where line 2 has 1; psi = ln(eta)/(2 gamma_T) with
the realised 2 gamma of the epoch's selections, at most 1; determinants are compared by their
logarithms, and a growth by exactly eta (to 1e-9) counts as none; the last epoch is not cut at T;
gamma of Corollary 7 is the realised one of the epoch's u_h plays, and its sigma is divided by
sqrt(lam) if lam < 1.
"""

from math import ceil
from typing import Unpack

import numpy as np

from .base import Array, Common, Mask, Reference


class RGPPE(Reference):
    """RGP-PE. Own parameters: `eta`, `psi` (None: by schedule), `b` and `beta` of the paper.

    `continuous`: K is of points that stand for a continuous domain, so Corollary 7 applies.
    """

    def __init__(
        self,
        K: Array,
        *,
        eta: float = 2.0,
        psi: float | None = None,
        b: float = 0.1,
        beta: float = 4.0,
        continuous: bool = False,
        **common: Unpack[Common],
    ) -> None:
        super().__init__(K, **common)
        self.eta, self.given_psi, self.b, self.beta = eta, psi, b, beta
        self.continuous = continuous
        # Line 1: l_0 = 2, h = 0, X_0 = X
        self.l_h, self.h = 2, 0
        self.active: Mask = np.ones(len(self.K), dtype=np.bool_)
        self._mean: Array = np.zeros(len(self.K))
        self._std: Array = np.sqrt(np.diag(self.K))
        self._width = 0.0
        self._begun = False

    def _select(self) -> list[int]:
        """Lines 2 to 10: x_1, ..., x_{l_h}."""
        selected: list[int] = []  # line 2
        t_prime = 0  # line 2
        sigma = np.sqrt(np.diag(self.K))  # line 2
        for t in range(1, self.l_h + 1):  # line 3
            candidates = np.flatnonzero(self.active)
            selected.append(int(candidates[np.argmax(sigma[candidates])]))  # line 4, lowest index
            # Line 6: det(I_t + K_t/lam) > eta det(I_t' + K_t'/lam)
            before = self._logdet(selected[:t_prime])
            if self._logdet(selected) > np.log(self.eta) + before + 1e-9:
                t_prime = t  # line 7
                sigma = self._posterior_std(selected[:t_prime])  # line 8
        return selected

    def _begin(self) -> None:
        """Lines 2 to 12: choose what this epoch plays, and how often."""
        self.selected = self._select()
        if self.given_psi is not None:
            self.psi = self.given_psi
        elif self.schedule == "paper":
            self.psi = 0.5  # section 4
        else:  # Thm 3: psi = ln(eta)/(2 gamma)
            two_gamma = self._logdet(self.selected)
            self.psi = min(float(np.log(self.eta)) / two_gamma, 1.0) if two_gamma > 0.0 else 1.0
        self.u: dict[int, int] = {}
        for x in dict.fromkeys(self.selected):  # S_h, in order of first selection (line 5)
            xi = self.selected.count(x) / self.l_h  # line 11
            self.u[x] = ceil(self.l_h * max(xi, self.psi) - 1e-9)  # line 12
        self.start = self.t  # number of plays before this epoch
        self._begun = True

    @property
    def plan(self) -> list[int]:
        """The arms still to be played in this epoch, with repetition (line 13)."""
        if not self._begun:  # only now, since nobody may ask for the epoch after the last
            self._begin()
        told = self.plays[self.start :]
        return [x for x, u in self.u.items() for _ in range(u - told.count(x))]

    def tell(self, arm: int, payoff: float) -> None:
        plan = self.plan
        if arm not in plan:
            raise ValueError(f"expected an arm of the plan {sorted(set(plan))}, got {arm}")
        super().tell(arm, payoff)
        if len(plan) == 1:
            self._finish()

    def _finish(self) -> None:
        """Lines 14 to 16: estimate from this epoch alone, eliminate, begin the next epoch."""
        plays = self.plays[self.start :]
        payoffs = self.payoffs[self.start :]
        # Eq. (7): Y~[i] is the average of the payoffs of the plays j with x_j = x_i
        Y = [
            float(np.mean([y for x_j, y in zip(plays, payoffs, strict=True) if x_j == x_i]))
            for x_i in plays
        ]
        self._mean = self._posterior_mean(plays, np.array(Y))  # line 14, Eq. (7)
        self._std = self._posterior_std(plays)  # line 14, Eq. (6)
        self._width = self._confidence(sum(self.u.values()))
        # Line 15: keep x in X_h whose upper bound reaches the best lower bound of X_h
        upper = self._mean + self._width * self._std
        lower = self._mean - self._width * self._std
        self.active = self.active & (upper >= np.max(lower[self.active]))
        self.l_h, self.h = 2 * self.l_h, self.h + 1  # line 16
        self._begun = False

    def _confidence(self, u_h: int) -> float:
        """What multiplies sigma^(h) in line 15."""
        B, sigma, C = self.constants.norm_bound, self.constants.noise_std, self.constants.budget
        if self.schedule == "paper":
            return float(self.beta + self.b * C / np.sqrt(u_h))  # section 4
        delta_h = 6.0 * self.constants.delta / ((self.h + 1) ** 2 * np.pi**2)  # Cor. 5
        if self.continuous:
            # Cor. 7: beta_h = B + sigma sqrt(2 (gamma_u + 1 + ln(1/delta_h)))
            gamma_u = 0.5 * self._logdet(self.plays[self.start :])
            root = np.sqrt(2.0 * (gamma_u + 1.0 + np.log(1.0 / delta_h)))
            beta_h = B + sigma / min(1.0, np.sqrt(self.lam)) * root
            return float(beta_h + C * np.sqrt(u_h) / (self.l_h * self.psi * self.lam))
        # Cor. 5: beta_h = B + (sigma/sqrt(lam)) sqrt(2 ln(|X|/delta_h))
        beta_h = B + sigma / np.sqrt(self.lam) * np.sqrt(2.0 * np.log(len(self.K) / delta_h))
        # Line 15: beta_h + C sqrt(u_h)/(l_h psi lam)
        return float(beta_h + C * np.sqrt(u_h) / (self.l_h * self.psi * self.lam))

    @property
    def mean(self) -> Array:
        return self._mean

    @property
    def std(self) -> Array:
        return self._std

    @property
    def width(self) -> float:
        return self._width
