"""GP-UCB's widths in its first paper.

Srinivas, Krause, Kakade, Seeger, *Gaussian process optimization in the bandit setting: no regret
and experimental design*, ICML 2010, Theorems 1 and 3. The paper multiplies σ by √β_t, so the
width is √β_t. Both theorems set λ to the noise: its variance (Theorem 1), the square of its bound
(Theorem 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.schedules.base import Progress, Setting

__all__ = ["SrinivasTheorem1", "SrinivasTheorem3"]


@dataclass(frozen=True)
class SrinivasTheorem1:
    """Theorem 1: √β_n, β_n = 2 ln(|D| n² π²/(6δ)).

    For finite arms D, f drawn from the Gaussian process, and Gaussian noise of variance λ.
    """

    setting: Setting

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        inside = self.setting.arms * float(now.n) ** 2 * math.pi**2
        return math.sqrt(2.0 * math.log(inside / (6.0 * self.setting.assumptions.delta)))


@dataclass(frozen=True)
class SrinivasTheorem3:
    """Theorem 3: √β_n, β_n = 2B² + 300 γ ln³(n/δ).

    For ‖f‖ ≤ B in the kernel's function space, and noise within ±√λ.

    Departures from print: γ is the realised information gain, since the maximal one can't be
    computed.
    """

    setting: Setting

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        a = self.setting.assumptions
        gain = 300.0 * now.gamma * math.log(now.n / a.delta) ** 3
        return math.sqrt(2.0 * a.norm_bound**2 + gain)
