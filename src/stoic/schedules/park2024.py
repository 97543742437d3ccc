"""Widths of CA-TGP-UCB and MoM-GP-UCB.

Park & Lee, *Contextually adaptive algorithms for Gaussian process bandit optimization under
heavy-tailed noise*, ECAI 2024. ε is the moment order. The paper prints no constants of its
experiments, so ``paper`` is Algorithm 1 and 2 as printed, like ``theory``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.schedules.base import Progress, Setting, power

__all__ = ["CATGPUCBTheory", "MoMGPUCBTheory"]


@dataclass(frozen=True)
class CATGPUCBTheory:
    """Lemma 3: α_n = B + λ^{-½} n^{(1−ε)/(2(1+ε))} (2λ^{-½} √(2(γ + ln(1/δ))) + ν̄)."""

    setting: Setting

    @property
    def order(self) -> float:
        """ε, the moment order of the threshold's norm."""
        return self.setting.assumptions.moment_order

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        a, root = self.setting.assumptions, math.sqrt(self.setting.lam)
        growth = power(now.n, (1.0 - self.order) / (2.0 * (1.0 + self.order)))
        noise = 2.0 / root * math.sqrt(2.0 * (now.gamma + math.log(1.0 / a.delta)))
        return a.norm_bound + growth / root * (noise + self.setting.need("raw_moment"))


@dataclass(frozen=True)
class MoMGPUCBTheory:
    """Algorithm 2 and Lemma 5, for episode n:

    ℓ = ⌈8 ln(2T/δ′)⌉ plays, N = ⌊T/ℓ⌋ episodes, and
    α_n = n^{(1−ε)/(2(1+ε))} (4ν)^{1/(1+ε)} (2Bλ^{-½} √(γ + ln(1/δ)) + ¼) + B.

    δ is that of the assumptions, for the ℓ means; δ′ is for their median and thus for the whole
    run. The paper names no value for it.

    Departures from print: Theorem 6 prints another constant in ℓ; Algorithm 2 is followed. The
    median is within bounds with probability 1 − δ′ where 2(¼ − δ)²ℓ ≥ ln(2T/δ′), hence with this
    ℓ only as δ → 0.
    """

    setting: Setting
    delta_prime: float = 0.1

    def plays(self) -> int:
        """ℓ, the plays of an episode."""
        return math.ceil(8.0 * math.log(2.0 * self.setting.rounds() / self.delta_prime))

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming episode, the n-th."""
        a = self.setting.assumptions
        order = 1.0 + a.moment_order
        growth = power(now.n, (1.0 - a.moment_order) / (2.0 * order))
        nu = (4.0 * self.setting.need("central_moment")) ** (1.0 / order)
        root = math.sqrt(now.gamma + math.log(1.0 / a.delta))
        noise = 2.0 * a.norm_bound / math.sqrt(self.setting.lam) * root + 0.25
        return float(growth * nu * noise) + a.norm_bound
