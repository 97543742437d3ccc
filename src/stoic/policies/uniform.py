"""Uniformly random play, the baseline that everything must beat."""

from __future__ import annotations

from typing import Any

from stoic.policies.many import ManyArmsPolicy
from stoic.policies.registry import register
from stoic.randomness import generator
from stoic.schedules import Progress
from stoic.spaces import Arms

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
class Uniform(ManyArmsPolicy):
    """Uniform: each round an arm at random, drawn from (seed, round).

    It keeps the plain posterior mean, so that it can recommend.

    >>> import numpy as np, stoic
    >>> policy = Uniform(stoic.Arms(np.linspace(0, 1, 5)), stoic.SquaredExponential(0.2), seed=1)
    >>> policy.ask() == policy.ask()
    True
    """

    name = "uniform"
    schedules = {"theory": _NoWidth, "paper": _NoWidth, "practical": _NoWidth}

    def _choose(self) -> Any:
        return self._draw(self.t)

    def _batch(self, n: int) -> list[Any]:
        return [self._draw(self.t + i) for i in range(n)]

    def _draw(self, round: int) -> Any:
        rng = generator(self.seed, round)
        if isinstance(self.domain, Arms):
            return int(rng.integers(len(self.domain)))
        return self.domain.clip(rng.uniform(self.domain.low, self.domain.high))

    def _learn(self, arm: int, payoff: float) -> None:
        self._absorb(arm, [payoff])
