"""RGP-PE: phased elimination that an adversary with a budget can't fool for long.

Bogunovic, Li, Krause, Scarlett, *A robust phased elimination algorithm for corruption-tolerant
Gaussian process bandits*, NeurIPS 2022, Algorithm 1, Theorem 3, Corollary 5.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stoic.checks import Array, choice, number
from stoic.errors import OutOfPlan
from stoic.estimators import EpochPayoffs
from stoic.estimators.replicates import REPLICATES
from stoic.policies.base import Policy, Recommendation
from stoic.policies.registry import register
from stoic.posterior import ExactPosterior
from stoic.schedules.bogunovic2022 import Epoch, RGPPEPaper, RGPPETheory
from stoic.schedules.practical import PracticalRGPPE
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
    the ordinary posterior mean. A box is represented by 512 quasi-random points.

    >>> import numpy as np, stoic
    >>> policy = RGPPE(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask(8)
    [0, 4]
    """

    name = "rgp-pe"
    schedules = {"theory": RGPPETheory, "paper": RGPPEPaper, "practical": PracticalRGPPE}

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
        if isinstance(self.domain, Arms):
            self.points = self.domain.X
        else:
            self.points = self.domain.spread(_GRID, self.seed)
        self._payoffs = EpochPayoffs(len(self.points), self.replicate)
        self._deviation: Array = np.zeros(len(self.points))
        self._std: Array = np.sqrt(self.kernel.diag(self.points))
        self._location = self._width = 0.0
        self.active = np.ones(len(self.points), dtype=bool)  # X_0, line 1
        self.epoch = 0
        self._open_epoch()

    def options(self) -> dict[str, Any]:
        """The policy's own constructor arguments that differ from None."""
        psi = {} if self.psi is None else {"psi": self.psi}
        return {"eta": self.eta, "replicate": self.replicate, **psi}

    @property
    def mean(self) -> Array:
        """Estimated payoff of each arm after the last whole epoch."""
        return self._location + self._deviation

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
        length = 2 ** (self.epoch + 1)
        design = ExactPosterior(self.kernel, self.points, self.lam)
        selected: dict[int, int] = {}
        left = length
        while left:
            x = int(np.argmax(np.where(self.active, design.var, -1.0)))  # line 4
            times = min(left, self._plays_until_refresh(float(design.var[x])))
            selected[x] = selected.get(x, 0) + times  # line 5
            design.observe(x, times)  # lines 6–9
            left -= times
        psi = self.schedule.psi(self.eta, design.logdet) if self.psi is None else self.psi
        plan = {
            x: math.ceil(max(times, length * psi) - 1e-9) for x, times in selected.items()
        }  # lines 11–12
        self._plan, self._left = np.array(list(plan)), np.array(list(plan.values()))
        self._facts = Epoch(self.epoch, length, int(self._left.sum()), psi, design.logdet)

    def _plays_until_refresh(self, var: float) -> int:
        """Lines 6–9: k plays of one arm multiply the determinant by 1 + kσ²/λ."""
        growth = math.expm1(math.log(self.eta) + 1e-9)
        plays = growth * self.lam / var if var > 0 else math.inf
        return int(plays) + 1 if plays < 2**62 else 2**62

    def _choose(self) -> Any:
        return self._batch(1)[0]

    def _batch(self, n: int) -> list[Any]:
        plan = np.repeat(self._plan, np.minimum(self._left, n))[:n]  # line 13
        return [x if isinstance(self.domain, Arms) else self.points[x] for x in plan.tolist()]

    def _tell(self, place: Any, payoff: float) -> None:
        arm = place if isinstance(self.domain, Arms) else self._nearest(place)
        slot = np.flatnonzero((self._plan == arm) & (self._left > 0))
        if not len(slot):
            raise OutOfPlan(
                f"expected an arm of the present plan, {self._plan[self._left > 0].tolist()}, "
                f"got {place}; tell what ask() gave"
            )
        self._payoffs.add(arm, payoff)
        self._left[slot[0]] -= 1
        self.t += 1
        if not self._left.any():
            self._close_epoch()

    def _nearest(self, point: Array) -> int:
        same = np.flatnonzero((self.points == point).all(axis=1))
        return int(same[0]) if len(same) else -1

    def _close_epoch(self) -> None:
        """Lines 14–16: estimate from this epoch alone, and eliminate."""
        posterior = ExactPosterior(self.kernel, self.points, self.lam)
        for x in self._plan.tolist():
            posterior.observe(x, int(self._payoffs.counts[x]))
        learn = getattr(self.schedule, "learns", False)
        self._location = self._payoffs.location() if learn else 0.0
        sums = self._payoffs.sums(self._location)
        self._deviation, self._std = posterior.smooth(sums), posterior.std  # line 14, eq. (7)
        noise = self._payoffs.noise() if learn else 1.0
        self._width = float(self.schedule.width(Epoch(**{**self._facts.__dict__, "noise": noise})))
        reach = self._width * self._std
        best = (self._deviation - reach)[self.active].max()
        self.active &= self._deviation + reach >= best  # line 15
        self._payoffs.clear()
        self.epoch += 1
        self._open_epoch()  # line 16

    def recommend(self) -> Recommendation:
        """The active arm of the highest lower bound after the last whole epoch."""
        reach = self._width * self._std
        lower = np.where(self.active, self._deviation - reach, -np.inf)
        arm = int(np.argmax(lower))
        value = float(self.mean[arm])
        shown = arm if isinstance(self.domain, Arms) else self.points[arm].copy()
        return Recommendation(shown, value, (value - float(reach[arm]), value + float(reach[arm])))

    def _memory(self) -> dict[str, Any]:
        return {
            "epoch": self.epoch,
            "left": self._left.copy(),
            "active": self.active.copy(),
            "deviation": self._deviation.copy(),
            "std": self._std.copy(),
            "location": self._location,
            "width": self._width,
            "payoffs": self._payoffs.state(),
        }

    def _remember(self, memory: dict[str, Any]) -> None:
        self.epoch = int(memory["epoch"])
        self.active = np.array(memory["active"], dtype=bool)
        self._open_epoch()
        self._left = np.array(memory["left"], dtype=np.int64)
        self._deviation = np.array(memory["deviation"], dtype=float)
        self._std = np.array(memory["std"], dtype=float)
        self._location, self._width = float(memory["location"]), float(memory["width"])
        self._payoffs.restore(memory["payoffs"])
