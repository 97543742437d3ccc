"""A world that answers a policy: problem → noise → attack."""

from __future__ import annotations

from typing import Any

from stoic.checks import integer
from stoic.lab.attacks.base import Attack
from stoic.lab.noise.base import Noise
from stoic.lab.problems.base import Problem
from stoic.randomness import generator

__all__ = ["World"]

_SETTLING, _DRAWS = 101, 102  # streams of the trial's randomness
_BLOCK = 4096  # rounds whose draws are made at once


class World:
    """One trial: what is played is answered with a payoff, and the truth is kept count of.

    Draws depend on (seed, round) alone, so every policy that plays the trial meets the same ones.

    Attributes
    ----------
    t
        Plays so far.
    regret
        Σ (max f − f(x_t)), in the problem's unit.
    clean, told
        Sums of the payoffs before and after corruption.
    """

    def __init__(
        self, problem: Problem, noise: Noise, attack: Attack | None = None, *, seed: int = 0
    ) -> None:
        self.problem = problem
        self.seed = seed
        self.noise = noise.settle(generator(seed, 0, _SETTLING), len(problem.domain))
        self.campaign = None if attack is None else attack.campaign(problem)
        self._f: list[float] = problem.f.tolist()
        self._lost: list[float] = ((problem.optimum - problem.f) / problem.unit).tolist()
        self._last = len(self._f) - 1
        self._draws: list[float] = []
        self.t = 0
        self.regret = self.clean = self.told = 0.0

    def pull(self, arm: int, policy: Any = None) -> float:
        """The payoff of an arm; ``policy`` is looked at by attacks that need to."""
        arm = integer(arm, "the arm that the policy asks for", at_least=0, at_most=self._last)
        place = self.t % _BLOCK
        if place == 0:
            rng = generator(self.seed, self.t // _BLOCK, _DRAWS)
            self._draws = self.noise.draw(rng, _BLOCK).tolist()
        clean = self.noise.payoff(self._f[arm], arm, self._draws[place])
        payoff = clean
        if self.campaign is not None:
            payoff += self.campaign.corrupt(arm, policy)
        self.t += 1
        self.regret += self._lost[arm]
        self.clean += clean
        self.told += payoff
        return payoff
