"""Top-K: lower the payoffs of the best remaining arms.

Bogunovic, Losalka, Krause, Scarlett, *Stochastic linear bandits robust to adversarial attacks*,
AISTATS 2021; bogunovic2022 §4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, integer, number
from stoic.lab.attacks.base import Attack, attacks
from stoic.lab.problems.base import Problem

__all__ = ["TopK"]


@attacks.register("top-k")
@dataclass(frozen=True, kw_only=True)
class TopK(Attack):
    """Perturb the payoffs of the K best remaining arms down to a level.

    c(x) = min{0, level − f(x)} for the K arms of the highest f among those that remain, 0 for
    the others; ties go to the lowest index.

    The remaining arms are those that RGP-PE has not eliminated; every other policy keeps all
    arms. The attack needs no target region. In the paper, only Top-3 and Top-5 mislead GP-UCB on
    both functions.

    Parameters
    ----------
    k
        K ≥ 1; 3 and 5 in the paper.
    level
        The expected payoff after the perturbation, −1 in the paper.

    >>> import numpy as np, stoic
    >>> from stoic.lab.problems import Problem
    >>> f, line = np.array([0.25, 1.0, 0.5]), stoic.Arms([0.0, 0.5, 1.0])
    >>> problem = Problem(line, stoic.SquaredExponential(0.2), f, 1.0)
    >>> campaign = TopK(budget=4.0, k=2).campaign(problem)
    >>> [campaign.corrupt(arm, None) for arm in (0, 1, 2, 1)]
    [0.0, -2.0, -1.5, -0.5]
    """

    k: int
    level: float = -1.0

    follows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        integer(self.k, "k", at_least=1)
        number(self.level, "level")

    def wish(self, problem: Problem, remaining: NDArray[np.bool_]) -> Array:
        f = problem.f
        ranked = np.argsort(-f, kind="stable")
        top = ranked[remaining[ranked]][: self.k]
        wish = np.zeros(len(f))
        wish[top] = np.minimum(0.0, self.level - f[top])
        return wish
