"""Widths that work in practice, without constants and without a theorem.

Theorem constants make every robust policy play at random for 10⁴ rounds. These widths are
multiples of the noise level that :class:`stoic.estimators.Clipping` learns. The factors were
chosen on several kernels and noises and are checked on other functions by
``benchmarks/core/practical.py``. They carry no guarantee.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from stoic.schedules.base import Progress, Setting
from stoic.schedules.bogunovic2022 import Epoch

__all__ = [
    "Practical",
    "PracticalFastSlow",
    "PracticalMoM",
    "PracticalRGPPE",
    "PracticalRGPUCB",
    "PracticalSketch",
]

_WARM_UP_WIDTH = 1e6  # while the noise is unknown: the std alone decides


@dataclass(frozen=True)
class Practical:
    """width = c·noise/√λ + a·amplitude·widest/κ².

    ``noise`` is the learned noise level; the second term keeps exploring while some arm is still
    uncertain, in proportion to how much the function varies (``amplitude``) and to the largest
    std of all (``widest``): it matters where there is little noise to drive exploration.
    """

    setting: Setting
    c: float = 2.0
    a: float = 2.0
    learns = True  # the policy learns the noise for it

    def unit(self, now: Progress) -> float:
        """The noise level in units of the std: n plays leave an std of √(λ/n)."""
        return now.noise / self._root_lam

    @cached_property
    def _root_lam(self) -> float:
        return math.sqrt(self.setting.lam)

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        if now.warming:
            return _WARM_UP_WIDTH * (max(now.amplitude, now.noise) or 1.0)
        floor = now.amplitude * now.widest / self.setting.prior_var
        return (self.c * self.unit(now) + self.a * floor) or 1.0  # all payoffs equal: explore


@dataclass(frozen=True)
class PracticalRGPUCB(Practical):
    """The same, plus noise·b·√n/γ: a corruption budget of √n/γ (bogunovic2022 §3.4)."""

    b: float = 0.1

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        corruption = self.b * math.sqrt(now.n) / max(now.gamma, 1.0)
        return Practical.width(self, now) + corruption * (now.noise / self._root_lam)


@dataclass(frozen=True)
class PracticalFastSlow(Practical):
    """The same for six instances that play with probabilities 2^{−ℓ}, without C and without T.

    The widths of all but the fastest are enlarged by b times 3 + ln(5/δ) noise levels at δ = 0.1,
    what they may meet of the corruption (:mod:`stoic.schedules.bogunovic2020`), with b = 0.1 as
    for RGP-UCB. Six was chosen between four and eight on f₁ of bogunovic2022 under Clipping, Top-3
    and Top-5, where two instances did no better than GP-UCB.
    """

    b: float = 0.1
    count: int = 6  # of instances
    intersects = False  # these bounds hold at no confidence

    def probabilities(self, n: int) -> tuple[float, ...]:  # noqa: ARG002, one signature for all
        """Of the instances in round n, the fastest first."""
        return self._probabilities

    @cached_property
    def _probabilities(self) -> tuple[float, ...]:
        slower = [2.0**-ell for ell in range(2, self.count + 1)]
        return (1.0 - sum(slower), *slower)

    def enlargement(self, now: Progress, instance: int) -> float:
        """What is added to the width of an instance for the corruption that it may meet."""
        return self.b * (3.0 + math.log(50.0)) * self.unit(now) if instance else 0.0


@dataclass(frozen=True)
class PracticalSketch(Practical):
    """The same, for policies on a sampled dictionary: q = 4 for each play.

    A play's draw lasts: it is in the dictionary while its variate is below its falling
    probability, as in the resparsification of Calandriello, Lazaric, Valko, *Distributed adaptive
    sampling for kernel matrix approximation*, AISTATS 2017. So the dictionary rarely changes.
    """

    per_play = True
    lasting = True
    per_ridge = True  # inclusion by σ²/λ, or by σ² as printed
    q: float = 4.0

    def inclusion(self) -> float:
        """q: a play enters the dictionary with probability min(q σ²/λ, 1)."""
        return self.q


@dataclass(frozen=True)
class PracticalMoM(Practical):
    """The same, with few plays an episode; the median of ℓ columns has 1.25/√ℓ of their noise."""

    replicates: int = 5

    def plays(self) -> int:
        """ℓ, the plays of an episode."""
        return self.replicates

    def unit(self, now: Progress) -> float:
        """The noise level of the median of the columns, in units of the std."""
        return 1.25 * (now.noise / math.sqrt(self.setting.lam)) / math.sqrt(self.replicates)


@dataclass(frozen=True)
class PracticalRGPPE:
    """c·noise/√λ + a·amplitude·widest/κ² and ψ = ½, as :class:`Practical`."""

    setting: Setting
    c: float = 3.0
    a: float = 2.0
    learns = True

    def psi(self, eta: float, logdet: float) -> float:  # noqa: ARG002, one signature for all
        """ψ of an epoch."""
        return 0.5

    def width(self, epoch: Epoch) -> float:
        """The factor of the posterior std at the epoch's end."""
        bias = self.a * epoch.amplitude * epoch.widest / self.setting.prior_var
        return self.c * epoch.noise / math.sqrt(self.setting.lam) + bias
