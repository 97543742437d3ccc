"""A plan of episodes: each choice is played several times before anything is learned from it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput, InvalidState
from stoic.schema import Reals, Schema, Sums, Wholes

__all__ = ["Episodes"]

_MAX_SUMS = 2**30  # of all arms and plays: 8 GiB


class Episodes:
    """ℓ plays of one choice, N times or without an end; after the last, one choice for ever.

    Parameters
    ----------
    plays
        ℓ, the plays of an episode.
    arms
        A, the number of arms, each of which needs room for the payoffs of ℓ plays.
    horizon
        T, where there is one: then N = ⌊T/ℓ⌋.
    """

    schema: ClassVar[Schema] = {
        "_n": Wholes(),
        "_payoffs": Sums("columns"),
        "_filled": Wholes(below="columns"),
        "_planned": Reals(None),
    }

    def __init__(self, plays: int, arms: int, horizon: int | None) -> None:
        if arms * plays > _MAX_SUMS:
            raise InvalidInput(
                f"expected at most {_MAX_SUMS:,} payoff sums, arms × plays, got {arms} × "
                f"{plays}; give fewer plays="
            )
        if horizon is not None and horizon < plays:
            raise InvalidInput(
                f"expected a horizon of at least one episode of {plays} plays, "
                f"got {horizon}; give a longer horizon or plays="
            )
        self.plays = plays
        self._number = None if horizon is None else horizon // plays  # N
        self.n = 0  # episodes done
        self.payoffs: Array = np.zeros(plays)  # of the episode under way
        self._filled = 0  # of them
        self.planned: Any = None  # the choice of the episode under way, once it is known
        self.over = False  # whether the last episode is done

    @property
    def left(self) -> int:
        """Plays of the episode under way that are still to come."""
        return self.plays - self._filled

    def add(self, payoff: float) -> bool:
        """Take in a payoff; whether it was the last one of its episode."""
        filled = self._filled
        self.payoffs[filled] = payoff
        self._filled = filled = filled + 1
        if filled < self.plays:
            return False
        self._filled = 0
        self.n += 1
        self.planned = None
        self.over = self.n == self._number
        return True

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        planned = self.planned if self._filled else ()
        return {
            "_n": self.n,
            "_payoffs": self.payoffs.copy(),
            "_filled": self._filled,
            "_planned": np.array(planned, dtype=float).ravel(),
        }

    def restore(self, state: dict[str, Any], planned: Any) -> None:
        """Take over a state that fits :attr:`schema`, with the choice that was planned."""
        self.n, self.payoffs, self._filled = state["_n"], state["_payoffs"], state["_filled"]
        self.over = self._number is not None and self.n >= self._number
        self.planned = planned if self._filled else None

    def verify(self, t: int) -> None:
        """Raise :class:`InvalidState` unless so many payoffs have come."""
        learned = self.n * self.plays + self._filled
        if t < learned or (t > learned and not self.over):
            raise InvalidState(f"expected {learned} payoffs of {self.n} episodes, got {t}")
