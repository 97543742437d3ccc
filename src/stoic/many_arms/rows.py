"""Rows of some arms, kept up to date: every play adds one coordinate to each of them."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, IntArray
from stoic.many_arms.blocks import Blocks
from stoic.many_arms.factor import Coordinate, Factor

__all__ = ["AnchorRows", "Rows"]

_ROWS_PER_SOLVE = 4096  # so that a solve for many arms needs little memory


class Rows:
    """W at some arms.

    Parameters
    ----------
    factor
        L, whose coordinates the rows have.
    arms
        The arms to begin with.
    """

    def __init__(self, factor: Factor, arms: IntArray) -> None:
        self._factor, self.arms = factor, arms
        self._rows: Array = np.zeros((len(arms), 0))

    def __len__(self) -> int:
        return len(self.arms)

    @property
    def values(self) -> Array:
        """W, one row for each arm, one column for each coordinate."""
        return self._rows[: len(self.arms), : len(self._factor)]

    @property
    def capacity(self) -> int:
        """The coordinates that there is room for."""
        return int(self._rows.shape[1])

    def grow(self, count: int = 0) -> None:
        """Make room for ``count`` arms, with as many coordinates as the factor has room for."""
        rows, room = self._rows, self._factor.capacity
        if len(rows) >= count and rows.shape[1] >= room:
            return
        self._rows = np.zeros((max(count, len(rows)), max(room, rows.shape[1])))
        self._rows[: len(rows), : rows.shape[1]] = rows

    def clear(self) -> None:
        """Forget all coordinates, and give their memory back."""
        self._rows = np.zeros((len(self.arms), 0))

    def extend(self, new: Coordinate) -> Array:
        """Add the coordinate of a play, which the factor has already, and return it."""
        count, k = len(self.arms), len(new.row)
        self.grow(count)
        w = self._factor.coordinate(new, self.arms, self._rows[:count, :k])
        self._rows[:count, k] = w
        return w

    def solve(self) -> Array:
        """Compute all rows again, and return their ‖W‖²."""
        self.grow(len(self.arms))
        squares = np.empty(len(self.arms))
        for start in range(0, len(self.arms), _ROWS_PER_SOLVE):
            part = slice(start, start + _ROWS_PER_SOLVE)
            W = self._factor.rows_of(self.arms[part])
            self._rows[part, : len(self._factor)] = W
            squares[part] = np.einsum("ij,ij->i", W, W)
        return squares

    def add(self, arms: IntArray, W: Array) -> None:
        """Keep further arms, with these rows."""
        first, last = len(self.arms), len(self.arms) + len(arms)
        self.grow(last)
        self._rows[first:last, : len(self._factor)] = W
        self.arms = np.concatenate([self.arms, arms])

    def keep(self, some: IntArray) -> None:
        """Drop all arms but some, given by their indices in ascending order."""
        self._rows[: len(some), : len(self._factor)] = self.values[some]
        self.arms = self.arms[some]


class AnchorRows(Rows):
    """W and σ² at the anchors of all blocks, (B, p) of them."""

    def __init__(self, factor: Factor, blocks: Blocks) -> None:
        super().__init__(factor, blocks.anchors.ravel())
        self._shape = blocks.anchors.shape
        self._prior: Array = factor.kernel.diag(factor.points[self.arms])
        self._var = self._prior

    @property
    def var(self) -> Array:
        """The (B, p) variances."""
        return self._var.reshape(self._shape)

    @property
    def last(self) -> Array:
        """The (B, p) coordinates of the last play."""
        return self.values[:, -1].reshape(self._shape)

    def extend(self, new: Coordinate) -> Array:
        """Add the coordinate of a play, which the factor has already, and return it."""
        w = super().extend(new)
        self._var = np.maximum(self._var - w * w, 0.0)
        return w

    def solve(self) -> Array:
        """Compute all rows again, and return their ‖W‖²."""
        squares = super().solve()
        self._var = np.maximum(self._prior - squares, 0.0)
        return squares
