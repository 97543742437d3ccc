"""Squared distances in units of length-scales, quick also where a category has many levels.

A category of w levels has w columns, of which one is 1 and the others 0, or all are 1/w where the
parameter does not exist. With hundreds of columns, distances would cost hundreds of times those of
a number. Two levels that differ are √2 apart, whichever they are, so a wide category is compared
by level: Σ over wide categories of 2/ℓ² where levels differ, and (1 − 1/w)/ℓ² between a level and
none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from stoic.checks import Array, IntArray

__all__ = ["Coded", "Scaled", "apart", "between", "by_group"]

_WIDE_COLUMNS = 16  # of a category, beyond which its levels are compared instead
_EMPTY = np.empty(0)
_NONE = -1  # the level of a parameter that does not exist


class Coded:
    """Points as columns to subtract, and levels of wide categories to compare."""

    def __init__(self, X: Array, groups: IntArray) -> None:
        self.X = X
        self.plain: IntArray | slice = slice(None)  # columns that are subtracted
        self.wide: list[int] = []  # numbers of the groups of columns that are compared
        self.sizes: list[int] = []  # how many columns each has
        self.first: list[int] = []  # their first columns
        self.levels: list[IntArray] = []
        if len(groups) <= _WIDE_COLUMNS:
            return
        counts = np.bincount(groups)
        wide = np.flatnonzero(counts > _WIDE_COLUMNS)
        members = [np.flatnonzero(groups == group) for group in wide]
        levels = [_levels(X[:, _run(columns)]) for columns in members]
        found = [each for each in levels if each is not None]
        if len(wide) and len(found) == len(levels):  # or else they are columns of something else
            self.wide, self.sizes, self.levels = wide.tolist(), counts[wide].tolist(), found
            self.first = [int(columns[0]) for columns in members]
            self.plain = np.flatnonzero(~np.isin(groups, wide))

    def scaled(self, lengthscales: Array) -> Scaled:
        """The points in units of length-scales, given for each column."""
        if not self.wide:
            return Scaled(self, self.X / lengthscales, _EMPTY, lengthscales)
        U = self.X[:, self.plain] / lengthscales[self.plain]
        return Scaled(self, U, 1.0 / lengthscales[self.first] ** 2, lengthscales)


class Scaled(NamedTuple):
    """Points in units of length-scales."""

    points: Coded
    U: Array  # (n, columns that are subtracted)
    weights: Array  # 1/ℓ² of the wide categories
    lengthscales: Array  # of each column


def _run(columns: IntArray) -> IntArray | slice:
    """Columns that follow each other as a slice, which needs no copy."""
    first, last = int(columns[0]), int(columns[-1])
    return slice(first, last + 1) if last - first + 1 == len(columns) else columns


def between(a: Scaled, b: Scaled, rows: slice = slice(None), columns: slice = slice(None)) -> Array:
    """‖x − z‖² for the ``rows`` of a and the ``columns`` of b."""
    if len(a.weights) != len(b.weights):  # some points lie between levels
        one, other = a.points.X[rows], b.points.X[columns]
        return _squared(one / a.lengthscales, other / b.lengthscales)
    r2 = _squared(a.U[rows], b.U[columns])
    for k, weight in enumerate(a.weights):
        r2 += weight * apart(a.points, b.points, k, rows, columns)
    return r2


def apart(
    a: Coded, b: Coded, k: int, rows: slice = slice(None), columns: slice = slice(None)
) -> Array:
    """Squared distances along the k-th wide category: 2 between levels, less to none."""
    one, other = a.levels[k][rows, None], b.levels[k][None, columns]
    gaps = np.where(one != other, 2.0, 0.0)
    if one.min(initial=0) == _NONE or other.min(initial=0) == _NONE:
        gaps -= ((one == _NONE) != (other == _NONE)) * (1.0 + 1.0 / a.sizes[k])
    return gaps


def _squared(X: Array, Z: Array) -> Array:
    """‖x − z‖² of all rows."""
    r2: Array = cdist(X, Z, "sqeuclidean")
    return r2


def by_group(X: Array, groups: IntArray) -> Array:
    """‖x − z‖² of all rows along the columns of each group: (groups, n, n)."""
    points = Coded(X, groups)
    gaps = np.empty((int(groups.max(initial=-1)) + 1, len(X), len(X)))
    for group, gap in enumerate(gaps):
        if group in points.wide:
            gap[:] = apart(points, points, points.wide.index(group))
        else:
            columns = X[:, groups == group]
            gap[:] = _squared(columns, columns)
    return gaps


def _levels(X: Array) -> IntArray | None:
    """Which column of each row is 1, if all others are 0; −1 where all are equal."""
    levels = X.argmax(1)
    high, low = np.take_along_axis(X, levels[:, None], 1)[:, 0], X.min(1)
    one = (high == 1.0) & (low == 0.0) & (X.sum(1) == 1.0)
    none = (high == low) & (high == 1.0 / X.shape[1])
    if not (one | none).all():
        return None
    return np.where(none, _NONE, levels)
