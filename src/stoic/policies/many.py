"""The same policies on very many arms, with a look at few of them each round."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput
from stoic.estimators.extremes import Extremes
from stoic.estimators.lazy import LazyMean
from stoic.policies.base import Recommendation
from stoic.policies.ucb import UCBPolicy
from stoic.posterior.lazy import LazyPosterior
from stoic.spaces import Arms

__all__ = ["ManyArmsPolicy"]


class ManyArmsPolicy(UCBPolicy):
    """A :class:`UCBPolicy` that finds its arm without a pass over all arms where there are many.

    From ``many_arms`` arms on it keeps a :class:`LazyPosterior`, and :class:`Extremes` finds
    the arm of the highest upper confidence bound, and whatever else its schedule wants to know
    about all arms. The arms that it plays are those that it would play otherwise; ``mean`` and
    ``std`` of all arms are worked out when they are asked for, which takes long.
    """

    many_arms: ClassVar[int] = 250_000  # from here on it is faster, and takes less memory
    posterior: Any
    _search: Extremes | None = None

    def _posterior(self, points: Array) -> Any:
        if isinstance(self.domain, Arms) and len(points) >= self.many_arms:
            return LazyPosterior(self.kernel, points, self.lam)
        return super()._posterior(points)

    def _estimator(self, arms: int) -> Any:
        if not isinstance(self.posterior, LazyPosterior):
            return super()._estimator(arms)
        estimator = LazyMean(self.posterior)
        self._search = Extremes(estimator, self.posterior)
        return estimator

    @property
    def _variance_sum(self) -> float:
        if self._search is None:
            return super()._variance_sum
        posterior = self.posterior
        return float(posterior.counts[posterior.played] @ posterior.played_var) / self.lam

    @property
    def _widest(self) -> float:
        return super()._widest if self._search is None else self._search.find(0.0, 1.0).value

    @property
    def _amplitude(self) -> float:
        if self._search is None:
            return super()._amplitude
        return (self._search.find(1.0, 0.0).value + self._search.find(-1.0, 0.0).value) / 4.0

    def _best(self, posterior: Any) -> Any:
        if self._search is None:
            return super()._best(posterior)
        return self._search.find(1.0, self.width).arm

    def _batch(self, n: int) -> list[Any]:
        if self._search is None:
            return super()._batch(n)
        pending, width = self.posterior.copy(), self.width
        pending.hold = True
        mean = self.estimator.copy(pending)
        search = Extremes(mean, pending)
        batch = []
        for _ in range(n):
            batch.append(search.find(1.0, width).arm)
            pending.observe(batch[-1])
            mean.suppose(pending)
        return batch

    def _tell(self, place: Any, payoff: float) -> None:
        if self._search is not None:
            self.posterior.reserve()  # so that a lack of memory shows before anything changes
        super()._tell(place, payoff)

    def _centre(self, arm: int) -> float:
        if self._search is None:
            return super()._centre(arm)
        return float(self.estimator.location + self.estimator.at(self.posterior.row(arm)))

    def _share(self, arm: int) -> float:
        if self._search is None:
            return super()._share(arm)
        return float(self.posterior.var_at(arm)) / self.setting.prior_var

    def _weighted(self, arm: int) -> tuple[int, IntArray]:
        """The place of an arm among those that a gain is about, and the plays of each of them."""
        posterior = self.posterior
        if self._search is None:
            return arm, posterior.counts
        return posterior.slot(arm), posterior.counts[posterior.played]

    def _known(self) -> tuple[Array, Array]:
        if self._search is None:
            return super()._known()
        return self.estimator.played, np.sqrt(self.posterior.played_var)

    def recommend(self) -> Recommendation:
        """The arm of the highest lower bound among those played, with value and interval."""
        if self._search is None:
            return super().recommend()
        if self.t == 0:
            raise InvalidInput("expected at least one tell before recommend(), got none")
        reach = self.width * np.sqrt(self.posterior.played_var)
        deviation = self.estimator.played
        slot = int(np.lexsort((self.posterior.played, reach - deviation))[0])
        value = float(self.origin + self.estimator.location + deviation[slot])
        radius = float(reach[slot])
        arm = int(self.posterior.played[slot])
        return Recommendation(arm, value, (value - radius, value + radius))
