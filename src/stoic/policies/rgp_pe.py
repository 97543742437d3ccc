"""RGP-PE: phased elimination that an adversary with a budget can't fool for long.

Bogunovic, Li, Krause, Scarlett, *A robust phased elimination algorithm for corruption-tolerant
Gaussian process bandits*, NeurIPS 2022, Algorithm 1, Theorem 3, Corollary 5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from stoic.checks import Array, choice, number
from stoic.errors import InvalidInput, InvalidState, OutOfPlan
from stoic.estimators import ClippedEpochPayoffs, EpochPayoffs
from stoic.estimators.replicates import REPLICATES
from stoic.policies.base import Policy, Recommendation
from stoic.policies.parts.epochs import EpochPlan
from stoic.policies.parts.grid import finite_choices
from stoic.policies.registry import register
from stoic.posterior import ExactPosterior
from stoic.schedules.bogunovic2022 import Epoch, RGPPEPaper, RGPPETheory
from stoic.schedules.practical import PracticalRGPPE
from stoic.schema import Field, Reals, Schema, Sums, Truths, Wholes

__all__ = ["RGPPE"]

_GRID = 512  # points that stand for a box


@register
class RGPPE(Policy):
    """RGP-PE: robust phased elimination.

    For an adversary who may change payoffs by C in total. Epochs of doubling length; each
    selects the most uncertain active arms, rarely changing its mind, plays every selected arm
    many times, and eliminates what its own payoffs alone rule out. It has a plan, in epochs.

    Parameters
    ----------
    eta
        η > 1: the variance is refreshed when the determinant has grown by it.
    psi
        ψ in (0, 1]: least share of an epoch's plays of a selected arm, to override the schedule's.
    replicate
        How replays of an arm become one value: ``"mean"`` as in the paper, or ``"median"``,
        ``"trimmed"``, ``"mom"``, which are ours.

    Cost per epoch: (switches)·A·(distinct arms); nothing per round.

    Departures from print: ψ's γ is the realised one. Eq. (7)'s averaging of identical actions is
    the ordinary posterior mean. A box is represented by 512 quasi-random points. The practical
    schedule clips replays about the former epoch's estimate.

    >>> import numpy as np, stoic
    >>> policy = RGPPE(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask(8)
    [0, 0]
    """

    name = "rgp-pe"
    arms_of_a_box = _GRID
    asks = {"psi": (2.0, 1.0), "width": (Epoch(1, 2, 2, 0.5, 1.0),)}
    schedules = {"theory": RGPPETheory, "paper": RGPPEPaper, "practical": PracticalRGPPE}
    own = ("eta", "psi", "replicate")
    keeps = {
        "epoch": Wholes(below=52),  # whose length, 2^(epoch + 1), is a count
        "active": Truths("A"),
        "_mean": Sums("A"),
        "_std": Reals("A", low=0.0),
        "_width": Sums(low=0.0),
    }

    def __init__(
        self,
        *args: Any,
        eta: float = 2.0,
        psi: float | None = None,
        replicate: str = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.eta = number(eta, "eta", above=1.0)
        self.psi = None if psi is None else number(psi, "psi", above=0.0, at_most=1.0)
        self.replicate = choice(replicate, "replicate", REPLICATES)
        self.choices = finite_choices(self.domain, _GRID, self.seed)
        self.points = self.choices.points
        learns = getattr(self.schedule, "learns", False)
        payoffs = ClippedEpochPayoffs if learns else EpochPayoffs
        self._payoffs = payoffs(len(self.points), self.replicate)
        self._mean: Array = np.zeros(len(self.points))
        self._std: Array = np.sqrt(self.kernel.diag(self.points))
        self._width = 0.0
        self.active = np.ones(len(self.points), dtype=bool)  # Alg. 1, line 1: X_0
        self.epoch = 0  # h
        self._plan = self._new_plan()

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

    def _new_plan(self) -> EpochPlan:
        plan = EpochPlan(self._prior(), self.active, self.epoch, self.eta)  # lines 2–10
        psi = self.schedule.psi(self.eta, plan.logdet) if self.psi is None else self.psi
        plan.set_plays(psi)  # lines 11–12
        return plan

    def _prior(self) -> ExactPosterior:
        return ExactPosterior(self.kernel, self.points, self.lam)

    def _batch(self, n: int) -> list[Any]:
        return self._plan.next(n)  # line 13

    def _tell(self, arm: int, payoff: float) -> None:
        if not self._plan.take(arm):
            raise OutOfPlan(
                f"expected an arm of the present plan of {int(self._plan.left.sum())} plays, "
                f"got {self.choices.show(arm)}; tell what ask() gave"
            )
        centre, error = float(self._mean[arm]), self._width * float(self._std[arm])
        self._payoffs.add(arm, self._payoffs.limit(arm, payoff, centre, error))
        self.t += 1
        if self._plan.done:
            self._close_epoch()

    def _close_epoch(self) -> None:
        posterior, location = self._prior(), self._payoffs.location()
        for arm in self._plan.arms.tolist():
            posterior.observe(arm, int(self._payoffs.counts[arm]))
        deviation = posterior.smooth(self._payoffs.sums(location))  # line 14, eq. (7)
        self._mean, self._std = location + deviation, posterior.std  # line 14
        self._width = float(self.schedule.width(self._facts(deviation)))
        half = self._width * self._std
        best = (deviation - half)[self.active].max()
        self.active &= deviation + half >= best  # line 15
        self._payoffs.clear()
        self.epoch += 1
        self._plan = self._new_plan()  # line 16

    def _facts(self, deviation: Array) -> Epoch:
        """What the schedule may look at."""
        return replace(
            self._plan.facts,
            noise=self._payoffs.noise(),
            amplitude=float(np.ptp(deviation)) / 4.0,
            widest=float(self._std[self.active].max()),
        )

    def recommend(self) -> Recommendation:
        """The active arm of the highest lower bound after the last whole epoch."""
        if self.t == 0:
            raise InvalidInput("expected at least one tell before recommend(), got none")
        lower = np.where(self.active, self._mean - self._width * self._std, -np.inf)
        arm = int(np.argmax(lower))
        value, error = float(self._mean[arm]), float(self._width * self._std[arm])
        return Recommendation(self.choices.show(arm), value, (value - error, value + error))

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
