"""RGP-PE: phased elimination that an adversary with a budget can't fool for long.

Bogunovic, Li, Krause, Scarlett, *A robust phased elimination algorithm for corruption-tolerant
Gaussian process bandits*, NeurIPS 2022, Algorithm 1, Theorem 3, Corollary 5.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from stoic.checks import Array, choice, number
from stoic.errors import InvalidInput, InvalidState, OutOfPlan
from stoic.estimators import EpochPayoffs
from stoic.estimators.replicates import REPLICATES
from stoic.policies.base import Policy, Recommendation
from stoic.policies.registry import register
from stoic.posterior import ExactPosterior, rare_switching_design
from stoic.schedules.bogunovic2022 import Epoch, RGPPEPaper, RGPPETheory
from stoic.schedules.practical import PracticalRGPPE
from stoic.schema import Field, Reals, Schema, Sums, Truths, Wholes
from stoic.spaces import Arms

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
        "_left": Wholes("planned"),
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
        domain = self.domain
        self.points = domain.X if isinstance(domain, Arms) else domain.spread(_GRID, self.seed)
        self._payoffs = EpochPayoffs(len(self.points), self.replicate)
        self._mean: Array = np.zeros(len(self.points))
        self._std: Array = np.sqrt(self.kernel.diag(self.points))
        self._width = 0.0
        self.active = np.ones(len(self.points), dtype=bool)  # X_0, line 1
        self.epoch = 0  # h
        self._open_epoch()

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

    def _open_epoch(self) -> None:
        """Lines 2–12: select arms, and plan how often each is played."""
        length = 2 ** (self.epoch + 1)  # l_h
        design = ExactPosterior(self.kernel, self.points, self.lam)
        selected = rare_switching_design(design, self.active, length, self.eta)  # lines 3–10
        psi = self.schedule.psi(self.eta, design.logdet) if self.psi is None else self.psi
        plays = [math.ceil(max(k, length * psi) - 1e-9) for k in selected.values()]  # lines 11–12
        self._plan, self._left = np.array(list(selected)), np.array(plays)
        self._facts = Epoch(self.epoch, length, sum(plays), psi, design.logdet)

    def _choose(self) -> Any:
        return self._batch(1)[0]

    def _batch(self, n: int) -> list[Any]:
        plan = np.repeat(self._plan, np.minimum(self._left, n))[:n]  # line 13
        return [x if isinstance(self.domain, Arms) else self.points[x] for x in plan.tolist()]

    def _tell(self, place: Any, payoff: float) -> None:
        arms = isinstance(self.domain, Arms)
        told = self._plan == place if arms else (self.points[self._plan] == place).all(axis=1)
        slots = np.flatnonzero(told & (self._left > 0))
        if not len(slots):
            raise OutOfPlan(
                f"expected an arm of the present plan of {int(self._left.sum())} plays, "
                f"got {place}; tell what ask() gave"
            )
        arm = int(self._plan[slots[0]])
        if self.epoch and getattr(self.schedule, "learns", False):
            reach = self._width * float(self._std[arm])
            payoff = self._payoffs.clip(arm, payoff, float(self._mean[arm]), reach)
        self._payoffs.add(arm, payoff)
        self._left[slots[0]] -= 1
        self.t += 1
        if not self._left.any():
            self._close_epoch()

    def _close_epoch(self) -> None:
        """Lines 14–16: estimate from this epoch alone, and eliminate."""
        posterior = ExactPosterior(self.kernel, self.points, self.lam)
        for x in self._plan.tolist():
            posterior.observe(x, int(self._payoffs.counts[x]))
        learns = getattr(self.schedule, "learns", False)
        location = self._payoffs.location() if learns else 0.0
        deviation = posterior.smooth(self._payoffs.sums(location))  # line 14, eq. (7)
        self._mean, self._std = location + deviation, posterior.std  # line 14
        facts = replace(
            self._facts,
            noise=self._payoffs.noise(),
            amplitude=float(np.ptp(deviation)) / 4.0,
            widest=float(self._std[self.active].max()),
        )
        self._width = float(self.schedule.width(facts))
        reach = self._width * self._std
        best = (deviation - reach)[self.active].max()
        self.active &= deviation + reach >= best  # line 15
        self._payoffs.clear()
        self.epoch += 1
        self._open_epoch()  # line 16

    def recommend(self) -> Recommendation:
        """The active arm of the highest lower bound after the last whole epoch."""
        if self.t == 0:
            raise InvalidInput("expected at least one tell before recommend(), got none")
        lower = np.where(self.active, self._mean - self._width * self._std, -np.inf)
        arm = int(np.argmax(lower))
        value, reach = float(self.mean[arm]), float(self.width * self.std[arm])
        return self._stand_by(self.points, arm, value, reach)

    def _memory(self) -> dict[str, Any]:
        return {**super()._memory(), "payoffs": self._payoffs.state()}

    def _layout(self) -> dict[str, Field | Schema]:
        return {**super()._layout(), "payoffs": self._payoffs.schema}

    def _sizes(self) -> dict[str, int]:
        return {"A": len(self.points)}

    def _remember(self, memory: dict[str, Any]) -> None:
        self.epoch, self.active = memory["epoch"], memory["active"]
        if not self.active.any() or memory["t"] < 2 ** (self.epoch + 1) - 2:
            raise InvalidState(f"expected active arms and the plays of {self.epoch} epochs")
        self._open_epoch()
        plays = self._left
        super()._remember(memory)
        self._payoffs.restore(memory["payoffs"])
        told = np.zeros_like(self._payoffs.counts)
        told[self._plan] = plays - self._left[: len(plays)]
        if len(plays) != len(self._left) or not np.array_equal(told, self._payoffs.counts):
            raise InvalidState("expected the payoffs of the present epoch's plan in the state")

    def _verify(self) -> None:
        prior = np.sqrt(self.kernel.diag(self.points))
        if not self._left.any() or (self._std > prior * (1.0 + 1e-6)).any():
            raise InvalidState("expected an epoch under way, and less std than the prior's")
