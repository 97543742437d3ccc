"""Stoic's optimiser as a method of this benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import stoic
import stoic.optimize
from robust.problems import Array
from stoic.runs.course import Course
from stoic.runs.limits import Limits
from stoic.runs.run import OptimizerSteering

_BASELINE_SEED = 77


class Stoic:
    """``stoic.Optimizer`` with its defaults, or with the tactics given.

    ``confirm="auto"`` (or a number) holds finals; ``baseline=true`` gives a random baseline.
    """

    def __init__(
        self,
        d: int,
        seed: int,
        budget: int,
        *,
        confirm: str | int = 0,
        baseline: bool = False,
        **options: Any,
    ) -> None:
        space = {f"x{i}": (0.0, 1.0) for i in range(d)}
        drawn = np.random.default_rng((_BASELINE_SEED, seed, d)).random(d)
        self._optimizer = stoic.Optimizer(
            space,
            direction="maximize",
            seed=seed,
            baseline=dict(zip(space, drawn.tolist(), strict=True)) if baseline else None,
            tactics=stoic.optimize.Tactics(**options),
        )
        limits = Limits.of(budget, confirm=confirm)
        self._course = Course(limits, OptimizerSteering(self._optimizer))
        self._names = list(space)
        self._best: Any = None

    def ask(self) -> Array:
        made = len(self._optimizer.trials)
        self._course.steer(made, made)
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
