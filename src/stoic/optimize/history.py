"""All outcomes in the order they were reported: suggestions depend on nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stoic.checks import Array, describe, listed, number
from stoic.errors import InvalidInput, InvalidPayoff
from stoic.optimize.aim import Aim
from stoic.optimize.answers import Trial
from stoic.spaces import Space

__all__ = ["History", "key", "read_outcomes"]

Outcome = tuple[Mapping[str, Any], float | None, str | None]  # parameters, value, reason


_TRIPLE = "(parameters, value, reason)"
_TRIPLES = f"{_TRIPLE} triples"
_DESIGN_SIZE = 8  # evaluations of up to four columns; chosen on the develop set, benchmarks/robust
_MAX_DESIGN_SIZE = 12


def key(point: Array) -> bytes:
    """A dictionary key that is the same for points that differ by rounding only."""
    return (np.round(point, 9) + 0.0).tobytes()


class History:
    """Trials and their points of the unit cube; signs are such that higher is better."""

    def __init__(self, space: Space, aim: Aim) -> None:
        self.space, self.aim, self.sign = space, aim, aim.sign
        self.trials: list[Trial] = []
        self._points = np.empty((0, space.dimension))  # some rows ahead of the trials
        self._good: list[int] = []  # numbers of the trials that gave a value
        self._values: list[float] = []  # of these
        self._distinct: dict[bytes, int] = {}  # point -> successful measurements
        self._counted = 0  # successful measurements that are counted there

    def __len__(self) -> int:
        return len(self.trials)

    def extend(self, points: Array, outcomes: Iterable[Outcome]) -> None:
        """Append trials: their points, and their outcomes, which were checked."""
        begin = number = len(self.trials)
        for params, value, reason in outcomes:
            self.trials.append(Trial(number, params, value, reason))
            if value is not None:
                self._good.append(number)
                self._values.append(self.sign * (value or 0.0))  # −0.0 is 0.0
            number += 1
        if number > len(self._points):
            larger = np.empty((max(number, 2 * begin), self.space.dimension))
            larger[:begin] = self._points[:begin]
            self._points = larger
        self._points[begin:number] = points

    @property
    def design_size(self) -> int:
        """How many evaluations fill the space before a surrogate is used."""
        return min(_DESIGN_SIZE + max(0, self.space.dimension - 4), _MAX_DESIGN_SIZE)

    @property
    def successes(self) -> int:
        """How many trials gave a value."""
        return len(self._good)

    def numbers(self) -> list[int]:
        """Numbers of the trials that gave a value."""
        return self._good

    def without(self, left_out: Collection[int]) -> History:
        """The successful trials but those at some positions; they keep their numbers."""
        made = History(self.space, self.aim)
        chosen = [i for i in range(len(self._good)) if self._good[i] not in left_out]
        made.trials = [self.trials[self._good[i]] for i in chosen]
        made._points = self.points()[chosen]
        made._values = [self._values[i] for i in chosen]
        made._good = list(range(len(chosen)))
        return made

    def points(self, count: int | None = None) -> Array:
        """Points of the first ``count`` successful trials, in order."""
        points: Array = self._points[np.array(self._good[:count], dtype=np.int64)]
        return points

    def values(self, count: int | None = None) -> Array:
        """Their values, higher being better."""
        return np.array(self._values[:count])

    @property
    def repeats(self) -> int:
        """How many measurements are of points that had been measured before."""
        self._count()
        return len(self._good) - len(self._distinct)

    def measured(self, point: Array) -> int:
        """How often exactly this point gave a value."""
        self._count()
        return self._distinct.get(point.tobytes(), 0)

    def _count(self) -> None:
        for i in self._good[self._counted :]:
            row = self._points[i].tobytes()
            self._distinct[row] = self._distinct.get(row, 0) + 1
        self._counted = len(self._good)

    def tried(self) -> set[bytes]:
        """All points that were tried, as keys."""
        return {key(point) for point in self._points[: len(self)]}

    def reported(self, first: int = 0) -> Array:
        """Points of all trials from number ``first`` on, failed ones included."""
        points: Array = self._points[first : len(self)]
        return points

    def successes_until(self, number: int) -> int:
        """How many of the trials before that number gave a value."""
        return bisect_left(self._good, number)

    def configuration(
        self, point: Array, pending: Iterable[tuple[Array, Mapping[str, Any]]] = ()
    ) -> dict[str, Any]:
        """The configuration of a point that is valid, is pending, or was reported.

        A reported configuration at the boundary of a constraint may become invalid when its floats
        are rounded to a point and back. It is then given as it was reported, or is pending.
        """
        if self.space.valid:
            for other, params in pending:
                if (other == point).all():
                    return dict(params)
        if self.space.valid and not self.space.allows(point[None])[0]:
            same = np.flatnonzero((self._points[: len(self)] == point).all(axis=1))
            if same.size:
                return dict(self.trials[same[-1]].params)
        return self.space.decode(point)

    def failed(self) -> Array:
        """Points of the failed trials."""
        failed = np.ones(len(self), dtype=bool)
        failed[self._good] = False
        points: Array = self._points[: len(self)][failed]
        return points


def read_outcomes(
    space: Space, told: Sequence[tuple[Mapping[str, Any], float | None, str | None]]
) -> tuple[Array, list[Outcome]]:
    """Reported outcomes, checked, with their points."""
    triples = [_triple(item, i) for i, item in enumerate(listed(told, "told", _TRIPLES))]
    points, configurations = space.read([params for params, _, _ in triples])
    outcomes: list[Outcome] = [
        (params, *_outcome(value, reason))
        for params, (_, value, reason) in zip(configurations, triples, strict=True)
    ]
    return points, outcomes


def _triple(item: object, i: int) -> tuple[Any, Any, Any]:
    if not isinstance(item, tuple | list) or len(item) != 3:
        raise InvalidInput(
            f"expected each outcome as {_TRIPLE}, got {describe(item)} as number {i}; where there "
            "is a value the reason is None, where it failed the value is"
        )
    return item[0], item[1], item[2]


def _outcome(value: float | None, reason: str | None) -> tuple[float | None, str | None]:
    if value is not None:
        return number(value, "value", error=InvalidPayoff), None
    if not isinstance(reason, str):
        raise InvalidInput(f"expected reason as text, got {type(reason).__name__}")
    return None, reason
