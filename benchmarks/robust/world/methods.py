"""Stoic, and points chosen without a model, as methods on any space."""

from __future__ import annotations

from typing import Any

import numpy as np

import stoic
import stoic.optimize
from robust.world.base import Params


class Stoic:
    """``stoic.Optimizer`` with its defaults, or with the tactics given."""

    def __init__(
        self,
        space: stoic.Space,
        direction: str,
        seed: int,
        budget: int,  # noqa: ARG002
        **options: Any,
    ) -> None:
        tactics = stoic.optimize.Tactics(**options) if options else None
        self._optimizer = stoic.Optimizer(space, direction=direction, seed=seed, tactics=tactics)
        self.ask = self._optimizer.ask
        self.ask_many = self._optimizer.ask
        self.tell = self._optimizer.tell
        self.fail = self._optimizer.fail

    def recommend(self) -> Params:
        self._answer = self._optimizer.recommend()
        return self._answer.params

    def estimate(self) -> float:
        """Return the estimate of the last answer."""
        return self._answer.value


class BestSeen:
    """Keeps the history; answers with the best measurement."""

    def __init__(self, space: stoic.Space, direction: str, seed: int, budget: int) -> None:
        self.space, self.direction, self.seed, self.budget = space, direction, seed, budget
        self.tried: list[Params] = []
        self.values: list[float] = []  # to be minimised; inf for a failure
        self._sign = 1.0 if direction == "minimize" else -1.0

    def tell(self, params: Params, value: float) -> None:
        self.tried.append(params)
        self.values.append(self._sign * value)

    def fail(self, params: Params, reason: str) -> None:  # noqa: ARG002
        self.tried.append(params)
        self.values.append(np.inf)

    def recommend(self) -> Params:
        return self.tried[int(np.argmin(self.values))]


class Random(BestSeen):
    """Uniform configurations."""

    def __init__(self, space: stoic.Space, direction: str, seed: int, budget: int) -> None:
        super().__init__(space, direction, seed, budget)
        self._points = space.fill(np.random.default_rng(seed).random((budget, len(space))))
        self._asked = 0

    def ask(self) -> Params:
        self._asked += 1
        return self.space.decode(self._points[self._asked - 1])


class Sobol(Random):
    """A scrambled Sobol sequence."""

    def __init__(self, space: stoic.Space, direction: str, seed: int, budget: int) -> None:
        super().__init__(space, direction, seed, budget)
        self._points = space.sample(budget, seed)
