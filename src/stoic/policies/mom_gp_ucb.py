"""MoM-GP-UCB: play an arm several times, keep as many posteriors, trust their median.

Park & Lee, *Contextually adaptive algorithms for Gaussian process bandit optimization under
heavy-tailed noise*, ECAI 2024, Algorithm 2 and Lemma 5.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

from stoic.checks import Array, number
from stoic.estimators import Belief, Clipping, DenseBelief, Limiters, SmoothedMean, Unlimited
from stoic.policies.parts.episodes import Episodes
from stoic.policies.parts.episodic import EpisodicPolicy
from stoic.policies.parts.options import Option
from stoic.policies.parts.registry import register
from stoic.posterior import exact_posterior
from stoic.schedules.park2024 import MoMGPUCBTheory
from stoic.schedules.practical import PracticalMoM

__all__ = ["MoMGPUCB"]


@register
class MoMGPUCB(EpisodicPolicy):
    """MoM-GP-UCB: the median of means.

    For noise with a finite (1 + ε)-th central moment, where repeated plays are cheap. It has a
    plan: each choice is played ℓ times, one payoff for each of ℓ posteriors that differ in payoffs
    alone; the estimate is the median of their ℓ means. After N = ⌊T/ℓ⌋ episodes, the remainder is
    played on the best arm.

    An offset of payoffs. The theory width depends on central moments, hence not on an offset; but
    the plays do. The prior mean is zero, and an offset c adds c·s(1) to each of the ℓ means, with
    s(1) near 1 at arms of many plays and below 1 at others. Measured (``stoic reproduce
    park2024/offset``, 20 functions): R_T/T is 0.25, 0.19 and 0.52 at offsets of 0, 10 and 100
    standard deviations; at 100 two arms are ever played. With λ = 0.01, which shrinks less, it is
    0.35 at all three; with the first payoff as the prior mean, 0.26 with the same plays. With the
    practical schedule, payoffs are relative to a learned origin: neither this policy's plays nor
    those of the truncating policies and of GP-UCB depend on the offset.

    Parameters
    ----------
    plays
        ℓ, to override the schedule's.
    delta_prime
        δ′ in (0, 1], by which the theory and paper schedules set ℓ = ⌈8 ln(2T/δ′)⌉; it is not the
        δ of the assumptions, which their width depends on.

    With the kernel :class:`stoic.Linear` this is not MENU, the linear bandit of Shao et al.
    (NeurIPS 2018, Alg. 1), although both have ℓ ridge regressions. MENU selects one of them as a
    whole, the one whose median distance to the others is least. Here each arm has the median of
    its own ℓ values, so the estimate need not be a linear function. Stoic has no MENU; from the
    same paper it has TOFU, ``ATAGPUCB(arms, stoic.Linear(), features="linear")``.

    Cost per episode: as one round of GP-UCB, plus A·ℓ.

    Departures from print: line 8 lacks an inverse, line 9 "k(x, x) −" and the root. ℓ is
    rounded up.

    >>> import numpy as np, stoic
    >>> policy = MoMGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask(3)
    [0, 0, 0]
    """

    name = "mom-gp-ucb"
    asks = {**EpisodicPolicy.asks, "plays": ()}
    schedules = {"theory": MoMGPUCBTheory, "paper": MoMGPUCBTheory, "practical": PracticalMoM}
    delta_prime = Option(0.1, partial(number, above=0.0, at_most=1.0))
    limiters = Limiters(constants=Unlimited, learned=Clipping)

    def _named_schedule(self, name: str) -> Any:
        if name != "practical":
            return self.schedules[name](self.setting, delta_prime=self.delta_prime)
        own = {} if self.plays is None else {"replicates": self.plays}
        return PracticalMoM(self.setting, **own)

    def _new_belief(self, points: Array) -> Belief:
        self.repeats = self.plays or int(self.schedule.plays())  # Alg. 2, line 2: ℓ
        horizon = None if self.limiter.learns else self.horizon
        self.episodes = Episodes(self.repeats, len(points), horizon)  # line 2: N
        exact = exact_posterior(self.kernel, points, self.lam)
        return DenseBelief(exact, SmoothedMean(len(points), self.repeats))  # line 2: μ̃_0

    def _choose(self, belief: Belief) -> Any:
        return self.choices.argmax(belief, self.width, self.seed)  # lines 4–5: α_n and x_n

    def _learn(self, arm: int, payoffs: Array) -> None:  # line 6: y_{n,1}, …, y_{n,ℓ}
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)  # line 9: σ_n
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)
        self.belief.learn(arm, y_hat, step)  # lines 7–8: ℓ means, and their median μ̃_n

    @classmethod
    def _from_nested(cls, nested: dict[str, Any], schedule: Any) -> Self:
        # states of the first release know one δ only
        options = {"delta_prime": nested["assumptions"]["delta"], **nested.get("options", {})}
        return super()._from_nested({**nested, "options": options}, schedule)
