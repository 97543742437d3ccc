"""Where evaluations fail: a local share of failures, shy of the spot and not of the region."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array
from stoic.compiled import squared_distances

__all__ = ["Failures"]

_REACH = 0.15  # of the unit cube's side, times the root of the dimension
_FACTORS = (0.2, 0.4, 1.0, 2.5, 6.0)  # of the reach along a column, of which one is learned
_SPREAD = 1.0  # of log(factor), before anything is known
_WORTH = 0.3  # observations that the overall share of failures is worth at a point
_SWEEPS = 2
_MOST = 200  # outcomes that the reach is learned from
_LATEST = 1000  # failures, and successes, that are looked at


class Failures:
    """The chance that an evaluation succeeds, from those that did and did not.

    A kernel average of the outcomes near a point, drawn towards the overall share of failures
    where there are none: one crash keeps the next asks away from its spot, many crashes from
    their region, and random crashes all over the space from nowhere. How far "near" reaches
    along each column is learned: the outcomes left out one by one are to be foretold best.

    Parameters
    ----------
    failed, succeeded
        Points of the unit cube.
    """

    def __init__(self, failed: Array, succeeded: Array) -> None:
        failed, succeeded = failed[-_LATEST:], succeeded[-_LATEST:]
        self._points = np.vstack([failed, succeeded]) if len(failed) else failed
        self._crashes = np.concatenate([np.ones(len(failed)), np.zeros(len(succeeded))])
        self._share = (len(failed) + 0.5) / (len(failed) + len(succeeded) + 5.0)
        d = failed.shape[1]
        self._reach: Array = np.full(d, _REACH * math.sqrt(d))
        if len(failed) > 1:
            few = np.concatenate([failed[-_MOST // 2 :], succeeded[-_MOST // 2 :]])
            crashes = np.where(np.arange(len(few)) < min(len(failed), _MOST // 2), 1.0, 0.0)
            self._reach = self._reach * self._learned(few / self._reach, crashes)

    def chance_of_success(self, X: Array) -> Array:
        """Between 0 and 1, at the rows of X; 1 everywhere before anything has failed."""
        if not len(self._points):
            return np.ones(len(X))
        distances = squared_distances(X / self._reach, self._points / self._reach)
        return self._chance(np.exp(-0.5 * distances), self._crashes)

    def _chance(self, near: Array, crashes: Array) -> Array:
        chance: Array = 1.0 - (near @ crashes + _WORTH * self._share) / (near.sum(1) + _WORTH)
        return chance

    def _learned(self, U: Array, crashes: Array) -> Array:
        """Factors of the reach, one after the other the most plausible."""
        gaps = -0.5 * (U[:, None, :] - U) ** 2
        gaps[np.diag_indices(len(U))] = -np.inf  # an outcome does not foretell itself
        factors = np.ones(U.shape[1])
        for _ in range(_SWEEPS):
            for column in range(len(factors)):
                others = np.delete(np.arange(len(factors)), column)
                rest = (gaps[:, :, others] / factors[others] ** 2).sum(2)
                scores = []
                for factor in _FACTORS:
                    near = np.exp(rest + gaps[:, :, column] / factor**2)
                    good = np.clip(self._chance(near, crashes), 1e-3, 1.0 - 1e-3)
                    fit = np.log(np.where(crashes > 0.0, 1.0 - good, good)).sum()
                    scores.append(fit - 0.5 * (math.log(factor) / _SPREAD) ** 2)
                factors[column] = _FACTORS[int(np.argmax(scores))]
        return factors
