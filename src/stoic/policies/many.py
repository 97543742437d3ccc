"""Policies that choose among very many arms without a pass over all of them."""

from __future__ import annotations

from typing import Any, ClassVar

from stoic.checks import Array
from stoic.estimators import Overview
from stoic.many_arms import ManyArmsBelief, ManyArmsMean, ManyArmsPosterior
from stoic.policies.ucb import UCBPolicy
from stoic.spaces import Arms

__all__ = ["ManyArmsPolicy"]


class ManyArmsPolicy(UCBPolicy):
    """A :class:`UCBPolicy` that finds its arm without a pass over all arms where there are many.

    From ``many_arms`` arms on, a :class:`ManyArmsBelief` finds the arm of the highest upper
    confidence bound, and what else the schedule asks about all arms. The policy plays the same
    arms as without it; ``mean`` and ``std`` of all arms are computed on request, which takes
    long.
    """

    many_arms: ClassVar[int] = 250_000  # from here on it is faster, and takes less memory
    posterior: Any

    def _posterior(self, points: Array) -> Any:
        if isinstance(self.domain, Arms) and len(points) >= self.many_arms:
            return ManyArmsPosterior(self.kernel, points, self.lam)
        return super()._posterior(points)

    def _estimator(self, arms: int) -> Any:
        many = isinstance(self.posterior, ManyArmsPosterior)
        return ManyArmsMean(self.posterior) if many else super()._estimator(arms)

    def _overview(self) -> Overview:
        many = isinstance(self.estimator, ManyArmsMean)
        return ManyArmsBelief(self.estimator, self.posterior) if many else super()._overview()
