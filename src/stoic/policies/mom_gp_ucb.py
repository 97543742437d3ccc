"""MoM-GP-UCB: play an arm several times, keep as many posteriors, trust their median.

Park & Lee, *Contextually adaptive algorithms for Gaussian process bandit optimization under
heavy-tailed noise*, ECAI 2024, Algorithm 2 and Lemma 5.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from stoic.checks import Array, integer, number
from stoic.errors import InvalidInput, InvalidState, OutOfPlan
from stoic.estimators import SmoothedMean
from stoic.policies.registry import register
from stoic.policies.ucb import UCBPolicy
from stoic.posterior import Step
from stoic.schedules.park2024 import MoMGPUCBTheory
from stoic.schedules.practical import PracticalMoM
from stoic.schema import Field, Reals, Schema, Sums, Wholes
from stoic.spaces import Box

__all__ = ["MoMGPUCB"]


_MAX_SUMS = 2**30  # of all arms and plays: 8 GiB


@register
class MoMGPUCB(UCBPolicy):
    """MoM-GP-UCB: the median of means.

    For noise with a finite (1 + ε)-th central moment, wherever its location: unlike truncation
    it does not care about the offset of payoffs. It has a plan: each choice is played ℓ times,
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
    keeps = {"_n": Wholes(), "_payoffs": Sums("columns"), "_filled": Wholes(below="columns")}

    def __init__(
        self, *args: Any, plays: int | None = None, delta_prime: float = 0.1, **kwargs: Any
    ) -> None:
        self.delta_prime = number(delta_prime, "delta_prime", above=0.0, at_most=1.0)
        self.plays = None if plays is None else integer(plays, "plays", at_least=1)
        super().__init__(*args, **kwargs)
        self._n = 0  # episodes done
        self._payoffs: Array = np.zeros(self.repeats)  # of the episode under way
        self._filled = 0  # of them

    def _named_schedule(self, name: str) -> Any:
        if name != "practical":
            return self.schedules[name](self.setting, delta_prime=self.delta_prime)
        own = {} if self.plays is None else {"replicates": self.plays}
        return PracticalMoM(self.setting, **own)

    def _estimator(self, arms: int) -> SmoothedMean:
        self.repeats = self.plays or int(self.schedule.plays())  # ℓ, line 2
        if arms * self.repeats > _MAX_SUMS:
            raise InvalidInput(
                f"expected at most {_MAX_SUMS:,} payoff sums, arms × plays, got {arms} × "
                f"{self.repeats}; give fewer plays="
            )
        self.episodes = self._number_of_episodes()  # N, line 2
        return SmoothedMean(arms, self.repeats)

    def _number_of_episodes(self) -> int | None:
        if self._calibration is not None or self.horizon is None:
            return None
        if self.horizon < self.repeats:
            raise InvalidInput(
                f"expected a horizon of at least one episode of {self.repeats} plays, "
                f"got {self.horizon}; give a longer horizon or plays="
            )
        return self.horizon // self.repeats

    @property
    def _rounds(self) -> int:
        return self._n

    def _batch(self, n: int) -> list[Any]:
        left = n if self._over else min(n, self.repeats - self._filled)
        return [self._choose()] * left

    def _tell(self, place: Any, payoff: float) -> None:
        planned = self._known_choice
        if planned is None:
            planned = self._choose()  # line 5
        same = place == planned  # line 6
        if not (same if type(same) is bool else same.all()):
            raise OutOfPlan(
                f"expected the planned arm {planned}, got {place}; tell what ask() gave"
            )
        arm = self._track(place) if isinstance(self.domain, Box) else place
        self.t += 1
        if self._over:
            return  # the remainder is not learned from
        learned, filled = self._calibration, self._filled
        self._payoffs[filled] = payoff if learned is None else learned.relative(payoff)
        self._filled = filled + 1
        if self._filled == self.repeats:
            self._filled = 0
            self._n += 1
            self._over = self._n == self.episodes
            self._absorb(arm, self._payoffs, clipped=True)  # lines 7–9
            self._known_choice = None

    def _support(self, arm: int, step: Step) -> float:  # noqa: ARG002
        return float(self.posterior.counts[arm] * self.repeats)

    @classmethod
    def _from_nested(cls, nested: dict[str, Any], schedule: Any) -> Self:
        # states of the first release know one δ only
        options = {"delta_prime": nested["assumptions"]["delta"], **nested.get("options", {})}
        payoffs = np.size(nested["memory"]["_payoffs"])
        if options.get("plays", payoffs) != payoffs:  # before room is made for so many
            raise InvalidState(f"expected room for {payoffs} plays, got {options['plays']}")
        return super()._from_nested({**nested, "options": options}, schedule)

    def _memory(self) -> dict[str, Any]:
        planned: Any = self._choose() if self._filled else ()  # of the episode under way
        return {**super()._memory(), "_planned": np.array(planned, dtype=float).ravel()}

    def _layout(self) -> dict[str, Field | Schema]:
        return {**super()._layout(), "_planned": Reals(None)}

    def _remember(self, memory: dict[str, Any]) -> None:
        super()._remember(memory)
        self._over = self.episodes is not None and self._n >= self.episodes
        if self._filled:
            planned = memory["_planned"]
            self._known_choice = (
                self.domain.point(planned)
                if isinstance(self.domain, Box)
                else self.domain.index(int(planned.item()))
            )

    def _verify(self) -> None:
        super()._verify()
        told = self._n * self.repeats + self._filled
        if self.t < told or (self.t > told and not self._over):
            raise InvalidState(f"expected {told} payoffs of {self._n} episodes, got {self.t}")
