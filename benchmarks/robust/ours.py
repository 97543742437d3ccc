"""Stoic's optimiser as a method of this benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import stoic
import stoic.optimize
from robust.problems import Array


class Stoic:
    """``stoic.Optimizer`` with its defaults, or with the tactics given."""

    def __init__(self, d: int, seed: int, budget: int, **options: Any) -> None:  # noqa: ARG002
        space = {f"x{i}": (0.0, 1.0) for i in range(d)}
        tactics = stoic.optimize.Tactics(**options)
        self._optimizer = stoic.Optimizer(space, direction="maximize", seed=seed, tactics=tactics)
        self._names = list(space)
        self._best: Any = None

    def ask(self) -> Array:
        self._asked = self._optimizer.ask()
        return self._vector(self._asked)

    def tell(self, x: Array, y: float) -> None:  # noqa: ARG002
        self._optimizer.tell(self._asked, y)

    def fail(self, x: Array, reason: str) -> None:  # noqa: ARG002
        self._optimizer.fail(self._asked, reason)

    def recommend(self) -> Array:
        self._best = self._optimizer.recommend()
        return self._vector(self._best.params)

    def interval(self) -> Sequence[float]:
        low, high = self._best.interval
        return float(low), float(high)

    def suspects(self) -> list[int]:
        return [int(suspect.trial) for suspect in self._optimizer.suspects()]

    def _vector(self, params: dict[str, float]) -> Array:
        return np.array([float(params[name]) for name in self._names])
