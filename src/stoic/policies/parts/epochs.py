"""A plan of one epoch: which arms are played, and how often each."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stoic.checks import IntArray
from stoic.posterior import ExactPosterior, rare_switching_design
from stoic.schedules.bogunovic2022 import Epoch
from stoic.schema import Schema, Wholes

__all__ = ["EpochPlan"]


class EpochPlan:
    """Selected arms and how often each is still to be played (bogunovic2022, lines 2–13).

    Parameters
    ----------
    posterior
        Before any play, of all arms.
    active
        X_h, the arms that are not eliminated.
    h
        The number of the epoch.
    eta
        η: the variance is refreshed when the determinant has grown by it.
    """

    schema: ClassVar[Schema] = {"_left": Wholes("planned")}

    def __init__(
        self,
        posterior: ExactPosterior,
        active: NDArray[np.bool_],
        h: int,
        eta: float,
    ) -> None:
        self._h, self._length = h, 2 ** (h + 1)  # l_h
        self._selected = rare_switching_design(posterior, active, self._length, eta)  # lines 3–10
        self.logdet = posterior.logdet
        self.arms: IntArray = np.array(list(self._selected))
        self.set_plays(1.0)

    def set_plays(self, psi: float) -> None:
        """Play each selected arm as often as selected, at least a share ψ (lines 11–12)."""
        least = self._length * psi
        plays = [math.ceil(max(k, least) - 1e-9) for k in self._selected.values()]
        self.plays: IntArray = np.array(plays)  # u_h(x)
        self.left = self.plays.copy()
        self.facts = Epoch(self._h, self._length, sum(plays), psi, self.logdet)

    def next(self, n: int) -> list[int]:
        """The next ``n`` arms, or fewer where the epoch ends."""
        arms: list[int] = np.repeat(self.arms, np.minimum(self.left, n))[:n].tolist()
        return arms

    def take(self, arm: int) -> bool:
        """Count a play; whether the arm was still to be played."""
        slots = np.flatnonzero((self.arms == arm) & (self.left > 0))
        if not len(slots):
            return False
        self.left[slots[0]] -= 1
        return True

    @property
    def done(self) -> bool:
        """Whether all plays have been made."""
        return not self.left.any()

    def played(self, arms: int) -> IntArray:
        """How often each of so many arms has been played."""
        counts = np.zeros(arms, dtype=np.int64)
        counts[self.arms] = self.plays - self.left
        return counts

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {"_left": self.left.copy()}

    def restore(self, state: dict[str, Any]) -> bool:
        """Take over a state that fits :attr:`schema`; whether it is one of this plan."""
        if len(state["_left"]) != len(self.plays):
            return False
        self.left = state["_left"]
        return True
