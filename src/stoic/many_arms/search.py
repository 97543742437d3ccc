"""The exact maximum of slope·deviation + width·std over very many arms."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stoic.checks import Array, IntArray
from stoic.many_arms.index_bounds import Index, IndexBounds
from stoic.many_arms.mean import ManyArmsMean
from stoic.many_arms.posterior import ManyArmsPosterior

__all__ = ["Maximum", "Search"]

_FIRST_BATCH, _MAX_BATCH = 32, 4096  # arms that are computed together


class Maximum(NamedTuple):
    """The arm of the largest value, the lowest one of equals, and that value."""

    arm: int
    value: float


class Search:
    """Finds the exact maximum of an index from the figures of few arms.

    Every arm has an upper bound (:class:`IndexBounds`). The arms whose bound is no less than a
    value that some arm is known to have are computed, first their mean, then their std, until
    one is left that no bound exceeds.

    The last comparison is of values that are computed for each arm by itself, from plays and
    payoffs alone: the answer does not depend on what was asked before.
    """

    def __init__(self, mean: ManyArmsMean, posterior: ManyArmsPosterior) -> None:
        self._mean, self._posterior = mean, posterior
        self._bounds = IndexBounds(mean.bounds, posterior)
        self._key: tuple[int, float] = (-1, 0.0)  # plays and location that all below is about
        self._maxima: dict[Index, Maximum] = {}
        self._estimated = False  # whether the bounds on deviations are those of now
        self._last: dict[tuple[float, bool], int] = {}  # arms found before
        self.computed_means = self.computed_stds = 0  # arms, so far

    def find(self, slope: float, width: float) -> Maximum:
        """The largest slope·deviation + width·std of all arms, for slope 1, 0 or −1."""
        key = (self._posterior.updates, self._mean.location)
        if key != self._key:
            self._key, self._maxima, self._estimated = key, {}, False
        index = Index(slope, width)
        if index not in self._maxima:
            self._maxima[index] = self._find(index)
            self._last[slope, width > 0.0] = self._maxima[index].arm
        return self._maxima[index]

    def _find(self, index: Index) -> Maximum:
        posterior = self._posterior
        if not posterior.updates:
            arm = int(np.argmax(posterior.prior)) if index.width > 0.0 else 0
            return Maximum(arm, index.width * math.sqrt(posterior.prior[arm]))
        best = self._start(index)
        if index.slope and not self._estimated:
            self._bounds.estimate()
            self._estimated = True
        best = self._resolve(*self._bounds.candidates(index, best.value), index, best)
        if index.slope and index.width:
            self._bounds.limit_followed(index.width)
        return best

    def _start(self, index: Index) -> Maximum:
        """The better one of the last answer and the best anchor."""
        posterior = self._posterior
        deviations, stds = self._mean.bounds.anchors(), np.sqrt(posterior.anchors.var)
        highest = np.argmax(index.slope * deviations + index.width * stds)
        arm = int(posterior.anchors.arms[highest])
        best = self._exact(arm, index)
        last = self._last.get((index.slope, index.width > 0.0), arm)
        return best if last == arm else _better(best, self._exact(last, index))

    def _resolve(self, positions: IntArray, bounds: Array, index: Index, best: Maximum) -> Maximum:
        """The best of ``best`` and the arms at some positions, with upper bounds."""
        arms = self._posterior.blocks.arms_at(positions)
        order = np.lexsort((arms, -bounds))
        positions, bounds, arms = positions[order], bounds[order], arms[order]
        size = _FIRST_BATCH
        while True:
            left = (bounds > best.value) | ((bounds == best.value) & (arms < best.arm))
            positions, bounds, arms = positions[left], bounds[left], arms[left]
            if not len(positions):
                return best
            best = self._compute(positions[:size], index, best)
            positions, bounds, arms = positions[size:], bounds[size:], arms[size:]
            size = min(4 * size, _MAX_BATCH)

    def _compute(self, positions: IntArray, index: Index, best: Maximum) -> Maximum:
        """The best of ``best`` and some arms, whose mean and std are computed as needed."""
        self.computed_means += len(positions)
        stds, deviations = self._posterior.std_bounds, self._mean.bounds
        bounds, again = np.full(len(positions), math.inf), positions[:0]
        if index.slope:
            unknown = positions[~stds.is_followed(positions)]
            again = unknown[deviations.is_recent(unknown)]
            # where the mean alone cannot decide, it will come with the std
            unknown = unknown[self._bounds.lowest(unknown, index) < best.value]
            self._bounds.compute(unknown)
            positions, bounds = self._remaining(positions, index, best)
        unsure = positions[~stds.is_followed(positions)] if index.width else positions[:0]
        unsure = np.union1d(unsure, again)
        if len(unsure):
            self.computed_stds += len(unsure)
            rows = stds.follow(unsure)
            if index.slope:
                self._bounds.compute(unsure, rows)
            positions, bounds = self._remaining(positions, index, best)
        arms = self._posterior.blocks.arms_at(positions)
        for i in np.lexsort((arms, -bounds)).tolist():
            if (bounds[i], -arms[i]) >= (best.value, -best.arm):
                best = _better(best, self._exact(int(arms[i]), index))
        return best

    def _remaining(
        self, positions: IntArray, index: Index, best: Maximum
    ) -> tuple[IntArray, Array]:
        """Those of some positions whose bound is no less than the best, and their bounds."""
        bounds = self._bounds.at(positions, index)
        left = bounds >= best.value
        return positions[left], bounds[left]

    def _exact(self, arm: int, index: Index) -> Maximum:
        value = index.width * math.sqrt(self._posterior.var_at(arm))
        if index.slope:
            value = index.slope * self._mean.at(self._posterior.row(arm)) + value
        return Maximum(arm, value)


def _better(one: Maximum, other: Maximum) -> Maximum:
    return max(one, other, key=lambda maximum: (maximum.value, -maximum.arm))
