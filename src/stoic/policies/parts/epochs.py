"""A plan of one epoch: which arms are played, and how often each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
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
    psi
        ψ for η and the log-determinant of the selection.
    """

    schema: ClassVar[Schema] = {"_left": Wholes("planned")}

    def __init__(
        self,
        posterior: ExactPosterior,
        active: Array,
        h: int,
        eta: float,
        psi: Callable[[float, float], float],
    ) -> None:
        length = 2 ** (h + 1)  # l_h
        selected = rare_switching_design(posterior, active, length, eta)  # lines 3–10
        share = psi(eta, posterior.logdet)
        plays = [math.ceil(max(k, length * share) - 1e-9) for k in selected.values()]  # 11–12
        self.arms: IntArray = np.array(list(selected))
        self.plays: IntArray = np.array(plays)  # u_h(x)
        self.left = self.plays.copy()
        self.facts = Epoch(h, length, sum(plays), share, posterior.logdet)

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
