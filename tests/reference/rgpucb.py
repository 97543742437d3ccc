"""RGP-UCB: GP-UCB with a width enlarged for corruptions.

Bogunovic, Krause, Scarlett, "Corruption-tolerant Gaussian process bandit optimization", AISTATS
2020, Algorithm 1; its experimental width is quoted in section 4 of bogunovic2022.
"""

from typing import Unpack

import numpy as np

from .base import Array, Common
from .gpucb import GPUCB


class RGPUCB(GPUCB):
    """RGP-UCB. Own parameters: `c` and `b` of the paper schedule."""

    def __init__(
        self, K: Array, *, c: float = 0.5, b: float = 0.1, **common: Unpack[Common]
    ) -> None:
        super().__init__(K, c=c, **common)
        self.b = b

    @property
    def width(self) -> float:
        # Alg. 1: beta_t + C/sqrt(lam); bogunovic2022, section 4: beta_t + b C/sqrt(lam)
        share = self.b if self.schedule == "paper" else 1.0
        return float(super().width + share * self.constants.budget / np.sqrt(self.lam))
