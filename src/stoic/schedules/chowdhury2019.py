"""Truncation levels and widths of TGP-UCB and ATA-GP-UCB.

Chowdhury & Gopalan, *Bayesian optimization under heavy-tailed payoffs*, NeurIPS 2019.
α is the moment order, v the raw moment, m the number of features.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.schedules.base import Progress, Setting, power

__all__ = [
    "NystromPaper",
    "NystromTheory",
    "QuadraturePaper",
    "QuadratureTheory",
    "TGPUCBPaper",
    "TGPUCBTheory",
    "theorem_nodes",
]


@dataclass(frozen=True)
class TGPUCBTheory:
    """Theorem 1: b_t = v^{1/(1+α)} t^{1/(2(1+α))} and
    β_{t+1} = B + (3/√λ) b_t √(logdet + 2 ln(1/δ)).
    """

    setting: Setting

    def truncation(self, t: int) -> float:
        """b_t, for the payoff of round t."""
        order = 1.0 + self.setting.assumptions.moment_order
        return float(self.setting.need("raw_moment") ** (1 / order) * power(t, 1 / (2 * order)))

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        a = self.setting.assumptions
        root = math.sqrt(now.logdet + 2.0 * math.log(1.0 / a.delta))
        return a.norm_bound + 3.0 / math.sqrt(self.setting.lam) * self.truncation(now.t) * root


@dataclass(frozen=True)
class TGPUCBPaper(TGPUCBTheory):
    """The released code: the theorem's b_t, and β_n = B√λ + b_n √(ln n)."""

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        norm = self.setting.assumptions.norm_bound * math.sqrt(self.setting.lam)
        return norm + self.truncation(now.n) * math.sqrt(math.log(now.n))


@dataclass(frozen=True)
class _ATA:
    """The common base of the four schedules of ATA-GP-UCB, with ℒ a logarithm of m and T:

    b_t = (v/ℒ)^{1/(1+α)} t^{(1−α)/(2(1+α))} and
    β = norm + c √m v^{1/(1+α)} ℒ^{α/(1+α)} t^{(1−α)/(2(1+α))}.
    """

    setting: Setting

    def logarithm(self, m: int) -> float:
        """ℒ for m features."""
        raise NotImplementedError

    def growth(self, t: int) -> float:
        """t^{(1−α)/(2(1+α))}."""
        alpha = self.setting.assumptions.moment_order
        return power(t, (1.0 - alpha) / (2.0 * (1.0 + alpha)))

    def truncation(self, t: int, m: int) -> float:
        """b_t for m features."""
        order = 1.0 + self.setting.assumptions.moment_order
        log = self.logarithm(m)
        if log <= 0.0:
            return math.inf
        return float((self.setting.need("raw_moment") / log) ** (1 / order)) * self.growth(t)

    def spread(self, t: int, m: int) -> float:
        """√m v^{1/(1+α)} ℒ^{α/(1+α)} t^{(1−α)/(2(1+α))}."""
        if m == 0:
            return 0.0
        alpha = self.setting.assumptions.moment_order
        v = self.setting.need("raw_moment") ** (1.0 / (1.0 + alpha))
        log = max(self.logarithm(m), 0.0) ** (alpha / (1.0 + alpha))
        return float(math.sqrt(m) * v * log) * self.growth(t)


@dataclass(frozen=True)
class QuadratureTheory(_ATA):
    """Lemma 1 and Theorem 3: ℒ = ln(2mT/δ), β_{t+1} = B + (4/√λ)·(…) with t.

    Departures from print: the short version prints t^{1/(2(1+α))} in b_t; Lemma 13 and the
    full version show (1 − α) there. The number of nodes is the policy's: see
    :func:`theorem_nodes`.
    """

    def logarithm(self, m: int) -> float:
        """ℒ for m features."""
        return math.log(2.0 * m * self.setting.rounds() / self.setting.assumptions.delta)

    def norm(self) -> float:
        """The term of the function's norm."""
        return self.setting.assumptions.norm_bound

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        noise = 4.0 / math.sqrt(self.setting.lam) * self.spread(now.t, now.features)
        return self.norm() + noise


@dataclass(frozen=True)
class NystromTheory(QuadratureTheory):
    """Theorem 4: ℒ = ln(4 m_t T/δ), norm term B(1 + 1/√(1−ε)), q = 6ρ ln(4T/δ)/ε²."""

    eps: float = 0.1
    per_play = True
    per_ridge = False  # inclusion by σ²/λ, or by σ² as printed

    def logarithm(self, m: int) -> float:
        """ℒ for m features."""
        return math.log(4.0 * m * self.setting.rounds() / self.setting.assumptions.delta)

    def norm(self) -> float:
        """The term of the function's norm."""
        return self.setting.assumptions.norm_bound * (1.0 + 1.0 / math.sqrt(1.0 - self.eps))

    def inclusion(self) -> float:
        """q: a play enters the dictionary with probability min(q σ², 1)."""
        rho = (1.0 + self.eps) / (1.0 - self.eps)
        log = math.log(4.0 * self.setting.rounds() / self.setting.assumptions.delta)
        return 6.0 * rho * log / self.eps**2


@dataclass(frozen=True)
class QuadraturePaper(_ATA):
    """The released code: ℒ = ln(mT), β_n = B√λ + (…) with n."""

    def logarithm(self, m: int) -> float:
        """ℒ for m features."""
        return math.log(m * self.setting.rounds())

    def norm(self) -> float:
        """The term of the function's norm."""
        return self.setting.assumptions.norm_bound * math.sqrt(self.setting.lam)

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        return self.norm() + self.spread(now.n, now.features)


@dataclass(frozen=True)
class NystromPaper(QuadraturePaper):
    """The released code: ℒ = ln((m + 1)T), β_{t+1} = B√λ + (…) with t, and a first arm at random.

    q = ln(T)/ε², with one draw for each distinct arm, for any count.
    """

    eps: float = 0.1
    per_play = False
    per_ridge = False  # inclusion by σ²/λ, or by σ² as printed
    random_start = True

    def logarithm(self, m: int) -> float:
        """ℒ for m features."""
        return math.log((m + 1) * self.setting.rounds())

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        return self.norm() + self.spread(now.t, now.features)

    def inclusion(self) -> float:
        """q: a distinct arm enters the dictionary with probability min(q σ², 1)."""
        return math.log(self.setting.rounds()) / self.eps**2


def theorem_nodes(horizon: int, lengthscale: float) -> int:
    """The least m̄ of Theorem 3: above 1/ℓ², and at least 2 log_{4/e}(T³), on [0, 1]^d.

    Theorem 3 wants a kernel error of T⁻⁶ and takes this number, 15.5 ln T, from an upper bound of
    the error. From T = 457 on, T⁻⁶ is below the rounding error of a kernel's value. ATA-GP-UCB
    therefore takes by default the least number whose computed error on the domain is below 1e-9:
    29 instead of 154 at T = 20,000 and ℓ = 0.2, where the paper ran 32. The width grows with √m,
    and in two dimensions this number would mean tens of thousands of features. To follow the
    theorem to the letter, give ``nodes=theorem_nodes(T, lengthscale)``.

    >>> theorem_nodes(20_000, 0.2)
    154
    """
    rounds = 2.0 * math.log(float(horizon) ** 3) / math.log(4.0 / math.e)
    return max(math.ceil(rounds), math.floor(1.0 / lengthscale**2) + 1)
