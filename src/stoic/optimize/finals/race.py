"""The finals as a race: rounds that measure each contender once, in an order that varies.

After each complete round, challengers that have hardly a chance to be the best are dropped; after
a third of the evaluations all but one are. The baseline always stays. So the rest compares one
challenger with the baseline, in blocks of several rounds whose order is random as a whole (see
:mod:`stoic.comparison.arrangements`). These rounds alone make the verdict: those before chose the
challenger, and of several that are alike the choice falls on one that was lucky in them.

A race is a function of the history: the outcomes of its contenders since its start.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.comparison.arrangements import block_sizes
from stoic.optimize.finals.contenders import simpler
from stoic.optimize.history import History
from stoic.optimize.modeller import Modeller
from stoic.randomness import generator

__all__ = ["Finals", "Race"]

_STREAM = 1000  # of the orders within rounds and blocks, plus the start


@dataclass(frozen=True)
class RaceRule:
    """When challengers are dropped; chosen on the develop set of benchmarks/robust."""

    min_chance: float = 0.15  # to be better than the best one, by all measurements
    selection: float = 1 / 3  # the share of the evaluations after which one challenger is left
    alike: float = 0.35  # this chance, and the nearer one to the baseline is preferred
    keeps_baseline: float = 0.75  # the least chance to be better, where the verdict is open


RULE = RaceRule()


@dataclass(frozen=True)
class Finals:
    """Finals that began: they are part of the state of an optimiser."""

    start: int
    """Outcomes that had been reported when they began."""
    evaluations: int
    """How many evaluations they are planned to have, those pending at the start included."""
    contenders: tuple[dict[str, Any], ...]
    """Configurations: the answer first, the baseline last if there is one."""
    has_baseline: bool

    def to_dict(self) -> dict[str, Any]:
        """The finals as data that JSON can hold."""
        return {
            "start": self.start,
            "evaluations": self.evaluations,
            "contenders": [dict(params) for params in self.contenders],
            "has_baseline": self.has_baseline,
        }


class Race:
    """The state of finals, from the history so far."""

    def __init__(self, finals: Finals, history: History, modeller: Modeller, seed: int) -> None:
        self.finals, self._history, self._modeller, self._seed = finals, history, modeller, seed
        self.points = history.space.read(finals.contenders)[0]
        self._at = {point.tobytes(): i for i, point in enumerate(self.points)}
        self._left = [self._challengers]  # before each round
        self._chosen: tuple[int, int] | None = None  # rounds and evaluations of the choice
        self._rows: list[list[int]] = [[] for _ in self.points]  # trials of each contender
        self._read = finals.start  # trials that are in `_rows`

    @property
    def _challengers(self) -> list[int]:
        return list(range(len(self.points) - self.finals.has_baseline))

    @property
    def baseline(self) -> int | None:
        """Which contender is the baseline."""
        return len(self.points) - 1 if self.finals.has_baseline else None

    @cached_property
    def _base(self) -> list[int]:
        return [] if self.baseline is None else [self.baseline]

    def values(self) -> list[list[float | None]]:
        """The values of each contender since the start; None: it failed."""
        return [[self._history.trials[i].value for i in rows] for rows in self.trials()]

    def dropped(self) -> list[int | None]:
        """After how many rounds each contender was dropped; None where it was not."""
        self.active()
        return [
            None
            if i == self.baseline
            else next((rounds for rounds, left in enumerate(self._left) if i not in left), None)
            for i in range(len(self.points))
        ]

    def trials(self) -> list[list[int]]:
        """The numbers of these trials."""
        self._catch_up()
        return [list(rows) for rows in self._rows]

    def _catch_up(self) -> None:
        points = self._history.reported(self._read)
        for i, point in enumerate(points, self._read):
            at = self._at.get(point.tobytes())
            if at is not None:
                self._rows[at].append(i)
        self._read += len(points)

    def chosen_after(self) -> int | None:
        """After how many rounds one challenger was left, two without a baseline; None: not yet."""
        self.active()
        return None if self._chosen is None else self._chosen[0]

    def _blocks(self, waiting: int = 0) -> list[tuple[int, int]]:
        """The first round and the end of each planned block of the verdict.

        Evaluations of others that were pending at the choice, ``waiting`` of them still, are no
        part of the plan.
        """
        if self._chosen is None:
            return []
        first, made = self._chosen
        begun = self.finals.start + made
        own = sum(row >= begun for i in (*self._left[-1], *self._base) for row in self._rows[i])
        made += self._read - begun - own + waiting
        sizes = block_sizes(max((self.finals.evaluations - made) // 2, 1))
        return [(first + sum(sizes[:i]), first + sum(sizes[: i + 1])) for i in range(len(sizes))]

    def verdict_rounds(self, i: int, j: int) -> list[list[tuple[int, int]]]:
        """The trials of two contenders in each block of the verdict, round by round.

        Of a block that is not complete, those that both had measured equally often. Rounds after
        the planned ones are blocks of their own.
        """
        self.active()
        rows = list(zip(self._rows[i], self._rows[j], strict=False))
        planned = self._blocks()
        found = [rows[first:end] for first, end in planned]
        for (first, end), block in zip(planned, found, strict=True):
            if len(block) < end - first:
                both = [*self._rows[i][first:end], *self._rows[j][first:end]]
                del block[_balanced(block, both) :]
        done = planned[-1][1] if planned else len(rows)
        return [*(block for block in found if block), *([row] for row in rows[done:])]

    @property
    def _room(self) -> int:
        """Challengers that are left in the end."""
        return 1 if self.finals.has_baseline else 2

    # -- who is next --------------------------------------------------------------------------

    def next(self, waiting: list[Array]) -> Array:
        """The contender to measure, given points under evaluation."""
        active = self.active()
        counts = {i: len(self._rows[i]) for i in active}
        for point in waiting:
            at = self._at.get(point.tobytes())
            if at in counts:
                counts[at] += 1
        made = min(counts.values())
        others = sum(self._at.get(point.tobytes()) not in counts for point in waiting)
        for first, end in self._blocks(others):
            if made < end:
                of_block: Array = self.points[self._next_of_block(first, end, counts)]
                return of_block
        order = generator(self._seed, made, self._stream).permutation(len(self.points))
        chosen: Array = next(self.points[i] for i in order if counts.get(int(i)) == made)
        return chosen

    def _next_of_block(self, first: int, end: int, counts: dict[int, int]) -> int:
        """The contender to measure in a block of the verdict: all its rounds have one order."""
        contenders = sorted(counts)
        places = np.repeat(contenders, end - first)
        order = generator(self._seed, first, self._stream).permutation(places).tolist()
        done = {i: counts[i] - first for i in contenders}
        for i in order:
            done[i] -= 1
            if done[i] < 0:
                return int(i)
        return int(order[-1])

    @property
    def _stream(self) -> int:
        return _STREAM + self.finals.start

    def active(self) -> list[int]:
        """Contenders that are still measured: challengers, and the baseline."""
        self._catch_up()
        made = 0
        while True:
            active, rounds = [*self._left[-1], *self._base], len(self._left)
            if self._chosen is None and len(self._left[-1]) <= self._room:
                self._chosen = rounds - 1, made
            if any(len(self._rows[i]) < rounds for i in active):
                return active
            last = max(self._rows[i][rounds - 1] for i in active)
            self._left.append(self._after(rounds, last))
            made = last + 1 - self.finals.start

    def _after(self, rounds: int, last: int) -> list[int]:
        """The challengers that are left after a round; the trial ``last`` completed it."""
        left, room = self._left[-1], self._room
        if len(left) <= room:
            return left
        model = self._modeller.at(self._history.successes_until(last + 1))
        mean, covariance = model.gp.joint(self.points)
        fewest = min(self._failures(i, rounds) for i in left)
        left = [i for i in left if self._failures(i, rounds) == fewest] or left
        best = max(left, key=lambda i: mean[i])
        chances = {i: _chance(mean, covariance, i, best) for i in left}
        over = last + 1 - self.finals.start >= RULE.selection * self.finals.evaluations
        if not over:
            kept = [i for i in left if chances[i] >= RULE.min_chance]
            return kept if len(kept) >= room else self._ranked(left, chances)[:room]
        return sorted(self._ranked(left, chances)[:room])

    def _ranked(self, left: list[int], chances: dict[int, float]) -> list[int]:
        """Challengers from the best one; of those that are alike, the nearest to the baseline."""
        near = self.points[0 if self.baseline is None else self.baseline]
        alike = [i for i in left if chances[i] >= RULE.alike]
        rest = [i for i in left if i not in alike]
        return [
            *sorted(alike, key=lambda i: simpler(self.points[i], near)),
            *sorted(rest, key=lambda i: -chances[i]),
        ]

    def _failures(self, i: int, rounds: int) -> int:
        return sum(self._history.trials[row].failed for row in self._rows[i][:rounds])

    def chance(self, i: int, j: int) -> float:
        """The chance that contender ``i`` is better than ``j``, by the surrogate of all data."""
        mean, covariance = self._modeller.model().gp.joint(self.points)
        return _chance(mean, covariance, i, j)

    def leaders(self) -> list[int]:
        """The challengers that are left, from the best one."""
        left = [i for i in self.active() if i != self.baseline]
        if len(left) < 2:
            return left
        mean, covariance = self._modeller.model().gp.joint(self.points)
        best = max(left, key=lambda i: mean[i])
        return self._ranked(left, {i: _chance(mean, covariance, i, best) for i in left})


def _balanced(rounds: list[tuple[int, int]], trials: list[int]) -> int:
    """The most rounds that are exactly the first of these trials."""
    ordered = sorted(trials)
    return max(
        n
        for n in range(len(rounds) + 1)
        if sorted(row for each in rounds[:n] for row in each) == ordered[: 2 * n]
    )


def _chance(mean: Array, covariance: Array, i: int, j: int) -> float:
    """The chance that point ``i`` is better than point ``j``; a half for the same point."""
    variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
    difference = float(mean[i] - mean[j])
    if variance <= 1e-12:
        return 0.5 * (1.0 + float(np.sign(difference)))
    return NormalDist().cdf(difference / math.sqrt(float(variance)))
