"""Widths and sampling probabilities of Fast-Slow GP-UCB.

Bogunovic, Krause, Scarlett, *Corruption-tolerant Gaussian process bandit optimization*, AISTATS
2020. An instance that is sampled with probability 1/C meets little of a corruption of C in all,
whatever the adversary does before it knows which instance plays: with probability 1 − δ at most

    3 + B₀ ln(1/δ),

where B₀ bounds one corruption. Proof: the sum has mean at most 1 and variance at most B₀, so by
Freedman's inequality it is at most 1 + (e − 2) + B₀ ln(1/δ).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from stoic.schedules.base import Progress, Setting
from stoic.schedules.chowdhury2017 import GPUCBPaper, GPUCBTheory

__all__ = ["FastSlowPaper", "FastSlowTheory", "met_by_slow", "sampling"]


def sampling(setting: Setting) -> tuple[float, ...]:
    """The probability of each instance, the fastest first.

    Known C: (1 − p, p) with p = 1/C, or the slow one alone where C ≤ 1. Unknown C: instances
    ℓ = 1, …, ⌈log₂ T⌉ with 2^{−ℓ}, and what is left goes to the first.
    """
    C = setting.assumptions.budget
    if C is not None:
        return (1.0,) if C <= 1.0 else (1.0 - 1.0 / C, 1.0 / C)
    slower = [2.0**-ell for ell in range(2, (setting.rounds() - 1).bit_length() + 1)]
    return (1.0 - sum(slower), *slower)


def failure(setting: Setting) -> float:
    """The share of δ that each bound may take: δ/5, or δ/(4(1 + log₂ T)) for unknown C."""
    a = setting.assumptions
    return a.delta / (5.0 if a.budget is not None else 4.0 * (1.0 + math.log2(setting.rounds())))


def met_by_slow(setting: Setting, largest: float) -> float:
    """The corruption that a slow instance may meet: 3 + B₀ ln(1/δ'), and never more than C."""
    C = setting.assumptions.budget
    bound = 3.0 + largest * math.log(1.0 / failure(setting))
    return bound if C is None else min(bound, C)


@dataclass(frozen=True)
class FastSlowTheory:
    """β with GP-UCB's theorem at δ', and β + (3 + B₀ ln(1/δ'))/√λ for slow instances.

    δ' = δ/5, or δ/(4(1 + log₂ T)) where C is unknown; then all instances are slow ones, as any of
    them may be the first whose 2^ℓ is above C. logdet is that of the instance's own plays.
    """

    setting: Setting
    largest: float = 1.0  # B₀, the largest corruption of one payoff

    intersects = True  # bounds hold at all times at once, so that the tightest so far is used

    def probabilities(self, n: int) -> tuple[float, ...]:  # noqa: ARG002, one signature for all
        """Of the instances in round n, the fastest first."""
        return self._sampling

    def width(self, now: Progress) -> float:
        """The factor of an instance's posterior std, without corruption."""
        return self._plain.width(now)

    def enlargement(self, now: Progress, instance: int) -> float:  # noqa: ARG002
        """What is added to the width of an instance for the corruption that it may meet."""
        return 0.0 if self._trusts(instance) else self._corruption

    def _trusts(self, instance: int) -> bool:
        """Whether an instance is the fast one of two, which takes payoffs as not corrupted."""
        return instance == 0 and self.setting.assumptions.budget is not None and self._several

    @cached_property
    def _plain(self) -> GPUCBTheory:
        assumptions = replace(self.setting.assumptions, delta=failure(self.setting))
        return GPUCBTheory(replace(self.setting, assumptions=assumptions))

    @cached_property
    def _sampling(self) -> tuple[float, ...]:
        return sampling(self.setting)

    @property
    def _several(self) -> bool:
        return len(self._sampling) > 1

    @cached_property
    def _corruption(self) -> float:
        return met_by_slow(self.setting, self.largest) / math.sqrt(self.setting.lam)


@dataclass(frozen=True)
class FastSlowPaper(FastSlowTheory):
    """c√(ln n), and b times the theorem's enlargement, with c = ½ and b = 0.1.

    The paper has no experiments. These are the constants that its authors took for GP-UCB and
    RGP-UCB two years later (bogunovic2022 §4); n counts the instance's own plays. Such bounds
    are too tight to hold at all times at once, so the present ones are used.
    """

    c: float = 0.5
    b: float = 0.1

    intersects = False

    def width(self, now: Progress) -> float:
        """The factor of an instance's posterior std, without corruption."""
        return GPUCBPaper(self.setting, self.c).width(now)

    def enlargement(self, now: Progress, instance: int) -> float:
        """What is added to the width of an instance for the corruption that it may meet."""
        return self.b * super().enlargement(now, instance)
