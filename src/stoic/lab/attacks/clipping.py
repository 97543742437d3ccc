"""Clipping: cut payoffs outside a region to just below the region's best value.

Han, Scarlett, *Adversarial attacks on Gaussian process bandits*, ICML 2022; bogunovic2022 §4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, number
from stoic.lab.attacks.base import Attack, attacks, target_region
from stoic.lab.problems.base import Problem

__all__ = ["Clipping"]


@attacks.register("clipping")
@dataclass(frozen=True)
class Clipping(Attack):
    """Lead the policy to the target region: clip all other payoffs Δ below its best arm.

    c(x) = min{f(x), f(x̃*) − Δ} − f(x) outside R_target and 0 inside, x̃* the best of R_target.

    The attack spends its budget only on arms that are better than f(x̃*) − Δ. The paper does not
    use it if the optimum is inside R_target; the formula then only increases the optimum's lead.

    Parameters
    ----------
    delta
        Δ > 0, 0.5 in the paper.

    >>> import numpy as np, stoic
    >>> from stoic.lab.problems import Problem
    >>> f, region = np.array([0.2, 1.0, 0.4]), np.array([False, False, True])
    >>> line = stoic.Arms([0.0, 0.5, 1.0])
    >>> problem = Problem(line, stoic.SquaredExponential(0.2), f, 1.0, target=region)
    >>> campaign = Clipping(budget=2.0).campaign(problem)
    >>> [round(campaign.corrupt(arm, None), 3) for arm in (0, 1, 1, 2)]
    [-0.3, -1.1, -0.6, 0.0]
    """

    delta: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.delta, "delta", above=0.0)

    def wish(self, problem: Problem, remaining: NDArray[np.bool_]) -> Array:  # noqa: ARG002
        f, target = problem.f, target_region(problem)
        ceiling = f[target].max() - self.delta
        wish: Array = np.where(target, 0.0, np.minimum(f, ceiling) - f)
        return wish
