"""Widths of RGP-UCB and RGP-PE.

Bogunovic et al., *Corruption-tolerant Gaussian process bandit optimization*, AISTATS 2020
(RGP-UCB), and *A robust phased elimination algorithm for corruption-tolerant Gaussian process
bandits*, NeurIPS 2022 (RGP-PE, and the constants of both papers' experiments).
C is the budget; where it is not known, C = √T/γ as in bogunovic2022 §3.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.schedules.base import Progress, Setting
from stoic.schedules.chowdhury2017 import GPUCBPaper, GPUCBTheory

__all__ = ["Epoch", "RGPPEPaper", "RGPPETheory", "RGPUCBPaper", "RGPUCBTheory"]


def budget(setting: Setting, gamma: float) -> float:
    """C, or √T/γ where it is not given.

    Departures from print: γ is the realised information gain (of the epoch, in RGP-PE), and at
    least one, since γ_T can't be computed.
    """
    given = setting.assumptions.budget
    return math.sqrt(setting.rounds()) / max(gamma, 1.0) if given is None else given


@dataclass(frozen=True)
class RGPUCBTheory(GPUCBTheory):
    """β + C/√λ, with GP-UCB's β."""

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        corruption = budget(self.setting, now.gamma) / math.sqrt(self.setting.lam)
        return super().width(now) + corruption


@dataclass(frozen=True)
class RGPUCBPaper(GPUCBPaper):
    """c√(ln n) + b·C/√λ, with c = ½ and b = 0.1."""

    b: float = 0.1

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        corruption = budget(self.setting, now.gamma) / math.sqrt(self.setting.lam)
        return super().width(now) + self.b * corruption


@dataclass(frozen=True)
class Epoch:
    """The figures of an epoch that RGP-PE's schedules use.

    Attributes
    ----------
    h
        The epoch's number, from zero.
    length
        l_h = 2^{h+1}, the selections of the epoch.
    plays
        u_h, its plays in all.
    psi
        ψ, the least share of plays of a selected arm.
    logdet
        ln det of the epoch's selections.
    noise, amplitude, widest
        Learned: scale of the noise, a quarter of the range of the estimates, the largest std.
    plays_logdet
        ln det of the epoch's plays, which are no fewer than its selections.
    """

    h: int
    length: int
    plays: int
    psi: float
    logdet: float
    noise: float = 1.0
    amplitude: float = 0.0
    widest: float = 1.0
    plays_logdet: float = 0.0


@dataclass(frozen=True)
class RGPPETheory:
    """Algorithm 1: β_h + C√u_h/(l_h ψ λ), with the β_h of Corollary 5, on a box of Corollary 7.

    Corollary 5, finitely many arms: β_h = B + (σ/√λ)√(2 ln(|X|/δ_h)).

    Corollary 7, any domain: β_h = B + σ√(2(γ_ū + 1 + ln(1/δ_h))), for all points of a box at once.

    δ_h = 6δ/((h+1)²π²), ψ = ln η/(2γ).

    Departures from print: γ is the realised information gain of the epoch's selections, since the
    maximal one can't be computed; ψ is at most one. In Corollary 7, γ_ū is the realised gain of
    the epoch's u_h plays, for the same reason (the paper bounds it by γ_T); for λ < 1 its σ is
    divided by √λ, without which the bound would be false.
    """

    setting: Setting

    def psi(self, eta: float, logdet: float) -> float:
        """ψ of an epoch, at most one."""
        return min(math.log(eta) / logdet, 1.0) if logdet > 0 else 1.0

    def width(self, epoch: Epoch) -> float:
        """The factor of the posterior std at the epoch's end."""
        C = budget(self.setting, epoch.logdet / 2.0)
        corruption = C * math.sqrt(epoch.plays) / (epoch.length * epoch.psi * self.setting.lam)
        return self._beta(epoch) + corruption

    def _beta(self, epoch: Epoch) -> float:
        """β_h."""
        a, lam = self.setting.assumptions, self.setting.lam
        delta_h = 6.0 * a.delta / ((epoch.h + 1) ** 2 * math.pi**2)
        sigma = self.setting.need("noise_std")
        if self.setting.continuous:  # Cor. 7
            inner = epoch.plays_logdet + 2.0 * (1.0 + math.log(1.0 / delta_h))
            return a.norm_bound + sigma / min(1.0, math.sqrt(lam)) * math.sqrt(inner)
        inner = 2.0 * math.log(self.setting.arms / delta_h)  # Cor. 5
        return a.norm_bound + sigma / math.sqrt(lam) * math.sqrt(inner)


@dataclass(frozen=True)
class RGPPEPaper:
    """Section 4: β + b·C/√u_h, with β = 4 (6 on Robot3D), b = 0.1, ψ = ½."""

    setting: Setting
    beta: float = 4.0
    b: float = 0.1

    def psi(self, eta: float, logdet: float) -> float:  # noqa: ARG002, one signature for all
        """ψ of an epoch."""
        return 0.5

    def width(self, epoch: Epoch) -> float:
        """The factor of the posterior std at the epoch's end."""
        C = budget(self.setting, epoch.logdet / 2.0)
        return self.beta + self.b * C / math.sqrt(epoch.plays)
