"""MoM-GP-UCB: play an arm several times, keep as many posteriors, trust their median.

Park & Lee, *Contextually adaptive algorithms for Gaussian process bandit optimization under
heavy-tailed noise*, ECAI 2024, Algorithm 2 and Lemma 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, integer
from stoic.errors import InvalidInput, OutOfPlan
from stoic.estimators import SmoothedMean
from stoic.policies.registry import register
from stoic.policies.ucb import UCBPolicy
from stoic.schedules import Progress
from stoic.schedules.park2024 import MoMGPUCBTheory
from stoic.schedules.practical import PracticalMoM
from stoic.spaces import Arms

__all__ = ["MoMGPUCB"]


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

    Cost per episode: as one round of GP-UCB, plus A·ℓ.

    Departures from print: line 8 lacks an inverse, line 9 "k(x, x) −" and the root. ℓ is
    rounded up.

    >>> import numpy as np, stoic
    >>> policy = MoMGPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2))
    >>> policy.ask(3)
    [0, 0, 0]
    """

    name = "mom-gp-ucb"
    schedules = {"theory": MoMGPUCBTheory, "paper": MoMGPUCBTheory, "practical": PracticalMoM}

    def __init__(self, *args: Any, plays: int | None = None, **kwargs: Any) -> None:
        self._given_plays = None if plays is None else integer(plays, "plays", at_least=1)
        super().__init__(*args, **kwargs)
        self._n = 0  # episodes done
        self._arm: Any = None  # of the episode under way: a row number or a point
        self._payoffs: Array = np.zeros(0)  # of the episode under way

    def options(self) -> dict[str, Any]:
        """The policy's own constructor arguments that differ from None."""
        return {} if self._given_plays is None else {"plays": self._given_plays}

    def _named_schedule(self, name: str) -> Any:
        given = self._given_plays
        if name == "practical":
            return PracticalMoM(self.setting, **({} if given is None else {"replicates": given}))
        return MoMGPUCBTheory(self.setting)

    def _estimator(self, arms: int) -> SmoothedMean:
        self.plays = self._given_plays or int(self.schedule.plays())  # ℓ, line 2
        self.episodes = self._number_of_episodes()  # N, line 2
        return SmoothedMean(arms, self.plays)

    def _number_of_episodes(self) -> int | None:
        if self._calibration is not None or self.horizon is None:
            return None
        if self.horizon < self.plays:
            raise InvalidInput(
                f"expected a horizon of at least one episode of {self.plays} plays, "
                f"got {self.horizon}; give a longer horizon or plays="
            )
        return self.horizon // self.plays

    @property
    def _over(self) -> bool:
        return self.episodes is not None and self._n >= self.episodes

    @property
    def progress(self) -> Progress:
        """What the schedule may look at; its rounds are episodes."""
        rounds = super().progress
        return Progress(**{**rounds.__dict__, "t": self._n})

    @property
    def width(self) -> float:
        """What multiplies the std at the coming episode; zero in the remainder."""
        return 0.0 if self._over else super().width

    def _choose(self) -> Any:
        if self._arm is not None:
            return self._arm
        return super()._choose()  # line 5

    def _batch(self, n: int) -> list[Any]:
        left = n if self._over else min(n, self.plays - len(self._payoffs))
        return [self._choose()] * left  # line 6

    def _tell(self, place: Any, payoff: float) -> None:
        planned = self._choose()
        if not np.array_equal(place, planned):
            raise OutOfPlan(
                f"expected the planned arm {planned}, got {place}; tell what ask() gave"
            )
        if not self._over:
            self._arm = planned
        super()._tell(place, payoff)

    def _learn(self, arm: int, payoff: float) -> None:
        if self._over:
            return  # the remainder is not learned from
        self._payoffs = np.append(self._payoffs, payoff)
        if len(self._payoffs) == self.plays:
            payoffs, self._payoffs, self._arm = self._payoffs, np.zeros(0), None
            self._n += 1
            self._close_episode(arm, payoffs)

    def _close_episode(self, arm: int, payoffs: Array) -> None:
        learned = self._calibration
        warming = learned is not None and learned.warming
        if learned is not None and not warming:
            plays = float(self.posterior.counts[arm] + 1) * self.plays
            centre, share = self._centre(arm), self._share(arm)
            payoffs = np.array([learned.clip(y, centre, share, plays) for y in payoffs.tolist()])
        step = self.posterior.observe(arm)
        if learned is not None and warming:
            for payoff in payoffs:
                arms, clipped = learned.warm(arm, float(payoff))
            columns = clipped.reshape(-1, self.plays)
            self.estimator.replace(arms[:: self.plays], columns, self.posterior)
        else:
            self.estimator.add(arm, payoffs, step, self.posterior)  # lines 7–8
        if learned is not None:
            self.estimator.location = learned.location

    def _memory(self) -> dict[str, Any]:
        episode: dict[str, Any] = {"n": self._n, "payoffs": self._payoffs.copy()}
        if self._arm is not None:
            episode["arm"] = np.array(self._arm)
        return {**super()._memory(), "episode": episode}

    def _remember(self, memory: dict[str, Any]) -> None:
        super()._remember(memory)
        episode = memory["episode"]
        self._n, self._payoffs = int(episode["n"]), np.array(episode["payoffs"], dtype=float)
        if "arm" in episode:
            arm = episode["arm"]
            whole = isinstance(self.domain, Arms)
            self._arm = int(arm) if whole else np.atleast_1d(np.array(arm, dtype=float))
