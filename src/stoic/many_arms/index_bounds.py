"""Upper bounds on slope·deviation + width·std for all arms, better where they were computed."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stoic.checks import Array, IntArray
from stoic.many_arms.deviation_bounds import DeviationBounds
from stoic.many_arms.posterior import ManyArmsPosterior

__all__ = ["Index", "IndexBounds"]

_BLOCKS_AT_ONCE = 64  # their figures fit into the processor's cache


class Index(NamedTuple):
    """What is maximised over arms: slope·deviation + width·std, for a slope of 1, 0 or −1."""

    slope: float
    width: float


class IndexBounds:
    """What is known of deviations and stds, as bounds on any :class:`Index`.

    Parameters
    ----------
    deviations, posterior
        Bounds on the deviations, and the posterior with its bounds on the stds.
    """

    def __init__(self, deviations: DeviationBounds, posterior: ManyArmsPosterior) -> None:
        self._deviations, self._posterior = deviations, posterior
        shape = posterior.blocks.arms.shape
        self._values: Array = np.zeros(shape)  # (B, n) estimated deviations
        self._errors: Array = np.zeros(shape)  # (B, n) bounds on their errors
        # of each block, the largest slope·value + error
        self._block_max = {slope: np.zeros(shape[0]) for slope in (1.0, -1.0)}

    def estimate(self) -> None:
        """Estimate the deviations of all arms as they are now."""
        for part in self._deviations.estimate(_BLOCKS_AT_ONCE, self._values, self._errors):
            values, errors = self._values[part], self._errors[part]
            self._block_max[1.0][part] = (values + errors).max(axis=1)
            self._block_max[-1.0][part] = (errors - values).max(axis=1)
        followed = self._posterior.std_bounds.followed
        if len(followed):
            self._store(followed, *self._deviations.followed())

    def compute(self, positions: IntArray, rows: Array | None = None) -> None:
        """Compute the deviations at some positions; ``rows`` are W, if known."""
        if len(positions):
            self._store(positions, *self._deviations.compute(positions, rows))

    def _store(self, positions: IntArray, values: Array, errors: Array) -> None:
        self._values.reshape(-1)[positions] = values
        self._errors.reshape(-1)[positions] = errors
        block = self._posterior.blocks.block_of(positions)
        for slope, block_max in self._block_max.items():
            np.maximum.at(block_max, block, slope * values + errors)

    def candidates(self, index: Index, least: float) -> tuple[IntArray, Array]:
        """The positions of all arms whose bound is at least ``least``, and these bounds."""
        slope, width = index
        blocks, stds = self._posterior.blocks, self._posterior.std_bounds
        most = width * stds.block_max + (self._block_max[slope] if slope else 0.0)
        most += 1e-12 * np.abs(most)  # accounts for rounding
        positions, bounds = [], []
        possible = np.flatnonzero(most >= least)
        for some in np.array_split(possible, -(-len(possible) // _BLOCKS_AT_ONCE) or 1):
            upper = width * stds.in_blocks(some)
            if slope:
                upper += self._errors[some]
                upper += slope * self._values[some]
            if len(some) and some[-1] == len(blocks) - 1:
                upper[-1, blocks.copies_from :] = -math.inf
            row, column = np.nonzero(upper >= least)
            positions.append(some[row] * blocks.arms.shape[1] + column)
            bounds.append(upper[row, column])
        return np.concatenate(positions), np.concatenate(bounds)

    def at(self, positions: IntArray, index: Index) -> Array:
        """The bounds at some positions."""
        bounds: Array = index.width * self._posterior.std_bounds.at(positions)
        if index.slope:
            bounds += index.slope * self._values.reshape(-1)[positions]
            bounds += self._errors.reshape(-1)[positions]
        return bounds

    def lowest(self, positions: IntArray, index: Index) -> Array:
        """The lowest that the bounds can become when the deviations are computed."""
        if not index.width:
            return np.full(len(positions), -math.inf)
        lowest: Array = index.slope * self._values.reshape(-1)[positions]
        lowest -= self._errors.reshape(-1)[positions]
        lowest += index.width * self._posterior.std_bounds.at(positions)
        return lowest

    def limit_followed(self, width: float) -> None:
        """Where too many arms are followed, keep those of the highest estimates."""
        stds = self._posterior.std_bounds
        if len(stds.followed) <= stds.max_followed:
            return
        score = self._values.reshape(-1)[stds.followed] + width * stds.at(stds.followed)
        best = np.argsort(-score, kind="stable")[: stds.max_followed // 2]
        stds.keep_following(np.sort(best))
