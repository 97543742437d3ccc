"""Uniformly random play, the baseline that everything must beat."""

from __future__ import annotations

from typing import Any

from stoic.checks import Array
from stoic.estimators import Belief
from stoic.policies.parts.registry import register
from stoic.policies.parts.ucb import UCBPolicy
from stoic.randomness import generator
from stoic.schedules import Progress

__all__ = ["Uniform"]


class _NoWidth:
    def __init__(self, setting: Any) -> None:
        del setting

    learns = True  # so that its recommendation does not depend on the payoffs' offset

    def width(self, now: Progress) -> float:
        """Bounds play no part."""
        del now
        return 0.0


@register
class Uniform(UCBPolicy):
    """Uniform: each round an arm at random, drawn from (seed, round).

    It keeps the plain posterior mean, so that it can recommend.

    >>> import numpy as np, stoic
    >>> policy = Uniform(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2), seed=1)
    >>> policy.ask() == policy.ask()
    True
    """

    name = "uniform"
    schedules = {"theory": _NoWidth, "paper": _NoWidth, "practical": _NoWidth}

    def _batch(self, n: int) -> list[Any]:
        return [self.choices.random(generator(self.seed, self.t + i)) for i in range(n)]

    def _choose(self, belief: Belief) -> Any:
        return self.choices.random(generator(self.seed, belief.posterior.t))

    def _learn(self, arm: int, payoffs: Array) -> None:
        about = self.limiter.about(self.belief, arm)
        step = self.belief.observe(arm)
        y_hat = self.limiter.limit(arm, payoffs, about, self.belief, step)
        self.belief.learn(arm, y_hat, step)
