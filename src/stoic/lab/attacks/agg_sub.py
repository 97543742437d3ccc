"""Aggressive subtraction: lower every payoff outside a region.

Han, Scarlett, *Adversarial attacks on Gaussian process bandits*, ICML 2022; bogunovic2022 §4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, number
from stoic.lab.attacks.base import Attack, attacks, target_region
from stoic.lab.problems.base import Problem

__all__ = ["AggSub"]


@attacks.register("agg-sub")
@dataclass(frozen=True, kw_only=True)
class AggSub(Attack):
    """Lead the policy to the target region: subtract h_max from every payoff outside it.

    c(x) = −h_max outside R_target and 0 inside.

    The attack needs only a bound on f: for h_max > f(x*) − f(x̃*), x̃* the best arm of R_target,
    the optimum moves to x̃*. A smaller h_max is allowed and weaker. If the optimum is inside
    R_target, the formula stays the same and only increases the lead of the optimum.

    Parameters
    ----------
    h_max
        h_max > 0; 1 for the paper's f₁, 3 for Robot3D.

    >>> import numpy as np, stoic
    >>> from stoic.lab.problems import Problem
    >>> f, region = np.array([0.2, 1.0, 0.4]), np.array([False, False, True])
    >>> line = stoic.Arms([0.0, 0.5, 1.0])
    >>> problem = Problem(line, stoic.SquaredExponential(0.2), f, 1.0, target=region)
    >>> campaign = AggSub(budget=2.5, h_max=1.0).campaign(problem)
    >>> [campaign.corrupt(arm, None) for arm in (0, 2, 1, 1)]
    [-1.0, 0.0, -1.0, -0.5]
    """

    h_max: float

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.h_max, "h_max", above=0.0)

    def wish(self, problem: Problem, remaining: NDArray[np.bool_]) -> Array:  # noqa: ARG002
        wish: Array = np.where(target_region(problem), 0.0, -float(self.h_max))
        return wish
