"""Inclusion and widths of BKB and BBKB.

Calandriello et al., *Gaussian process optimization with adaptive sketching: scalable and no
regret*, COLT 2019 (Theorems 1 and 2). F is the norm bound, ξ the noise scale. The paper's σ̃²
carries a factor 1/λ; here σ is without it, so its β̃ is divided by √λ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.schedules.base import Progress, Setting

__all__ = ["BKBPaper", "BKBTheory"]


@dataclass(frozen=True)
class BKBTheory:
    """β̃ = 2ξ√(a ln(κ²t) Σσ̃² + ln(1/δ)) + (1 + 1/√(1−ε))√λF, q̄ = 6a ln(4T/δ)/ε², a = (1+ε)/(1−ε).

    Departures from print: ln(1/δ) belongs under the root; ln(κ²t) is floored at zero.
    """

    setting: Setting
    eps: float = 0.5
    per_play = True
    per_ridge = True  # inclusion by σ²/λ, or by σ² as printed

    @property
    def accuracy(self) -> float:
        """A = (1+ε)/(1−ε)."""
        return (1.0 + self.eps) / (1.0 - self.eps)

    def inclusion(self) -> float:
        """q̄: a play enters the dictionary with probability min(q̄ σ²/λ, 1)."""
        log = math.log(4.0 * self.setting.rounds() / self.setting.assumptions.delta)
        return 6.0 * self.accuracy * log / self.eps**2

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        a = self.setting.assumptions
        norm = (1.0 + 1.0 / math.sqrt(1.0 - self.eps)) * a.norm_bound
        if now.t == 0:
            return norm
        log = max(math.log(self.setting.prior_var * now.t), 0.0)
        inside = self.accuracy * log * now.variance_sum + math.log(1.0 / a.delta)
        xi = self.setting.need("noise_std") / math.sqrt(self.setting.lam)
        return norm + 2.0 * xi * math.sqrt(inside)


@dataclass(frozen=True)
class BKBPaper:
    """The released code: β = √λF + √(ξ²(ln t Σσ̃² + ln(1/δ))), q̄ = 1.

    It ran with δ = 0.5; here δ is that of the assumptions.
    """

    setting: Setting
    eps: float = 0.5
    per_play = True
    per_ridge = True  # inclusion by σ²/λ, or by σ² as printed

    def inclusion(self) -> float:
        """q̄: a play enters the dictionary with probability min(q̄ σ²/λ, 1)."""
        return 1.0

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        a = self.setting.assumptions
        if now.t == 0:
            return a.norm_bound
        inside = math.log(now.t) * now.variance_sum + math.log(1.0 / a.delta)
        xi = self.setting.need("noise_std") / math.sqrt(self.setting.lam)
        return a.norm_bound + xi * math.sqrt(inside)
