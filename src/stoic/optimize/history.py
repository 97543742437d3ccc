"""All that was told, in order: the one thing that suggestions depend on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.optimize.answers import Trial
from stoic.spaces import Space

__all__ = ["History", "key"]


def key(point: Array) -> bytes:
    """The same for points that differ by rounding only."""
    return (np.round(point, 9) + 0.0).tobytes()


class History:
    """Trials and their points of the unit cube; signs are such that higher is better."""

    def __init__(self, space: Space, sign: float) -> None:
        self.space, self.sign = space, sign
        self.trials: list[Trial] = []
        self._points: list[Array] = []
        self._good: list[int] = []  # numbers of the trials that gave a value
        self._distinct: dict[bytes, int] = {}  # point -> successful measurements

    def __len__(self) -> int:
        return len(self.trials)

    def add(
        self, point: Array, params: Mapping[str, Any], value: float | None, why: str | None
    ) -> None:
        """Append a trial; ``params`` and ``value`` were checked."""
        number = len(self.trials)
        self.trials.append(Trial(number, params, value, why))
        self._points.append(point)
        if value is not None:
            self._good.append(number)
            key = point.tobytes()
            self._distinct[key] = self._distinct.get(key, 0) + 1

    @property
    def successes(self) -> int:
        """How many trials gave a value."""
        return len(self._good)

    def numbers(self) -> list[int]:
        """Numbers of the trials that gave a value."""
        return self._good

    def points(self, count: int | None = None) -> Array:
        """Points of the first ``count`` successful trials, in order."""
        rows = self._good[:count]
        return np.array([self._points[i] for i in rows]).reshape(-1, self.space.dimension)

    def values(self, count: int | None = None) -> Array:
        """Their values, higher being better."""
        return np.array(
            [self.sign * float(self.trials[i].value or 0.0) for i in self._good[:count]]
        )

    def measured(self, point: Array) -> int:
        """How often this very point gave a value."""
        return self._distinct.get(point.tobytes(), 0)

    def tried(self) -> set[bytes]:
        """All points that were tried, as keys."""
        return {key(point) for point in self._points}

    def failed(self) -> Array:
        """Points of the failed trials."""
        rows = [p for p, t in zip(self._points, self.trials, strict=True) if t.failed]
        return np.array(rows).reshape(-1, self.space.dimension)
