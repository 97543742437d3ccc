"""Conversion between coordinates of parameters and columns of the unit cube, for many points.

Notation: P parameters, d columns. ``U`` (n, d): encoded points. ``C`` (n, P):
coordinates, i.e. the position in [0, 1] of a float, the level of any other.

| parameter                                    | columns | position of level k         |
|----------------------------------------------|---------|-----------------------------|
| Float                                        | 1       | (a continuum)               |
| Int linear, Grid, Categorical of two choices | 1       | k / (size − 1)              |
| Float with a step                            | 1       | k / (size − 1)              |
| Int log                                      | 1       | log(v / low) / log(high / low) |
| Categorical of three or more                 | size    | a one in column k           |
| Grid or Categorical of one                   | none    |                             |

A parameter that does not exist at a point has its neutral value, the centre of
its columns: 0.5, or 1 / size in each column of a one-hot code.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.spaces.choices import Categorical
from stoic.spaces.conditions import Needs
from stoic.spaces.parameters import Parameter
from stoic.spaces.ranges import Int, is_continuum

__all__ = ["Layout"]

_MAX_EXACT_LEVELS = 2**50  # up to here, rint(k / top * top) == k in floats


class Layout:
    """The columns of each parameter, as index arrays."""

    def __init__(self, parameters: Sequence[Parameter], needs: Sequence[Needs]) -> None:
        widths = [_width(parameter) for parameter in parameters]
        ends = np.cumsum(widths)
        self.slices = [slice(int(e) - w, int(e)) for w, e in zip(widths, ends, strict=True)]
        self.dimension = int(ends[-1])
        self.owner: IntArray = np.repeat(np.arange(len(widths)), widths)
        self.groups: IntArray = np.unique(self.owner, return_inverse=True)[1].astype(np.int64)
        self.neutral: Array = np.array(
            [0.5 if w == 1 else 1.0 / w for w in widths for _ in range(w)], dtype=np.float64
        )

        columns = [p for p, width in enumerate(widths) if width == 1]
        floats = [p for p in columns if is_continuum(parameters[p])]
        logs = [p for p in columns if _is_log_int(parameters[p])]
        taken = {*floats, *logs}
        evens = [p for p in columns if p not in taken]
        self.floats, self.float_columns = self._at(floats)
        self.evens, self.even_columns = self._at(evens)
        self.logs, self.log_columns = self._at(logs)
        self.hots = [p for p, width in enumerate(widths) if width > 1]
        self.all_float = len(floats) == self.dimension and not any(needs)

        sizes = [parameter.size or 0 for parameter in parameters]
        self.tops: Array = np.array([sizes[p] - 1 for p in evens], dtype=np.float64)
        self.huge = any(sizes[p] > _MAX_EXACT_LEVELS for p in evens)
        ranges = [p for i in logs if isinstance(p := parameters[i], Int)]
        self.lows: Array = np.array([p.low for p in ranges], dtype=np.float64)
        self.highs: Array = np.array([p.high for p in ranges], dtype=np.float64)
        self.steps: Array = np.array([p.by for p in ranges], dtype=np.float64)
        self.spans: Array = np.log(self.highs / self.lows)
        self.conditions: list[tuple[int, list[tuple[int, Array]]]] = [
            (i, [(a, np.array(sorted(levels), dtype=np.float64)) for a, levels in need.items()])
            for i, need in enumerate(needs)
            if need
        ]
        self.continuous: NDArray[np.bool_] = np.isin(np.arange(self.dimension), self.float_columns)
        for array in (self.groups, self.continuous):
            array.setflags(write=False)

    def _at(self, numbers: list[int]) -> tuple[IntArray, IntArray]:
        """Parameters' numbers and columns as index arrays."""
        columns = [self.slices[p].start for p in numbers]
        return np.array(numbers, dtype=np.int64), np.array(columns, dtype=np.int64)

    def coordinates(self, U: Array) -> Array:
        """The nearest coordinates, also of parameters that do not exist at a point."""
        C = np.zeros((len(U), len(self.slices)))
        if self.floats.size:
            C[:, self.floats] = np.clip(U[:, self.float_columns], 0.0, 1.0)
        if self.evens.size:
            C[:, self.evens] = self._nearest_level(np.clip(U[:, self.even_columns], 0.0, 1.0))
        if self.logs.size:
            v = self.lows * np.exp(np.clip(U[:, self.log_columns], 0, 1) * self.spans)
            level = np.rint((v - self.lows) / self.steps)
            level = np.where(self.steps == 1.0, np.rint(v) - self.lows, level)
            C[:, self.logs] = np.clip(level, 0.0, (self.highs - self.lows) / self.steps)
        for p in self.hots:
            C[:, p] = U[:, self.slices[p]].argmax(axis=1)
        return C

    def _nearest_level(self, u: Array) -> Array:
        k: Array = np.rint(u * self.tops)
        if self.huge:  # the product may be rounded to the wrong integer
            for step in (-1.0, 1.0):
                other = np.clip(k + step, 0.0, self.tops)
                k = np.where(abs(other / self.tops - u) < abs(k / self.tops - u), other, k)
        return k

    def exists(self, C: Array) -> NDArray[np.bool_]:
        """(n, P): whether each parameter exists at each point."""
        result = np.ones(C.shape, dtype=bool)
        for p, need in self.conditions:
            for ancestor, levels in need:
                result[:, p] &= (C[:, ancestor, None] == levels).any(axis=1)
        return result

    def encode(self, C: Array) -> Array:
        """The columns of coordinates, neutral where a parameter does not exist."""
        U = np.empty((len(C), self.dimension))
        U[:, self.float_columns] = C[:, self.floats]
        U[:, self.even_columns] = C[:, self.evens] / self.tops
        if self.logs.size:
            ratio = (C[:, self.logs] * self.steps + self.lows) / self.lows
            # contiguous: log then gives the same bits for any number of rows
            U[:, self.log_columns] = np.log(np.ascontiguousarray(ratio)) / self.spans
        for p in self.hots:
            columns = self.slices[p]
            U[:, columns] = C[:, p, None] == np.arange(columns.stop - columns.start)
        if self.conditions:
            U = np.where(self.exists(C)[:, self.owner], U, self.neutral)
        return U

    def snap(self, U: Array) -> Array:
        """The nearest feasible points."""
        if self.all_float:
            clipped: Array = np.clip(U, 0.0, 1.0) + 0.0  # no negative zero
            return clipped
        return self.encode(self.coordinates(U) + 0.0)


def _width(parameter: Parameter) -> int:
    if parameter.size == 1:
        return 0
    if isinstance(parameter, Categorical) and len(parameter.choices) > 2:
        return len(parameter.choices)
    return 1


def _is_log_int(parameter: Parameter) -> bool:
    return isinstance(parameter, Int) and parameter.scale == "log"
