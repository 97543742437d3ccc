"""MoM-GP-UCB: play an arm several times, keep as many posteriors, trust their median.

Park & Lee, *Contextually adaptive algorithms for Gaussian process bandit optimization under
heavy-tailed noise*, ECAI 2024, Algorithm 2 and Lemma 5.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from stoic.checks import Array, integer, number
from stoic.errors import InvalidState, OutOfPlan
from stoic.estimators import Belief, Clipping, DenseBelief, Limiters, SmoothedMean, Unlimited
from stoic.policies.parts.episodes import Episodes
from stoic.policies.registry import register
from stoic.policies.ucb import UCBPolicy
from stoic.posterior import exact_posterior
from stoic.schedules.park2024 import MoMGPUCBTheory
from stoic.schedules.practical import PracticalMoM
from stoic.schema import Field, Schema

__all__ = ["MoMGPUCB"]


@register
class MoMGPUCB(UCBPolicy):
    """MoM-GP-UCB: the median of means.

    For noise with a finite (1 + ε)-th central moment, wherever its location: unlike truncation
    it does not depend on the offset of payoffs. It has a plan: each choice is played ℓ times,
    one payoff for each of ℓ posteriors that differ in payoffs alone; the estimate is the median
    of their ℓ means. After N = ⌊T/ℓ⌋ episodes, the remainder is played on the best arm.

    Parameters
    ----------
    plays
        ℓ, to override the schedule's.
    delta_prime
        δ′ in (0, 1], by which the theory and paper schedules set ℓ = ⌈8 ln(2T/δ′)⌉; it is not the
        δ of the assumptions, which their width depends on.

    Cost per episode: as one round of GP-UCB, plus A·ℓ.

    Departures from print: line 8 lacks an inverse, line 9 "k(x, x) −" and the root. ℓ is
    rounded up.

    >>> import numpy as np, stoic
    >>> policy = MoMGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask(3)
    [0, 0, 0]
    """

    name = "mom-gp-ucb"
    asks = {**UCBPolicy.asks, "plays": ()}
    schedules = {"theory": MoMGPUCBTheory, "paper": MoMGPUCBTheory, "practical": PracticalMoM}
    own = ("plays", "delta_prime")
    limiters = Limiters(constants=Unlimited, learned=Clipping)

    def __init__(
        self, *args: Any, plays: int | None = None, delta_prime: float = 0.1, **kwargs: Any
    ) -> None:
        self.delta_prime = number(delta_prime, "delta_prime", above=0.0, at_most=1.0)
        self.plays = None if plays is None else integer(plays, "plays", at_least=1)
        super().__init__(*args, **kwargs)

    def _named_schedule(self, name: str) -> Any:
        if name != "practical":
            return self.schedules[name](self.setting, delta_prime=self.delta_prime)
        own = {} if self.plays is None else {"replicates": self.plays}
        return PracticalMoM(self.setting, **own)

    def _new_belief(self, points: Array) -> Belief:
        self.repeats = self.plays or int(self.schedule.plays())  # ℓ, Alg. 2, line 2
        horizon = None if self.limiter.learns else self.horizon
        self.episodes = Episodes(self.repeats, len(points), horizon)  # N, line 2
        exact = exact_posterior(self.kernel, points, self.lam)
        return DenseBelief(exact, SmoothedMean(len(points), self.repeats))

    @property
    def width(self) -> float:
        """What multiplies the std: nothing after the last episode, when the best arm is played."""
        return 0.0 if self.episodes.over else super().width

    def _choose(self, belief: Belief) -> Any:
        return self.choices.argmax(belief, self.width, self.seed)  # lines 4–5

    def _choice(self) -> Any:
        if self.episodes.planned is None:
            self.episodes.planned = self._choose(self.belief)
        return self.episodes.planned

    def _batch(self, n: int) -> list[Any]:
        return [self._choice()] * (n if self.episodes.over else min(n, self.episodes.left))

    def _tell(self, choice: Any, payoff: float) -> None:
        planned = self._choice()
        if not self.choices.same(choice, planned):
            raise OutOfPlan(
                f"expected the planned arm {planned}, got {choice}; tell what ask() gave"
            )
        arm, plan = self.choices.row(choice, self.belief), self.episodes
        self.t += 1
        if not plan.over and plan.add(self.limiter.relative(payoff)):
            self._learn(arm, plan.payoffs)

    def _learn(self, arm: int, payoffs: Array) -> None:
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)  # line 9: σ_n
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)
        self.belief.learn(arm, y_hat, step)  # lines 7–8: ℓ means, and their median

    @property
    def _plays(self) -> int:
        return self.episodes.n

    # -- state --------------------------------------------------------------------------------

    @classmethod
    def _from_nested(cls, nested: dict[str, Any], schedule: Any) -> Self:
        # states of the first release know one δ only
        options = {"delta_prime": nested["assumptions"]["delta"], **nested.get("options", {})}
        payoffs = np.size(nested["memory"]["_payoffs"])
        if options.get("plays", payoffs) != payoffs:  # before room is made for so many
            raise InvalidState(f"expected room for {payoffs} plays, got {options['plays']}")
        return super()._from_nested({**nested, "options": options}, schedule)

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
