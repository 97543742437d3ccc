"""Linear estimators: the smoother applied to per-arm sums of (robustified) payoffs."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.posterior import Posterior, Step

__all__ = ["SmoothedMean"]


class SmoothedMean:
    """Posterior means of one or several columns of payoffs, O(A) per column and payoff.

    Kept are, per arm, the sums S of the payoffs handed in, and s(S), the smoother applied to
    them. Beside them runs s(1), the smoother applied to the constant one, so that the
    estimate may shrink towards any location m̂ without a refit:

        mean = m̂ + s(S) − m̂·s(1).

    With one column this is the plain posterior mean (of truncated payoffs, if the caller
    truncates them). With ℓ columns, ``mean`` is their median over columns: the median of means
    of park2024, eq. (12).

    Parameters
    ----------
    arms
        A, the number of tracked points.
    columns
        ℓ, the number of columns.
    """

    def __init__(self, arms: int, columns: int = 1) -> None:
        self.columns = columns
        self.location = 0.0
        self.sums: Array = np.zeros((arms, columns))
        self._smoothed: Array = np.zeros((arms, columns))
        self._ones: Array = np.zeros(arms)

    def add(self, arm: int, payoffs: float | Array, step: Step, posterior: Posterior) -> None:
        """Take in the payoffs (one per column) of the play that made ``step``."""
        self.sums[arm] += payoffs
        if step.refreshed:
            self.smooth(posterior)
            return
        gain = step.gain
        self._smoothed += gain[:, None] * (payoffs - self._smoothed[arm])
        self._ones += gain * (1.0 - self._ones[arm])

    def replace(self, arms: IntArray, payoffs: Array, posterior: Posterior) -> None:
        """Forget all payoffs and take these instead, one row for each play."""
        self.sums = np.zeros_like(self.sums)
        np.add.at(self.sums, arms, payoffs.reshape(len(arms), -1))
        self.smooth(posterior)

    def smooth(self, posterior: Posterior) -> None:
        """Apply the smoother afresh: after a fresh solve or with new features."""
        self._smoothed = posterior.smooth(self.sums)
        self._ones = posterior.smooth(posterior.counts.astype(float))

    def track(self, points: Array, posterior: Posterior) -> None:
        """Follow further points from now on."""
        smoothed = self._smooth_at(points, posterior)
        self.sums = np.vstack([self.sums, np.zeros((len(points), self.columns))])
        self._smoothed = np.vstack([self._smoothed, smoothed[:, :-1]])
        self._ones = np.concatenate([self._ones, smoothed[:, -1]])

    def _smooth_at(self, X: Array, posterior: Posterior) -> Array:
        """s(S) and, in the last column, s(1) at any points."""
        known = len(self.sums)
        sums = np.zeros((len(posterior.counts), self.columns + 1))
        sums[:known, :-1] = self.sums[: len(sums)]
        sums[:, -1] = posterior.counts
        return posterior.predict(X, sums)[0]

    @property
    def deviation(self) -> Array:
        """Mean − location: what the policy compares, free of any common offset."""
        centred = self._smoothed - (self.location * self._ones)[:, None]
        return centred[:, 0] if self.columns == 1 else np.median(centred, axis=1)

    def predict(self, X: Array, posterior: Posterior) -> Array:
        """The deviation from the location at any points."""
        smoothed = self._smooth_at(X, posterior)
        return np.median(smoothed[:, :-1] - self.location * smoothed[:, -1:], axis=1)

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {
            "location": self.location,
            "sums": self.sums.copy(),
            "smoothed": self._smoothed.copy(),
            "ones": self._ones.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        shape = (-1, self.columns)
        self.location = float(state["location"])
        self.sums = np.array(state["sums"], dtype=float).reshape(shape)
        self._smoothed = np.array(state["smoothed"], dtype=float).reshape(shape)
        self._ones = np.array(state["ones"], dtype=float)
