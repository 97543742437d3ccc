"""The same policies on very many arms, with a look at few of them each round."""

from __future__ import annotations

from typing import Any, ClassVar

from stoic.checks import Array
from stoic.estimators import LazyMean, LazyOverview, Overview
from stoic.policies.ucb import UCBPolicy
from stoic.posterior.lazy import LazyPosterior
from stoic.spaces import Arms

__all__ = ["ManyArmsPolicy"]


class ManyArmsPolicy(UCBPolicy):
    """A :class:`UCBPolicy` that finds its arm without a pass over all arms where there are many.

    From ``many_arms`` arms on it keeps a :class:`LazyPosterior`, and :class:`LazyOverview` finds
    the arm of the highest upper confidence bound, and whatever else its schedule wants to know
    about all arms. The arms that it plays are those that it would play otherwise; ``mean`` and
    ``std`` of all arms are worked out when they are asked for, which takes long.
    """

    many_arms: ClassVar[int] = 250_000  # from here on it is faster, and takes less memory
    posterior: Any

    def _posterior(self, points: Array) -> Any:
        if isinstance(self.domain, Arms) and len(points) >= self.many_arms:
            return LazyPosterior(self.kernel, points, self.lam)
        return super()._posterior(points)

    def _estimator(self, arms: int) -> Any:
        lazy = isinstance(self.posterior, LazyPosterior)
        return LazyMean(self.posterior) if lazy else super()._estimator(arms)

    def _overview(self) -> Overview:
        lazy = isinstance(self.estimator, LazyMean)
        return LazyOverview(self.estimator, self.posterior) if lazy else super()._overview()
