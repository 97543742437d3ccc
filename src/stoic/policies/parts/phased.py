"""What policies share that play epochs by a plan, and learn at the end of each."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, choice
from stoic.errors import InvalidInput, InvalidState, OutOfPlan
from stoic.estimators import EpochPayoffs, Limiters
from stoic.estimators.replicates import REPLICATES
from stoic.policies.base import Policy, Recommendation
from stoic.policies.parts.epochs import EpochPlan
from stoic.policies.parts.grid import finite_choices
from stoic.policies.parts.options import Option
from stoic.posterior import ExactPosterior
from stoic.schema import Field, Reals, Schema, Sums, Truths, Wholes

__all__ = ["PhasedPolicy"]


class PhasedPolicy(Policy):
    """A policy with a plan for each epoch, of the arms that are still active.

    A subclass says how an epoch is planned (:meth:`_new_plan`), how a payoff enters
    (:meth:`_learn`) and what follows from all payoffs of an epoch (:meth:`_close_epoch`). A box is
    represented by ``arms_of_a_box`` points.

    Parameters
    ----------
    replicate
        How replays of an arm become one value.
    """

    limiters: ClassVar[Limiters[EpochPayoffs]]
    keeps = {
        "epoch": Wholes(below=52),  # whose length, 2^(epoch + 1), is a count
        "active": Truths("A"),
        "_mean": Sums("A"),
        "_std": Reals("A", low=0.0),
        "_width": Sums(low=0.0),
    }
    replicate = Option("mean", partial(choice, options=REPLICATES))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices = finite_choices(self.domain, self.arms_of_a_box, self.seed)
        self.points = self.choices.points
        limited = self.limiters.chosen(self.schedule)
        self._payoffs = limited(len(self.points), self.replicate)  # of the epoch under way
        self._mean: Array = np.zeros(len(self.points))
        self._std: Array = np.sqrt(self.kernel.diag(self.points))
        self._width = 0.0
        self.active = np.ones(len(self.points), dtype=bool)
        self.epoch = 0
        self._plan = self._new_plan()

    # -- what it shows ------------------------------------------------------------------------

    @property
    def mean(self) -> Array:
        """Estimated payoff of each arm after the last whole epoch."""
        return self._mean.copy()

    @property
    def std(self) -> Array:
        """Posterior standard deviation of each arm after the last whole epoch."""
        return self._std.copy()

    @property
    def width(self) -> float:
        """What multiplied the std at the end of the last whole epoch."""
        return self._width

    def recommend(self) -> Recommendation:
        """The active arm of the highest lower bound after the last whole epoch."""
        if self.t == 0:
            raise InvalidInput("expected at least one tell before recommend(), got none")
        lower = np.where(self.active, self._mean - self._width * self._std, -np.inf)
        arm = int(np.argmax(lower))
        value, error = float(self._mean[arm]), float(self._width * self._std[arm])
        return Recommendation(self.choices.show(arm), value, (value - error, value + error))

    # -- epochs -------------------------------------------------------------------------------

    @abstractmethod
    def _new_plan(self) -> EpochPlan:
        """Which of the active arms the epoch plays, and how often each."""

    @abstractmethod
    def _learn(self, arm: int, payoff: float) -> None:
        """How the payoff of a planned play enters."""

    @abstractmethod
    def _close_epoch(self) -> None:
        """Estimate means and stds of all arms by the epoch's payoffs, and eliminate arms."""

    def _tell(self, arm: int, payoff: float) -> None:
        if not self._plan.take(arm):
            raise OutOfPlan(
                f"expected an arm of the present plan of {int(self._plan.left.sum())} plays, "
                f"got {self.choices.show(arm)}; tell what ask() gave"
            )
        self._learn(arm, payoff)
        self.t += 1
        if self._plan.done:
            self._close_epoch()
            self._payoffs.clear()
            self.epoch += 1
            self._plan = self._new_plan()

    def _prior(self) -> ExactPosterior:
        return ExactPosterior(self.kernel, self.points, self.lam)

    def _posterior(self) -> ExactPosterior:
        """By the plays of this epoch alone."""
        posterior = self._prior()
        for arm in self._plan.arms.tolist():
            posterior.observe(arm, int(self._payoffs.counts[arm]))
        return posterior

    # -- state --------------------------------------------------------------------------------

    def _memory(self) -> dict[str, Any]:
        return {**super()._memory(), **self._plan.state(), "payoffs": self._payoffs.state()}

    def _layout(self) -> dict[str, Field | Schema]:
        return {**super()._layout(), **self._plan.schema, "payoffs": self._payoffs.schema}

    def _remember(self, memory: dict[str, Any]) -> None:
        super()._remember(memory)
        if not self.active.any() or self.t < 2 ** (self.epoch + 1) - 2:
            raise InvalidState(f"expected active arms and the plays of {self.epoch} epochs")
        self._plan = self._new_plan()
        self._payoffs.restore(memory["payoffs"])
        fits = self._plan.restore(memory)
        if not fits or (self._plan.played(len(self.points)) != self._payoffs.counts).any():
            raise InvalidState("expected the payoffs of the present epoch's plan in the state")

    def _verify(self) -> None:
        prior = np.sqrt(self.kernel.diag(self.points))
        if self._plan.done or (self._std > prior * (1.0 + 1e-6)).any():
            raise InvalidState("expected an epoch under way, and less std than the prior's")
