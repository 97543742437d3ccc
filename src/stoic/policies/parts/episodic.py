"""What policies share that play each choice several times before they learn from it."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from stoic.checks import integer
from stoic.errors import InvalidState, OutOfPlan
from stoic.policies.parts.episodes import Episodes
from stoic.policies.parts.options import Option
from stoic.policies.parts.ucb import UCBPolicy
from stoic.schema import Field, Schema

__all__ = ["EpisodicPolicy"]


class EpisodicPolicy(UCBPolicy):
    """A policy with a plan of :class:`Episodes`, one choice each.

    A subclass makes the plan together with the belief. After the last episode, the best arm is
    played, and nothing more is learned.

    Parameters
    ----------
    plays
        Of an episode, to override the schedule's.
    """

    plays: Option[int | None] = Option(None, partial(integer, at_least=1))
    episodes: Episodes

    @property
    def width(self) -> float:
        """What multiplies the std: nothing after the last episode, when the best arm is played."""
        return 0.0 if self.episodes.over else super().width

    # -- ask and tell -------------------------------------------------------------------------

    def _choice(self) -> Any:
        planned = self.episodes.planned
        if planned is None:
            planned = self.episodes.planned = self._choose(self.belief)
        return planned

    def _batch(self, n: int) -> list[Any]:
        return [self._choice()] * (n if self.episodes.over else min(n, self.episodes.left))

    def _tell(self, choice: Any, payoff: float) -> None:
        plan = self.episodes
        planned = plan.planned
        if planned is None:
            planned = self._choice()
        if choice is not planned and not self.choices.same(choice, planned):
            raise OutOfPlan(
                f"expected the planned arm {planned}, got {choice}; tell what ask() gave"
            )
        arm = choice if type(choice) is int else self.choices.row(choice, self.belief)
        self.t += 1
        if not plan.over and plan.add(self.limiter.relative(payoff)):
            self._learn(arm, plan.payoffs)

    @property
    def _plays(self) -> int:
        return self.episodes.n

    # -- state --------------------------------------------------------------------------------

    @classmethod
    def _from_nested(cls, nested: dict[str, Any], schedule: Any) -> Self:
        payoffs = np.size(nested["memory"]["_payoffs"])
        plays = nested.get("options", {}).get("plays", payoffs)
        if plays != payoffs:  # before room is made for so many
            raise InvalidState(f"expected room for {payoffs} plays, got {plays}")
        return super()._from_nested(nested, schedule)

    def _memory(self) -> dict[str, Any]:
        return {**super()._memory(), **self.episodes.state()}

    def _layout(self) -> dict[str, Field | Schema]:
        return {**super()._layout(), **self.episodes.schema}

    def _remember(self, memory: dict[str, Any]) -> None:
        super()._remember(memory)
        planned = self.choices.unpacked(memory["_planned"]) if memory["_filled"] else None
        self.episodes.restore(memory, planned)

    def _verify(self) -> None:
        super()._verify()
        self.episodes.verify(self.t)
