"""GP-UCB's widths.

Srinivas et al., *Gaussian process optimization in the bandit setting*, ICML 2010.
Chowdhury & Gopalan, *On kernelized multi-armed bandits*, ICML 2017, Theorem 2 (IGP-UCB).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.schedules.base import Progress, Setting

__all__ = ["GPUCBPaper", "GPUCBTheory"]


@dataclass(frozen=True)
class GPUCBTheory:
    """β = B + R√(logdet + 2(1 + ln(1/δ))).

    Departures from print: the theorem sets λ = 1 + 2/T; for λ < 1 the noise term is divided
    by √λ, without which the bound would be false.
    """

    setting: Setting

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        a = self.setting.assumptions
        R = self.setting.need("noise_std") / min(1.0, math.sqrt(self.setting.lam))
        return a.norm_bound + R * math.sqrt(now.logdet + 2.0 * (1.0 + math.log(1.0 / a.delta)))


@dataclass(frozen=True)
class GPUCBPaper:
    """β = c√(ln n), with c = ½ as in bogunovic2022's synthetic experiments (2 on Robot3D)."""

    setting: Setting
    c: float = 0.5

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        return self.c * math.sqrt(math.log(now.n))
