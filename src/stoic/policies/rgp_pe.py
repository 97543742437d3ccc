"""RGP-PE: phased elimination that an adversary with a budget can't fool for long.

Bogunovic, Li, Krause, Scarlett, *A robust phased elimination algorithm for corruption-tolerant
Gaussian process bandits*, NeurIPS 2022, Algorithm 1, Theorem 3, Corollaries 5 and 7.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from stoic.checks import Array, number
from stoic.estimators import ClippedEpochPayoffs, EpochPayoffs, Limiters
from stoic.policies.parts.epochs import EpochPlan
from stoic.policies.parts.options import Option
from stoic.policies.parts.phased import PhasedPolicy
from stoic.policies.parts.registry import register
from stoic.schedules.bogunovic2022 import Epoch, RGPPEPaper, RGPPETheory
from stoic.schedules.practical import PracticalRGPPE

__all__ = ["RGPPE"]


@register
class RGPPE(PhasedPolicy):
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
    the ordinary posterior mean. A box is represented by 512 quasi-random points: only these are
    played and eliminated, by bounds that hold on the whole box (Corollary 7). The practical
    schedule clips replays about the former epoch's estimate.

    >>> import numpy as np, stoic
    >>> policy = RGPPE(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask(8)
    [0, 0]
    """

    name = "rgp-pe"
    arms_of_a_box = 512
    asks = {"psi": (2.0, 1.0), "width": (Epoch(1, 2, 2, 0.5, 1.0),)}
    schedules = {"theory": RGPPETheory, "paper": RGPPEPaper, "practical": PracticalRGPPE}
    limiters = Limiters(constants=EpochPayoffs, learned=ClippedEpochPayoffs)
    eta = Option(2.0, partial(number, above=1.0))
    psi: Option[float | None] = Option(None, partial(number, above=0.0, at_most=1.0))

    # Alg. 1, lines 1 and 16: all arms are active at first, and epoch h + 1 is twice as long as h.

    def _new_plan(self) -> EpochPlan:
        plan = EpochPlan(self._prior(), self.active, self.epoch, self.eta)  # lines 2–10: S_h
        psi = self.schedule.psi(self.eta, plan.logdet) if self.psi is None else self.psi
        plan.set_plays(psi)  # lines 11–12: u_h(x)
        return plan

    def _batch(self, n: int) -> list[Any]:
        return self._plan.next(n)  # line 13: each x of S_h, u_h(x) times

    def _learn(self, arm: int, payoff: float) -> None:
        centre, error = float(self._mean[arm]), self._width * float(self._std[arm])
        y_hat = self._payoffs.limit(arm, payoff, centre, error)
        self._payoffs.add(arm, y_hat)  # line 13: ỹ_j

    def _close_epoch(self) -> None:
        posterior, location = self._posterior(), self._payoffs.location()
        deviation = posterior.smooth(self._payoffs.sums(location))  # line 14, eq. (7)
        self._mean, self._std = location + deviation, posterior.std  # line 14: μ̃ and σ of epoch h
        self._width = float(self.schedule.width(self._facts(deviation, posterior.logdet)))
        half = self._width * self._std
        best = (deviation - half)[self.active].max()
        self.active &= deviation + half >= best  # line 15: X_{h+1}

    def _facts(self, deviation: Array, logdet: float) -> Epoch:
        """What the schedule may look at."""
        return replace(
            self._plan.facts,
            noise=self._payoffs.noise(),
            amplitude=float(np.ptp(deviation)) / 4.0,
            widest=float(self._std[self.active].max()),
            plays_logdet=logdet,
        )
