"""How a payoff is limited before it enters an estimate: not at all, by a level, by its weight."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.estimators.belief import Belief
from stoic.estimators.limited import Level, Limited
from stoic.estimators.truncation import contextual_threshold, truncate
from stoic.posterior import Step
from stoic.schema import Schema

__all__ = [
    "About",
    "AdaptiveTruncation",
    "ContextualTruncation",
    "Limiter",
    "Limiters",
    "Truncation",
    "Unlimited",
]

About = tuple[float, float, float]  # estimate of an arm, its share of the prior variance, amplitude
_NOTHING: About = (0.0, 0.0, 0.0)
L = TypeVar("L")


class Limiter:
    """What payoffs go through on their way to the estimator; this one leaves them as they are.

    A round calls, in this order, :meth:`relative` with the payoff, :meth:`about` before the play
    enters the posterior, and :meth:`limit` after it. The schedule decides once, when a policy is
    made, which limiter the policy has (:class:`Limiters`).

    Parameters
    ----------
    schedule
        Of the policy; a limiter by constants takes its levels from it.
    prior_var
        κ², the largest prior variance k(x, x).
    """

    learns: ClassVar[bool] = False  # whether it learns the noise level
    origin = 0.0  # what payoffs and estimates are relative to
    location = 0.0  # what the estimate shrinks towards, relative to the origin
    noise = 1.0  # the noise level, where it is learned
    warming = False  # whether too few payoffs have come to know the scale of anything
    max_features: int | None = None  # the most to come, where a level depends on them
    schema: ClassVar[Schema] = {}

    def __init__(self, schedule: Any, prior_var: float) -> None:
        self.schedule = schedule
        self.prior_var = prior_var

    def relative(self, payoff: float) -> float:
        """The payoff relative to the origin."""
        return payoff

    def about(self, belief: Belief, arm: int) -> About:
        """What is known of an arm before a play of it, as far as :meth:`limit` asks for it."""
        del belief, arm
        return _NOTHING

    def limit(self, arm: int, payoffs: Array, about: About, belief: Belief, step: Step) -> Limited:
        """The payoffs of the play that made ``step``, one for each column, limited."""
        del arm, about, belief, step
        return Limited(payoffs)

    def first(self, since: int) -> tuple[IntArray, Array] | None:
        """Arms and payoffs of a warm-up that was under way at play ``since``, if it was."""
        del since
        return None

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""

    def verify(self, belief: Belief) -> None:
        """Raise :class:`InvalidState` unless this is what the plays of a belief have left."""
        if belief.location:
            raise InvalidState("expected no location without a calibration in the state")


class Unlimited(Limiter):
    """Payoffs as they are."""


class Truncation(Limiter):
    """ŷ_t = y_t·1{|y_t| ≤ b_t} with the schedule's b_t (chowdhury2019, Algorithm 1, line 5)."""

    def limit(self, arm: int, payoffs: Array, about: About, belief: Belief, step: Step) -> Limited:
        """The payoffs, zero where they are beyond b_t."""
        del arm, about, step
        b = self.schedule.truncation(belief.posterior.t)
        return Limited(np.array([truncate(y, b) for y in payoffs.tolist()]))


class ContextualTruncation(Limiter):
    """ŷ_t = y_t·1{|b_t y_t| ≤ h(x_t)}, by the weight of y_t (park2024, Algorithm 1, lines 6–7)."""

    def limit(self, arm: int, payoffs: Array, about: About, belief: Belief, step: Step) -> Limited:
        """The payoffs, zero where their weight is beyond h."""
        del about
        row, counts = belief.weighted(arm)
        level = contextual_threshold(step.gain, row, counts, self.schedule.order)  # h(x_t)/|b_t|
        return Limited(np.array([truncate(y, level) for y in payoffs.tolist()]))


class AdaptiveTruncation(Limiter):
    """Levels b_t for an estimator that truncates all its payoffs anew in each round.

    The level falls as the features get more, so what is within it for good is decided by the
    level at ``max_features``; None where they stay as many as they are.
    """

    def limit(self, arm: int, payoffs: Array, about: About, belief: Belief, step: Step) -> Limited:
        """The payoffs as they are, with the level of this round (chowdhury2019, Algorithm 2)."""
        del arm, about, step
        t, size = belief.posterior.t, belief.posterior.size
        b = self.schedule.truncation(t, max(size, 1))
        least = self.schedule.truncation(t, self.max_features or size)
        return Limited(payoffs, level=Level(b, min(b, least) * (1 - 1e-9)))


class Limiters(NamedTuple, Generic[L]):
    """Which limiter a policy has: by constants that are known, or by what is learned."""

    constants: type[L]
    learned: type[L]

    def chosen(self, schedule: Any) -> type[L]:
        """The one that the schedule asks for."""
        return self.learned if getattr(schedule, "learns", False) else self.constants
