"""Coordinates in which usual constraints are thresholds.

Real constraints often limit the product of two parameters, such as block_x · block_y ≤ 1024, or
forbid a pair of values. In sums of two columns both are thresholds, provided that the columns of
positive numbers are their logarithms and those of categories are 0 or 1.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.randomness import generator
from stoic.spaces import Categorical, Float, Grid, Int, Parameter, Space

__all__ = ["Features", "mostly_discrete"]

_MAX_PAIRS = 128  # sums of two columns; of more, a random part is taken
_KNOTS = 65  # of the logarithm along a linear scale
_MAX_LEVELS = 32  # of a parameter that counts as discrete


def mostly_discrete(space: Space) -> bool:
    """Whether most parameters are ordered with few levels, or have two values.

    There a forest predicts failures better than a kernel average, from the first failure on. With
    the timings of a GPU kernel, 4% instead of 9% of the evaluations after the design failed
    (30 seeds of 60 evaluations, ``benchmarks/robust/failing.py --loop --table``).
    """
    varied = [p for p in space.parameters.values() if p.size != 1]
    discrete = [
        p
        for p in varied
        if p.size is not None
        and p.size <= _MAX_LEVELS
        and (not isinstance(p, Categorical) or p.size == 2)
    ]
    return 2 * len(discrete) > len(varied)


class Features:
    """The columns of a space, numbers on a log scale where possible, and sums of two of them."""

    def __init__(self, space: Space) -> None:
        varied = [p for p in space.parameters.values() if p.size != 1]
        found = {
            int(np.flatnonzero(space.groups == group)[0]): table
            for group, parameter in enumerate(varied)
            if (table := _log_table(parameter)) is not None
        }
        # one unit for all: sums of logarithms remain logarithms of products
        unit = max((float(np.ptp(logs)) for _, logs in found.values()), default=1.0)
        self._tables = {
            column: (positions, (logs - logs.min()) / unit)
            for column, (positions, logs) in found.items()
        }
        one, other = np.triu_indices(space.dimension, 1)
        apart = np.flatnonzero(space.groups[one] != space.groups[other])
        if len(apart) > _MAX_PAIRS:
            chosen = generator(0, space.dimension, stream=31).permutation(len(apart))
            apart = np.sort(apart[chosen[:_MAX_PAIRS]])
        self._one, self._other = one[apart], other[apart]

    def __call__(self, X: Array) -> Array:
        """The features of points of the unit cube."""
        V = X.copy()
        for column, (positions, logs) in self._tables.items():
            V[:, column] = np.interp(X[:, column], positions, logs)
        return np.hstack([V, V[:, self._one] + V[:, self._other]])


def _log_table(parameter: Parameter) -> tuple[Array, Array] | None:
    """The logarithms of a parameter's values at positions; None if it has none in order."""
    if isinstance(parameter, Float | Int):
        if parameter.low <= 0:
            return None
        positions = np.linspace(0.0, 1.0, 2 if parameter.scale == "log" else _KNOTS)
        if parameter.scale == "log":
            values = np.array([parameter.low, parameter.high], dtype=np.float64)
        else:
            values = parameter.low + positions * (parameter.high - parameter.low)
        return positions, np.log(values)
    if not isinstance(parameter, Grid):
        return None
    numbers = np.array(
        [v for v in parameter.values if isinstance(v, int | float)], dtype=np.float64
    )
    steps = np.diff(numbers)
    ordered = (steps > 0.0).all() or (steps < 0.0).all()
    if len(numbers) < len(parameter.values) or not ordered or numbers.min() <= 0.0:
        return None
    return np.linspace(0.0, 1.0, len(numbers)), np.log(numbers)
