"""Squared distances in units of length-scales, fast also where a category has many levels.

A category of w levels has w columns, of which one is 1 and the others 0, or all are 1/w where the
parameter does not exist. With hundreds of columns, distances would cost hundreds of times those of
a number. Two levels that differ are √2 apart, whichever they are, so a wide category is compared
by level: Σ over wide categories of 2/ℓ² where levels differ, and (1 − 1/w)/ℓ² between a level and
none.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from stoic.checks import Array, IntArray

__all__ = ["Coded", "Scaled", "apart", "between", "by_group"]

_MAX_NARROW_COLUMNS = 16  # of a category; of a wider one the levels are compared
_EMPTY = np.empty(0)
_METRICS = {1: "cityblock", 2: "sqeuclidean"}  # by the power of the differences
_NO_LEVEL = -1  # the level of a parameter that does not exist


class Coded:
    """Points as columns to subtract, and levels of wide categories to compare."""

    def __init__(self, X: Array, groups: IntArray) -> None:
        self.X = X
        self.narrow: IntArray | slice = slice(None)  # columns that are subtracted
        self.wide: list[int] = []  # numbers of the groups of columns that are compared
        self.sizes: list[int] = []  # how many columns each has
        self.first: list[int] = []  # their first columns
        self.levels: list[IntArray] = []
        if len(groups) <= _MAX_NARROW_COLUMNS:
            return
        counts = np.bincount(groups)
        wide = np.flatnonzero(counts > _MAX_NARROW_COLUMNS)
        members = [np.flatnonzero(groups == group) for group in wide]
        levels = [_levels(X[:, _as_slice(columns)]) for columns in members]
        found = [each for each in levels if each is not None]
        if len(wide) and len(found) == len(levels):  # else the columns are no one-hot codes
            self.wide, self.sizes, self.levels = wide.tolist(), counts[wide].tolist(), found
            self.first = [int(columns[0]) for columns in members]
            self.narrow = np.flatnonzero(~np.isin(groups, wide))

    def scaled(self, lengthscales: Array) -> Scaled:
        """The points in units of length-scales, given for each column."""
        if not self.wide:
            return Scaled(self, self.X / lengthscales, _EMPTY, lengthscales)
        U = self.X[:, self.narrow] / lengthscales[self.narrow]
        return Scaled(self, U, 1.0 / lengthscales[self.first] ** 2, lengthscales)


class Scaled(NamedTuple):
    """Points in units of length-scales."""

    points: Coded
    U: Array  # (n, columns that are subtracted)
    weights: Array  # 1/ℓ² of the wide categories
    lengthscales: Array  # of each column


def _as_slice(columns: IntArray) -> IntArray | slice:
    """Columns that follow each other as a slice, which needs no copy."""
    first, last = int(columns[0]), int(columns[-1])
    return slice(first, last + 1) if last - first + 1 == len(columns) else columns


def between(
    a: Scaled,
    b: Scaled,
    rows: slice = slice(None),
    columns: slice = slice(None),
    power: int = 2,
) -> Array:
    """Σ |x − z|^power for the ``rows`` of a and the ``columns`` of b; the power is 1 or 2."""
    metric = _METRICS[power]
    if len(a.weights) != len(b.weights):  # some points are between levels
        one, other = a.points.X[rows], b.points.X[columns]
        return _cdist(one / a.lengthscales, other / b.lengthscales, metric)
    r = _cdist(a.U[rows], b.U[columns], metric)
    for k, weight in enumerate(a.weights):
        scale = weight if power == 2 else math.sqrt(weight)
        r += scale * apart(a.points, b.points, k, rows, columns)
    return r


def apart(
    a: Coded, b: Coded, k: int, rows: slice = slice(None), columns: slice = slice(None)
) -> Array:
    """Squared distances along the k-th wide category: 2 between levels, less to none."""
    one, other = a.levels[k][rows, None], b.levels[k][None, columns]
    gaps = np.where(one != other, 2.0, 0.0)
    if one.min(initial=0) == _NO_LEVEL or other.min(initial=0) == _NO_LEVEL:
        gaps -= ((one == _NO_LEVEL) != (other == _NO_LEVEL)) * (1.0 + 1.0 / a.sizes[k])
    return gaps


def _cdist(X: Array, Z: Array, metric: str) -> Array:
    distances: Array = cdist(X, Z, metric)
    return distances


def by_group(X: Array, groups: IntArray) -> Array:
    """‖x − z‖² of all rows along the columns of each group: (groups, n, n)."""
    points = Coded(X, groups)
    gaps = np.empty((int(groups.max(initial=-1)) + 1, len(X), len(X)))
    for group, gap in enumerate(gaps):
        if group in points.wide:
            gap[:] = apart(points, points, points.wide.index(group))
        else:
            columns = X[:, groups == group]
            gap[:] = _cdist(columns, columns, _METRICS[2])
    return gaps


def _levels(X: Array) -> IntArray | None:
    """Which column of each row is 1, if all others are 0; −1 where all are equal."""
    levels = X.argmax(1)
    high, low = np.take_along_axis(X, levels[:, None], 1)[:, 0], X.min(1)
    one = (high == 1.0) & (low == 0.0) & (X.sum(1) == 1.0)
    none = (high == low) & (high == 1.0 / X.shape[1])
    if not (one | none).all():
        return None
    return np.where(none, _NO_LEVEL, levels)
