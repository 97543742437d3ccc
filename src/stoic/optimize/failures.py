"""Where evaluations fail: a local share of failures, shy of the spot and not of the region."""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.surrogate.distances import Coded, between, by_group

__all__ = ["Failures"]

_REACH = 0.15  # of the unit cube's side, times the root of the number of parameters
_FACTORS = (0.2, 0.4, 1.0, 2.5, 6.0)  # of the reach along a parameter, of which one is learned
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
    along each parameter is learned: the outcomes left out one by one are to be foretold best.

    Parameters
    ----------
    failed, succeeded
        Points of the unit cube.
    groups
        Number of the parameter of each column.
    """

    def __init__(self, failed: Array, succeeded: Array, groups: IntArray) -> None:
        failed, succeeded = failed[-_LATEST:], succeeded[-_LATEST:]
        self._groups = groups
        self._points = Coded(np.vstack([failed, succeeded]) if len(failed) else failed, groups)
        self._crashes = np.concatenate([np.ones(len(failed)), np.zeros(len(succeeded))])
        self._share = (len(failed) + 0.5) / (len(failed) + len(succeeded) + 5.0)
        reach = _REACH * math.sqrt(int(groups.max(initial=-1)) + 1)
        self._reach: Array = np.full(len(groups), reach)
        if len(failed) > 1:
            few = np.concatenate([failed[-_MOST // 2 :], succeeded[-_MOST // 2 :]])
            crashes = np.where(np.arange(len(few)) < min(len(failed), _MOST // 2), 1.0, 0.0)
            gaps = -0.5 * by_group(few, groups) / reach**2
            self._reach = self._reach * self._learned(gaps, crashes)[groups]

    def chance_of_success(self, X: Array) -> Array:
        """Between 0 and 1, at the rows of X; 1 everywhere before anything has failed."""
        if not len(self._crashes):
            return np.ones(len(X))
        here = Coded(X, self._groups).scaled(self._reach)
        distances = between(here, self._points.scaled(self._reach))
        return self._chance(np.exp(-0.5 * distances), self._crashes)

    def _chance(self, near: Array, crashes: Array) -> Array:
        chance: Array = 1.0 - (near @ crashes + _WORTH * self._share) / (near.sum(1) + _WORTH)
        return chance

    def _learned(self, gaps: Array, crashes: Array) -> Array:
        """Factors of the reach along each parameter, one after the other the most plausible."""
        itself = np.diag_indices(len(crashes))  # an outcome does not foretell itself
        factors, total = np.ones(len(gaps)), gaps.sum(0)
        for _ in range(_SWEEPS):
            for k, along in enumerate(gaps):
                rest = total - along / factors[k] ** 2
                scores = []
                for factor in _FACTORS:
                    near = np.exp(np.minimum(rest + along / factor**2, 0.0))
                    near[itself] = 0.0
                    good = np.clip(self._chance(near, crashes), 1e-3, 1.0 - 1e-3)
                    fit = np.log(np.where(crashes > 0.0, 1.0 - good, good)).sum()
                    scores.append(fit - 0.5 * (math.log(factor) / _SPREAD) ** 2)
                factors[k] = _FACTORS[int(np.argmax(scores))]
                total = rest + along / factors[k] ** 2
        return factors
