"""Linear estimators: the smoother applied to per-arm sums of (robustified) payoffs."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput
from stoic.estimators.limited import Limited
from stoic.estimators.truncation import LARGEST_PAYOFF, check_sums, largest_mean
from stoic.loops import deviate, pull
from stoic.posterior import Posterior, Step
from stoic.posterior.base import agree
from stoic.schema import Reals, Schema, Sums

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

    schema: ClassVar[Schema] = {
        "location": Sums(),
        "sums": Sums("A", "columns"),
        "smoothed": Reals("A", "columns"),
        "ones": Reals("A"),
        "largest": Reals(low=0.0, high=LARGEST_PAYOFF, optional=True),
    }

    def __init__(self, arms: int, columns: int = 1) -> None:
        self.columns = columns
        self.sums: Array = np.zeros((arms, columns))
        self._rows: Array = np.zeros((columns + 1, arms))  # s(S), one row a column; last s(1)
        self._largest = 0.0  # |payoff| of those taken in one by one
        self.location = 0.0  # m̂, what the estimate shrinks towards with the next payoff
        self.deviation: Array = np.zeros(arms)  # mean − location: free of any common offset
        self.range = 0.0  # of the deviations: the largest less the smallest

    def learn(self, arm: int, limited: Limited, step: Step, posterior: Posterior) -> None:
        """Take in the payoffs of the play that made ``step``, or all payoffs so far anew."""
        payoffs, anew, self.location = limited.payoffs, limited.anew, limited.location
        if anew is not None:
            self._set_sums(*anew)
            self.smooth(posterior)
            return
        for y in payoffs.tolist():
            if not -self._largest <= y <= self._largest:
                self._largest = abs(y)
        if step.refreshed:
            self.sums[arm] += payoffs
            self.smooth(posterior)
        else:
            self.range = pull(
                self._rows, self.sums, step.gain, arm, payoffs, self.location, self.deviation
            )

    def learn_sums(self, limited: Limited, posterior: Posterior) -> None:
        """Take in many plays at once; ``limited`` has the sum of each point's payoffs."""
        self.location = limited.location
        if limited.anew is not None:
            self._set_sums(*limited.anew)
        self.sums[:, 0] += limited.payoffs
        self.smooth(posterior)

    def _set_sums(self, arms: IntArray, payoffs: Array) -> None:
        """Forget all payoffs and take these instead, one row for each play."""
        self.sums, self._largest = np.zeros_like(self.sums), float(np.abs(payoffs).max(initial=0.0))
        np.add.at(self.sums, arms, payoffs.reshape(len(arms), -1))

    def smooth(self, posterior: Posterior) -> None:
        """Apply the smoother afresh: after a fresh solve or with new features."""
        ones = self._ones(posterior)
        self._take(posterior.smooth(np.column_stack([self.sums, ones])).T)

    def _ones(self, posterior: Posterior) -> Array:
        """The sums of payoffs that are all one."""
        return posterior.counts.astype(float)

    def _take(self, rows: Array) -> None:
        self._rows = np.ascontiguousarray(rows)
        self.deviation = np.empty(self._rows.shape[1])
        self.range = deviate(self._rows, self.location, self.deviation)

    def track(self, points: Array, posterior: Posterior) -> None:
        """Follow further points from now on."""
        smoothed = self._smooth_at(points, posterior)
        self.sums = np.vstack([self.sums, np.zeros((len(points), self.columns))])
        self._take(np.hstack([self._rows, smoothed.T]))

    def _smooth_at(self, X: Array, posterior: Posterior) -> Array:
        """s(S) and, in the last column, s(1) at any points."""
        known = len(self.sums)
        sums = np.zeros((len(posterior.counts), self.columns + 1))
        sums[:known, :-1] = self.sums[: len(sums)]
        sums[:, -1] = self._ones(posterior)
        return posterior.predict(X, sums)[0]

    def predict(self, X: Array, posterior: Posterior) -> Array:
        """The deviation from the location at any points."""
        smoothed = self._smooth_at(X, posterior)
        return np.median(smoothed[:, :-1] - self.location * smoothed[:, -1:], axis=1)

    def norm(self, posterior: Posterior) -> tuple[float, float]:
        """‖f̂‖ of the deviation f̂, and the posterior std of ⟨f, f̂⟩/‖f̂‖.

        f̂ = Σ_a w_a k(·, x_a) with w = (S − n·f̂)/λ, so ‖f̂‖² = wᵀf̂, and the variance of
        ⟨f, f̂⟩ is λ wᵀs(w).
        """
        if self.columns > 1:
            raise InvalidInput(
                f"expected one column of payoffs for the norm of an estimate, got {self.columns}; "
                "use another schedule"
            )
        counts = posterior.counts
        residual = self.sums[:, 0] - counts * (self.location + self.deviation)
        unit = float(np.abs(residual).max(initial=0.0)) or 1.0  # squares must not overflow
        weights, estimate = residual / (unit * posterior.lam), self.deviation / unit
        square = float(weights @ estimate)
        if square <= 0.0:
            return 0.0, 0.0
        variance = posterior.lam * float(weights @ posterior.smooth(weights))
        return unit * math.sqrt(square), math.sqrt(max(variance, 0.0) / square)

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {
            "location": self.location,
            "sums": self.sums.copy(),
            "smoothed": self._rows[:-1].T.copy(),
            "ones": self._rows[-1].copy(),
            **({"largest": self._largest} if self._largest else {}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        self.location, self.sums = state["location"], state["sums"]
        self._largest = state.get("largest", 0.0)  # states of earlier releases lack it
        self._take(np.vstack([state["smoothed"].T, state["ones"]]))

    def verify(self, posterior: Posterior) -> None:
        """Raise :class:`InvalidState` unless the means follow from the sums and the plays."""
        counts, ones = posterior.counts.astype(float)[:, None], self._ones(posterior)
        check_sums(self.sums, counts)
        fresh = posterior.smooth(np.column_stack([self.sums, ones])).T
        # payoffs may have cancelled in the sums, their rounding errors in the means have not
        unit = max(self._largest, largest_mean(self.sums, ones[:, None]))
        agree("the means", self._rows[:-1], fresh[:-1], unit)
        agree("the smoothed ones", self._rows[-1], fresh[-1], 1.0)
