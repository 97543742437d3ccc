"""Flip: change the sign of expected payoffs.

Bogunovic, Losalka, Krause, Scarlett, *Stochastic linear bandits robust to adversarial attacks*,
AISTATS 2021; bogunovic2022 §4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array
from stoic.lab.attacks.base import Attack, attacks
from stoic.lab.problems.base import Problem

__all__ = ["Flip"]


@attacks.register("flip")
@dataclass(frozen=True)
class Flip(Attack):
    """Flip the expected payoff of every arm from f(x) to −f(x).

    c(x) = −2f(x). The budget is spent quickly, partly on raising bad arms.

    >>> import numpy as np, stoic
    >>> from stoic.lab.problems import Problem
    >>> f, line = np.array([-0.25, 1.0]), stoic.Arms([0.0, 1.0])
    >>> problem = Problem(line, stoic.SquaredExponential(0.2), f, 1.0)
    >>> campaign = Flip(budget=3.0).campaign(problem)
    >>> [campaign.corrupt(arm, None) for arm in (0, 1, 1, 1)]
    [0.5, -2.0, -0.5, 0.0]
    """

    def wish(self, problem: Problem, remaining: NDArray[np.bool_]) -> Array:  # noqa: ARG002
        return -2.0 * problem.f
