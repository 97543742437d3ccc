"""What policies share that play the arm of the highest upper confidence bound."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, points
from stoic.errors import InvalidInput, InvalidState
from stoic.estimators import (
    Belief,
    DenseBelief,
    Limiter,
    Limiters,
    NoiseWatch,
    SmoothedMean,
    Unlimited,
)
from stoic.many_arms import ManyArmsBelief, ManyArmsMean, ManyArmsPosterior
from stoic.policies.base import Policy, Recommendation
from stoic.policies.parts.progress import LiveProgress
from stoic.posterior import exact_posterior
from stoic.schema import Field, Schema
from stoic.spaces import Arms

__all__ = ["UCBPolicy"]


class UCBPolicy(Policy):
    """A policy of a belief, a limiter and a schedule, whose bounds are mean ± width·std.

    A subclass says how it chooses, which is argmax of mean + width·std with ties to the lowest
    index (:meth:`_choose`), and how the payoff of one play enters (:meth:`_learn`): through the
    ``limiter``, which may limit the payoff, into the ``belief``, which has the posterior and the
    estimator. On a box, the belief tracks the points played so far, and the bound is maximised
    over candidates and refined locally.

    From ``many_arms`` arms on, the belief finds the arm of the highest bound without a pass over
    all arms. The arms that are played are the same; ``mean`` and ``std`` of all arms are computed
    when they are asked for, which takes long.
    """

    limiters: ClassVar[Limiters[Limiter]] = Limiters(constants=Unlimited, learned=NoiseWatch)
    many_arms: ClassVar[float] = 250_000  # from here on it is faster, and takes less memory

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        limiter = self.limiters.chosen(self.schedule)
        self.limiter = limiter(self.schedule, self.setting.prior_var)
        self.belief: Belief = self._new_belief(self.choices.points)
        self.progress = LiveProgress(self.belief, self.limiter)
        self._payoff: Array = np.zeros(1)  # of the play under way

    def _new_belief(self, points: Array) -> Belief:
        """The belief before the first play."""
        if isinstance(self.domain, Arms) and len(points) >= self.many_arms:
            posterior = ManyArmsPosterior(self.kernel, points, self.lam)
            return ManyArmsBelief(posterior, ManyArmsMean(posterior))
        exact = exact_posterior(self.kernel, points, self.lam)
        return DenseBelief(exact, SmoothedMean(len(points)))

    # -- what it shows ------------------------------------------------------------------------

    @property
    def posterior(self) -> Any:
        """Which arms were played, and what follows from that alone."""
        return self.belief.posterior

    @property
    def estimator(self) -> Any:
        """What the payoffs amount to."""
        return self.belief.estimator

    @property
    def mean(self) -> Array:
        """Estimated payoff of each arm (of each point played, on a box)."""
        return self._offset + self.belief.deviation

    @property
    def _offset(self) -> float:
        """What deviations are relative to."""
        return self.limiter.origin + self.belief.location

    @property
    def std(self) -> Array:
        """Posterior standard deviation of each arm (of each point played, on a box)."""
        std: Array = self.belief.posterior.std
        return std

    @property
    def width(self) -> float:
        """What multiplies the std in the policy's bounds at the coming choice."""
        width = float(self.schedule.width(self.progress))
        if not math.isfinite(width):
            raise InvalidInput(f"expected a finite width from the schedule, got {width}")
        return width

    def predict(self, X: Any) -> tuple[Array, Array]:
        """Estimated payoff and posterior standard deviation at any points."""
        X = points(X, "the points")
        self.kernel.check(X)
        deviation, std = self.belief.predict(X)
        return self._offset + deviation, std

    # -- ask and tell -------------------------------------------------------------------------

    @abstractmethod
    def _choose(self, belief: Belief) -> Any:
        """The choice by a belief: the policy's own, or a copy with pending plays."""

    def _choice(self) -> Any:
        return self._choose(self.belief)

    def _batch(self, n: int) -> list[Any]:
        # Each choice shrinks the std as if it had been played; the mean waits for payoffs.
        batch = [self._choose(self.belief)]
        pending = self.belief if n == 1 else self.belief.copy()
        while len(batch) < n:
            self.choices.suppose(pending, batch[-1])
            batch.append(self._choose(pending))
        return batch

    def _tell(self, choice: Any, payoff: float) -> None:
        self.belief.reserve()  # so that a lack of memory shows before anything changes
        arm = choice if type(choice) is int else self.choices.row(choice, self.belief)
        self._payoff[0] = self.limiter.relative(payoff)
        self.t += 1
        self._learn(arm, self._payoff)

    @abstractmethod
    def _learn(self, arm: int, payoffs: Array) -> None:
        """How the payoff of round t, of one tracked point, enters."""

    # -- recommend ----------------------------------------------------------------------------

    def recommend(self) -> Recommendation:
        """The arm of the highest lower bound among those played, with value and interval."""
        if self.t == 0:
            raise InvalidInput("expected at least one tell before recommend(), got none")
        arms, deviation, std = self.belief.known()
        half = self.width * std  # of the interval
        best = int(np.lexsort((arms, half - deviation))[0])
        value, error = float(self._offset + deviation[best]), float(half[best])
        arm = self.choices.at(int(arms[best]), self.belief)
        return Recommendation(arm, value, (value - error, value + error))

    # -- state --------------------------------------------------------------------------------

    def _memory(self) -> dict[str, Any]:
        learned = {**self.belief.state(), **self.limiter.state()}
        return {**super()._memory(), **learned, **self.choices.state(self.belief)}

    def _layout(self) -> dict[str, Field | Schema]:
        learned = {**self.belief.schema, **self.limiter.schema}
        return {**self.choices.schema, **super()._layout(), **learned}

    def _sizes(self) -> dict[str, int]:
        return {**self.choices.sizes, **self.belief.sizes}

    def _remember(self, memory: dict[str, Any]) -> None:
        self.choices.restore(memory, self.belief)
        super()._remember(memory)
        self.belief.restore(memory)
        self.limiter.restore(memory)

    def _verify(self) -> None:
        self.belief.verify()
        self.limiter.verify(self.belief)
        if self._plays != self.posterior.t:
            raise InvalidState(f"expected {self.posterior.t} rounds in the state, got {self.t}")

    @property
    def _plays(self) -> int:
        """How many plays the belief has seen."""
        return self.t
