"""The exact maximum of slope·deviation + width·std over very many arms."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stoic.checks import Array, IntArray
from stoic.estimators.lazy import LazyMean
from stoic.posterior import lazy
from stoic.posterior.lazy import LazyPosterior

__all__ = ["Extremes", "Found"]

_PART = 64  # blocks that are looked at together
_FIRST, _MOST = 32, 4096  # arms that are worked out together


class Found(NamedTuple):
    """The arm of the largest value, the lowest one of equals, and that value."""

    arm: int
    value: float


class Extremes:
    """Where the posterior's figures are largest, exactly, with a look at few arms.

    Every arm has an upper bound, from what the anchors of its block have done since the arm was
    last worked out. The arms whose bound reaches a value that some arm is known to have are
    worked out, first their mean, then their std, until one is left that no bound exceeds.

    The last comparison is of values that are worked out for each arm by itself, from plays and
    payoffs alone: the answer does not depend on what was asked before.
    """

    def __init__(self, estimator: LazyMean, posterior: LazyPosterior) -> None:
        self._mean, self._posterior = estimator, posterior
        self._key: tuple[int, float] = (-1, 0.0)
        self._found: dict[tuple[float, float], Found] = {}
        self._last: dict[tuple[float, bool], int] = {}
        shape = posterior.blocks.arms.shape
        self._values: Array = np.zeros(shape)  # estimated deviations
        self._doubts: Array = np.zeros(shape)  # and how far off they may be
        self._most = {slope: np.zeros(shape[0]) for slope in (1.0, -1.0)}  # of each block
        self._ready = False  # whether they are those of now
        self.worked = self.solved = 0  # arms whose mean, whose std was worked out so far

    def find(self, slope: float, width: float) -> Found:
        """The largest slope·deviation + width·std of all arms, for slope 1, 0 or −1."""
        key = (self._posterior.version, self._mean.location)
        if key != self._key:
            self._key, self._found, self._ready = key, {}, False
        if (slope, width) not in self._found:
            self._found[slope, width] = self._find(slope, width)
            self._last[slope, width > 0.0] = self._found[slope, width].arm
        return self._found[slope, width]

    def _find(self, slope: float, width: float) -> Found:
        posterior = self._posterior
        if not posterior.columns:
            arm = int(np.argmax(posterior.prior)) if width > 0.0 else 0
            return Found(arm, width * math.sqrt(posterior.prior[arm]))
        best = self._guess(slope, width)
        if slope and not self._ready:
            self._estimate()
        best = self._settle(*self._close(slope, width, best.value), slope, width, best)
        if slope and width and len(posterior.followed) > lazy.FOLLOWED:
            self._thin_out(width)
        return best

    def _thin_out(self, width: float) -> None:
        """Follow the more promising half of the arms that are followed."""
        posterior = self._posterior
        places = posterior.followed
        score = self._values.reshape(-1)[places] + width * posterior.upper.reshape(-1)[places]
        posterior.keep_following(np.sort(np.argsort(-score, kind="stable")[: lazy.FOLLOWED // 2]))

    def _estimate(self) -> None:
        """Estimates for all arms, part by part, so that all stays in the cache."""
        for part in self._mean.estimates(_PART, self._values, self._doubts):
            values, doubts = self._values[part], self._doubts[part]
            self._most[1.0][part] = (values + doubts).max(axis=1)
            self._most[-1.0][part] = (doubts - values).max(axis=1)
        followed = self._posterior.followed
        if len(followed):
            self._place(followed, *self._mean.followed())
        self._ready = True

    def _place(self, places: IntArray, values: Array, doubts: Array) -> None:
        """Take better figures for some places."""
        self._values.reshape(-1)[places] = values
        self._doubts.reshape(-1)[places] = doubts
        home = places // self._values.shape[1]
        for slope, most in self._most.items():
            np.maximum.at(most, home, slope * values + doubts)

    def _guess(self, slope: float, width: float) -> Found:
        """The better one of the last answer and the best anchor."""
        posterior, mean = self._posterior, self._mean
        scores = slope * mean.anchors() + width * np.sqrt(posterior.anchor_var)
        arm = int(posterior.blocks.anchors.ravel()[np.argmax(scores)])
        best = self._exact(arm, slope, width)
        last = self._last.get((slope, width > 0.0), arm)
        return best if last == arm else _better(best, self._exact(last, slope, width))

    def _close(self, slope: float, width: float, least: float) -> tuple[IntArray, Array]:
        """The places of all arms whose upper bound is at least ``least``, and the bounds."""
        posterior = self._posterior
        count, n = posterior.blocks.arms.shape
        most = width * posterior.top + (self._most[slope] if slope else 0.0)
        most += 1e-12 * np.abs(most)  # what rounding may have taken
        places, bounds = [], []
        blocks = np.flatnonzero(most >= least)
        for some in np.array_split(blocks, -(-len(blocks) // _PART) or 1):
            highest = posterior.upper[some]
            posterior.top[some] = highest.max(axis=1)
            upper = width * highest
            if slope:
                upper += self._doubts[some]
                upper += slope * self._values[some]
            if len(some) and some[-1] == count - 1:
                upper[-1, posterior.blocks.pad :] = -math.inf
            row, column = np.nonzero(upper >= least)
            places.append(some[row] * n + column)
            bounds.append(upper[row, column])
        return np.concatenate(places), np.concatenate(bounds)

    # -- arms ---------------------------------------------------------------------------------

    def _settle(
        self, places: IntArray, bounds: Array, slope: float, width: float, best: Found
    ) -> Found:
        """The best of ``best`` and some arms, given by place, with upper bounds."""
        blocks = self._posterior.blocks
        arms = blocks.arms.ravel()[places]
        order = np.lexsort((arms, -bounds))
        places, bounds, arms = places[order], bounds[order], arms[order]
        size = _FIRST
        while True:
            left = (bounds > best.value) | ((bounds == best.value) & (arms < best.arm))
            places, bounds, arms = places[left], bounds[left], arms[left]
            if not len(places):
                return best
            best = self._work_out(places[:size], slope, width, best)
            places, bounds, arms = places[size:], bounds[size:], arms[size:]
            size = min(4 * size, _MOST)

    def _work_out(self, places: IntArray, slope: float, width: float, best: Found) -> Found:
        """The best of ``best`` and some arms, whose mean and std are worked out as needed."""
        self.worked += len(places)
        posterior = self._posterior
        bounds, again = np.full(len(places), math.inf), places[:0]
        if slope:
            unknown = places[~posterior.follows[places]]
            again = unknown[self._mean.recent(unknown)]
            # where the mean alone can't settle it, it will come with the std
            unknown = unknown[self._lower(unknown, slope, width) < best.value]
            self._refresh(unknown)
            places, bounds = self._still(places, slope, width, best)
        unsure = places[~posterior.follows[places]] if width else places[:0]
        unsure = np.union1d(unsure, again)
        if len(unsure):
            self.solved += len(unsure)
            rows = posterior.refresh(unsure)
            if slope:
                self._refresh(unsure, rows)
            places, bounds = self._still(places, slope, width, best)
        arms = self._posterior.blocks.arms.ravel()[places]
        for i in np.lexsort((arms, -bounds)).tolist():
            if (bounds[i], -arms[i]) >= (best.value, -best.arm):
                best = _better(best, self._exact(int(arms[i]), slope, width))
        return best

    def _lower(self, places: IntArray, slope: float, width: float) -> Array:
        """The least that the bounds can become when the mean is worked out."""
        least: Array = slope * self._values.reshape(-1)[places]
        least -= self._doubts.reshape(-1)[places]
        least += width * self._posterior.upper.reshape(-1)[places]
        return least if width else np.full(len(places), -math.inf)

    def _refresh(self, places: IntArray, rows: Array | None = None) -> None:
        if not len(places):
            return
        self._place(places, *self._mean.refresh(places, rows))

    def _still(
        self, places: IntArray, slope: float, width: float, best: Found
    ) -> tuple[IntArray, Array]:
        """Those of some places whose bound still reaches the best, and their bounds."""
        bounds = width * self._posterior.upper.reshape(-1)[places]
        if slope:
            bounds += slope * self._values.reshape(-1)[places]
            bounds += self._doubts.reshape(-1)[places]
        left = bounds >= best.value
        return places[left], bounds[left]

    def _exact(self, arm: int, slope: float, width: float) -> Found:
        row = self._posterior.row(arm)
        value = width * math.sqrt(self._posterior.var_at(arm, row))
        return Found(arm, slope * self._mean.at(row) + value if slope else value)


def _better(one: Found, other: Found) -> Found:
    return max(one, other, key=lambda found: (found.value, -found.arm))
