"""Upper bounds on the std of every arm among very many, tight where a search needed them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.many_arms.blocks import Blocks
from stoic.many_arms.factor import Coordinate, Factor
from stoic.many_arms.rows import Rows

__all__ = ["StdBounds"]


class StdBounds:
    """Bounds on σ and on the rows W of all arms, without a pass over all of them.

    Since σ never grows, a σ that was computed once remains an upper bound. The arms whose σ a
    search computed are *followed*: their rows grow with every play, which costs a fraction of
    a solve, and their bounds stay tight.

    Of each block there are besides an upper bound on ‖W(x)‖ over its points and one on |w(x)|,
    the coordinate of the last play.

    Parameters
    ----------
    blocks, factor
        The arms in blocks, and L.
    max_followed
        The number of arms that may be followed from one search to the next; within one,
        twice as many.
    """

    followed: IntArray  # positions
    _is_followed: NDArray[np.bool_]  # by position
    _rows: Rows  # of those followed
    _squares: Array  # ‖W‖² of those followed

    def __init__(self, blocks: Blocks, factor: Factor, max_followed: int) -> None:
        self._blocks, self._factor = blocks, factor
        self.max_followed = max_followed
        self._max_norm = math.sqrt(float(blocks.prior.max()))
        self._upper: Array = np.sqrt(blocks.prior)  # (B, n)
        self.block_max: Array = self._upper.max(axis=1)  # (B,) of the bounds, or more
        self.norm: Array = np.zeros(len(blocks))  # (B,) bounds on ‖W(x)‖
        self.last_change: Array = np.zeros(len(blocks))  # (B,) bounds on the last |w(x)|
        self.unfollow()

    # -- plays --------------------------------------------------------------------------------

    def extend(self, new: Coordinate) -> None:
        """Account for the coordinate of a play, which the factor has already."""
        if len(self.followed):
            w = self._rows.extend(new)
            self._squares += w * w
            self._tighten(self.followed, self._squares)
        nearby = self._blocks.max_kernel(self._factor.points[new.arm])
        self.last_change = (nearby + self.norm * np.linalg.norm(new.row)) / new.pivot
        self.norm = np.minimum(np.hypot(self.norm, self.last_change), self._max_norm)

    def forget_norms(self) -> None:
        """Bound ‖W(x)‖ by the prior alone."""
        self.norm[:] = self._max_norm

    # -- bounds on σ --------------------------------------------------------------------------

    def at(self, positions: IntArray) -> Array:
        """The bounds at some positions."""
        return self._upper.reshape(-1)[positions]

    def in_blocks(self, some: IntArray) -> Array:
        """The bounds in some blocks, for which :attr:`block_max` becomes exact."""
        upper: Array = self._upper[some]
        self.block_max[some] = upper.max(axis=1)
        return upper

    def _tighten(self, positions: IntArray, squares: Array) -> None:
        prior = self._blocks.prior.reshape(-1)[positions]
        certain = squares * (1.0 - 2.02 * self._factor.relative_error)
        upper = self._upper.reshape(-1)
        upper[positions] = np.minimum(
            upper[positions], np.sqrt(np.clip(prior - certain, 0.0, prior))
        )

    # -- arms that are followed ---------------------------------------------------------------

    @property
    def followed_rows(self) -> Array:
        """W at the arms that are followed."""
        return self._rows.values

    def is_followed(self, positions: IntArray) -> NDArray[np.bool_]:
        """Which of some positions are followed."""
        return self._is_followed[positions]

    def follow(self, positions: IntArray) -> Array:
        """Make the bounds tight at some positions, and follow them from now on; their rows."""
        arms = self._blocks.arms_at(positions)
        W = self._factor.rows_of(arms)
        squares = np.einsum("ij,ij->i", W, W)
        self._tighten(positions, squares)
        new = ~self._is_followed[positions]
        if len(self.followed) + int(new.sum()) > 2 * self.max_followed:
            return W
        self._rows.add(arms[new], W[new])
        self._is_followed[positions[new]] = True
        self.followed = np.concatenate([self.followed, positions[new]])
        self._squares = np.concatenate([self._squares, squares[new]])
        return W

    def keep_following(self, some: IntArray) -> None:
        """Follow only some of the arms that are followed, given by ascending indices."""
        self._rows.keep(some)
        self._is_followed[self.followed] = False
        self.followed, self._squares = self.followed[some], self._squares[some]
        self._is_followed[self.followed] = True

    def unfollow(self) -> None:
        """Follow no arm."""
        self.followed = np.zeros(0, dtype=np.int64)
        self._is_followed = np.zeros(self._blocks.arms.size, dtype=bool)
        self._rows = Rows(self._factor, self.followed)
        self._squares = np.zeros(0)
