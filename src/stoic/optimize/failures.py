"""Where evaluations fail: a local share of failures, shy of the spot and not of the region."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.surrogate.covariance import squared_distances

__all__ = ["Failures"]

_REACH = 0.15  # of the unit cube's side, times the root of the dimension
_WORTH = 0.3  # observations that the overall share of failures is worth at a point


class Failures:
    """The chance that an evaluation succeeds, from those that did and did not.

    A kernel average of the outcomes near a point, drawn towards the overall share of failures
    where there are none: one crash keeps the next asks away from its spot, many crashes from
    their region, and random crashes all over the space from nowhere.

    Parameters
    ----------
    failed, succeeded
        Points of the unit cube.
    """

    def __init__(self, failed: Array, succeeded: Array) -> None:
        self._points = np.vstack([failed, succeeded]) if len(failed) else failed
        self._crashes = np.concatenate([np.ones(len(failed)), np.zeros(len(succeeded))])
        self._share = (len(failed) + 0.5) / (len(failed) + len(succeeded) + 5.0)

    def chance_of_success(self, X: Array) -> Array:
        """Between 0 and 1, at the rows of X; 1 everywhere before anything has failed."""
        if not len(self._points):
            return np.ones(len(X))
        reach = _REACH * np.sqrt(X.shape[1])
        near = np.exp(-0.5 * squared_distances(X / reach, self._points / reach))
        crashes = near @ self._crashes + _WORTH * self._share
        chance: Array = 1.0 - crashes / (near.sum(1) + _WORTH)
        return chance
