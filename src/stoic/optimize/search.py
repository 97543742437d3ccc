"""Candidates for the next measurement: they fill the space, surround good points, and climb."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stoic.checks import Array
from stoic.optimize.history import History
from stoic.optimize.tactics import has_many_parameters
from stoic.optimize.validity import kept, replaced, retreated
from stoic.randomness import generator
from stoic.spaces import Space
from stoic.surrogate.ascent import ascend
from stoic.surrogate.rows import first_rows

__all__ = ["Search"]


@dataclass(frozen=True)
class SearchRule:
    """Where candidates are drawn; chosen on the develop set of benchmarks/robust."""

    pool: int = 2048  # points that fill the space, of which each round takes a part
    pool_finite: int = 8192  # the same where no parameter is a float
    tries: int = 2**16  # random points that are tried for the pool, where few are valid
    min_radius: float = -1.5  # log₁₀ of the least distance from a good point, in length-scales
    max_radius: float = -0.3  # log₁₀ of the largest
    moved: int = 6  # parameters at most that differ from a good point
    second_steps: int = 20  # neighbours of good points whose own neighbours are candidates
    max_numbers: int = 250_000  # rows times columns of one kind of candidates: wide categories
    max_step: float = 0.2  # of a climb, in sides of the unit cube
    best: int = 4  # measurements, beside which a point is drawn where no surrogate explains them
    beside: float = 0.5  # length-scale of such draws, in sides of the unit cube


_RULE = SearchRule()


class Search:
    """Candidates of one space; every draw is a function of (seed, round)."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self._pool: Array | None = None
        self._relaxed = bool(space.continuous.any())
        self._parameters = int(space.groups.max(initial=-1)) + 1

    def spread(self, n: int, round_: int) -> Array:
        """At most ``n`` feasible points that fill the space; a round takes others of a pool."""
        if self._pool is None:
            size = min(_RULE.pool if self._relaxed else _RULE.pool_finite, 4 * self._most)
            pool = self.space.sample(size, self.seed + 1, tries=_RULE.tries)
            self._pool = pool[first_rows(pool)]
        n = min(n, len(self._pool), self._most)
        rows = (np.arange(n) + n * round_) % len(self._pool)
        rng = generator(self.seed, round_, stream=11)
        shifted = self._pool[rows] + self.space.continuous * rng.random(self.space.dimension)
        # every round moves the pool as a whole, so continuous points never repeat
        moved = np.where(self.space.continuous, shifted % 1.0, shifted)
        return replaced(self.space, self.space.snap(moved), self._pool[rows])

    def crossed(self, points: Array, others: Array, round_: int) -> Array:
        """Feasible points that take a few parameters from ``others``, the rest from ``points``."""
        rng = generator(self.seed, round_, stream=14)
        bases = points[rng.integers(0, len(points), len(others))]
        mixed = self.space.snap(np.where(self._few(rng, len(others)), others, bases))
        return kept(self.space, mixed)

    @property
    def many(self) -> bool:
        """Whether most candidates differ from good points in a few parameters only."""
        return has_many_parameters(self.space)

    def _few(self, rng: np.random.Generator, m: int) -> npt.NDArray[np.bool_]:
        """For each of m points, the columns of a few parameters."""
        counts = rng.integers(1, _RULE.moved + 1, (m, 1))
        chosen = rng.random((m, self._parameters)).argsort(1) < counts
        columns: npt.NDArray[np.bool_] = chosen[:, self.space.groups]
        return columns

    def around(self, points: Array, lengthscales: Array, each: int, round_: int) -> Array:
        """Feasible points near ``points``, at distances of 1/30 to 1/2 of the length-scales."""
        rng = generator(self.seed, round_, stream=12)
        m = len(points) * each
        distance = 10.0 ** rng.uniform(_RULE.min_radius, _RULE.max_radius, (m, 1))
        scales = np.minimum(lengthscales, 1.0)
        steps = rng.standard_normal((m, self.space.dimension)) * scales * distance
        if self._parameters > _RULE.moved:  # a step along all of many parameters leads nowhere
            steps = np.where(self._few(rng, m), steps, 0.0)
        near = self.space.snap(np.clip(np.repeat(points, each, axis=0) + steps, 0.0, 1.0))
        return kept(self.space, near)

    def beside_best(self, history: History, round_: int) -> Array | None:
        """A feasible point near one of the best measurements; None if there is none."""
        best = np.argsort(-history.values(), kind="stable")[: _RULE.best]
        scales = np.full(self.space.dimension, _RULE.beside)
        near = self.around(history.points()[best], scales, 2, round_)
        rng = generator(self.seed, round_, stream=15)
        return near[rng.integers(len(near))] if len(near) else None

    def neighbours(self, points: Array, round_: int) -> Array:
        """Points that differ from ``points`` in one or two parameters that are not floats."""
        if self.space.continuous.all() or not len(points):
            return np.empty((0, self.space.dimension))
        once = np.vstack([self.space.neighbours(u) for u in points])
        rng = generator(self.seed, round_, stream=13)
        order = rng.permutation(len(once))
        twice = self._most * len(points) // max(len(once), 1)  # points whose neighbours are few
        some = once[order[: min(_RULE.second_steps, twice)]]
        if len(once) > self._most:
            once = once[order[: self._most]]
        return np.vstack([once, *(self.space.neighbours(u) for u in some)])

    def changed(self, points: Array, turn: int) -> Array:
        """The neighbours of ``points`` that differ in one parameter, another one each turn."""
        columns = self.space.groups == turn % self._parameters
        found: list[Array] = []
        for u in points:
            near = self.space.neighbours(u)
            differs = near != u
            found.append(near[differs[:, columns].any(1) & ~differs[:, ~columns].any(1)])
            if sum(map(len, found)) >= self._most:
                break
        return np.vstack(found)

    @property
    def _most(self) -> int:
        """Candidates of one kind at most."""
        return max(_RULE.max_numbers // max(self.space.dimension, 1), 1)

    def climb(
        self, score: Callable[[Array], tuple[Array, Array]], starts: Array, steps: int = 10
    ) -> Array:
        """Local maxima of a score with gradient, found from all ``starts`` at once."""
        if not self._relaxed or not len(starts):
            return starts
        free = self.space.continuous

        def relaxed(V: Array) -> tuple[Array, Array]:
            U = starts.copy()
            U[:, free] = V
            value, gradient = score(U)
            return value, gradient[:, free]

        ends = starts.copy()
        low, high = np.zeros(int(free.sum())), np.ones(int(free.sum()))
        ends[:, free], _ = ascend(
            relaxed, starts[:, free], low, high, steps=steps, max_step=_RULE.max_step
        )
        return retreated(self.space, starts, self.space.snap(ends))
