"""A world that answers a policy: problem → noise → attack."""

from __future__ import annotations

from typing import Any

from stoic.checks import integer
from stoic.lab.attacks.base import Attack
from stoic.lab.noise.base import Noise
from stoic.lab.problems.base import Problem
from stoic.randomness import generator

__all__ = ["World"]

_TRIAL_STREAM, _DRAW_STREAM = 101, 102  # streams of the trial's randomness
_ROUNDS_PER_BLOCK = 4096  # draws are made in blocks


class World:
    """One trial: answers each arm with a payoff and adds up the true regret.

    Draws depend on (seed, round) alone, so all policies of a trial get the same draws.

    Attributes
    ----------
    t
        Plays so far.
    regret
        Σ (max f − f(x_t)), in the problem's unit.
    clean, reported
        Sums of the payoffs before and after corruption.
    """

    def __init__(
        self, problem: Problem, noise: Noise, attack: Attack | None = None, *, seed: int = 0
    ) -> None:
        self.problem = problem
        self.seed = seed
        self.noise = noise.settle(generator(seed, 0, _TRIAL_STREAM), len(problem.domain))
        self.campaign = None if attack is None else attack.campaign(problem)
        self._f: list[float] = problem.f.tolist()
        self._loss: list[float] = ((problem.optimum - problem.f) / problem.unit).tolist()
        self._last = len(self._f) - 1
        self._draws: list[float] = []
        self.t = 0
        self.regret = self.clean = self.reported = 0.0

    def pull(self, arm: int, policy: Any = None) -> float:
        """The payoff of an arm; ``policy`` is for attacks that depend on it."""
        arm = integer(arm, "the arm that the policy asks for", at_least=0, at_most=self._last)
        position = self.t % _ROUNDS_PER_BLOCK
        if position == 0:
            rng = generator(self.seed, self.t // _ROUNDS_PER_BLOCK, _DRAW_STREAM)
            self._draws = self.noise.draw(rng, _ROUNDS_PER_BLOCK).tolist()
        clean = self.noise.payoff(self._f[arm], arm, self._draws[position])
        payoff = clean
        if self.campaign is not None:
            payoff += self.campaign.corrupt(arm, policy)
        self.t += 1
        self.regret += self._loss[arm]
        self.clean += clean
        self.reported += payoff
        return payoff
