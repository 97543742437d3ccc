"""Eight of the synthetic problems under three noises: does a larger budget, or a batch, pay?

A score is the normalised regret of ``problems.py``: 0 the maximum, 1 an average point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

import stoic
from robust.noise import Stream
from robust.problems import get
from robust.world.base import Array, Case, Params, Problem, World

PROBLEMS = (
    *("bowl2", "camel2", "ackley3", "tuning3"),
    *("levy4", "bumps4", "ellipsoid5", "hartmann6"),
)
NOISES = ("gauss02", "student2", "both10")


class Cube(Problem):
    """A problem of ``problems.py`` under a noise of ``noise.py``, to be maximised."""

    direction = "maximize"

    def __init__(self, name: str, noise: str, seed: int) -> None:
        self._problem = get(name)
        self._stream = Stream(noise, self._problem, seed)
        self.space = stoic.Space({f"x{k}": stoic.Float(0.0, 1.0) for k in range(self._problem.d)})

    def measure(self, params: Params) -> float | None:
        return self._stream.measure(self._point(params))

    def scores(self, rows: Sequence[Params]) -> Array:
        return np.array([self._problem.regret(self._point(row)) for row in rows])

    def _point(self, params: Params) -> Array:
        return np.array([float(params[name]) for name in self.space.names])


class Budget(World):
    """Scored at three budgets within one run: a later answer should be better."""

    budgets: ClassVar[tuple[int, ...]] = (60, 200, 500)

    def cases(self) -> list[Case]:
        return [Case(f"{p}-{n}", p, n) for n in NOISES for p in PROBLEMS]

    def open(self, case: Case, seed: int) -> Problem:
        return Cube(case.function, case.noise, seed)


class Batch(Budget):
    """For runs with ``--batch 8``, against runs that ask for one configuration at a time."""

    budgets: ClassVar[tuple[int, ...]] = (64,)
