"""The constants of the experiments with the robust conjugate Gaussian process.

Altamirano, Briol, Knoblauch, *Robust and conjugate Gaussian process regression*, ICML 2024.
"""

from __future__ import annotations

from dataclasses import dataclass

from stoic.schedules.base import Progress, Setting

__all__ = ["RCGPUCBPaper"]


@dataclass(frozen=True)
class RCGPUCBPaper:
    """The released code of the optimisation experiments: width κ = 10 and c = 1 (2 on Branin).

    The prior mean is zero and the noise variance λ, so payoffs must be in units in which the
    function varies by about one; in the experiments λ begins at 10⁻⁴ and is then fitted.
    """

    setting: Setting
    kappa: float = 10.0
    c: float = 1.0

    def scale(self) -> float:
        """c, the distance from the prior mean from which on payoffs weigh less."""
        return self.c

    def width(self, now: Progress) -> float:
        """The factor of the posterior std at the coming choice."""
        del now
        return self.kappa
