"""Payoffs of an epoch: one value for several payoffs of the same arm."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.estimators.spread import RunningSpread
from stoic.estimators.truncation import check_sums
from stoic.schema import Schema, Sums, Wholes

__all__ = ["REPLICATES", "ClippedEpochPayoffs", "EpochPayoffs", "replicate_estimate"]

REPLICATES = ("mean", "median", "trimmed", "mom")


def replicate_estimate(payoffs: Array, how: str) -> float:
    """The mean, median, 10%-trimmed mean or median of means of an arm's replicates.

    ``"mean"`` is bogunovic2022's eq. (7). The others are ours: they bound what a minority of
    corrupted replays can do, at the price of a bias under skewed noise.

    >>> replicate_estimate(np.array([1.0, 2.0, 3.0, 1e9]), "median")
    2.5
    """
    if how == "median":
        return float(np.median(payoffs))
    if how == "trimmed":
        cut = len(payoffs) // 10 if len(payoffs) >= 10 else (len(payoffs) - 1) // 2
        return float(np.sort(payoffs)[cut : len(payoffs) - cut].mean())
    if how == "mom":
        blocks = np.array_split(payoffs, max(1, math.isqrt(len(payoffs))))
        return float(np.median([block.mean() for block in blocks]))
    return float(payoffs.mean())


class EpochPayoffs:
    """The payoffs of one epoch, arm by arm, and what they show of the noise.

    With ``how="mean"`` only sums are kept; every other estimate keeps the epoch's payoffs.
    The noise level is learned from differences of successive replays of the same arm, over
    all epochs, and hence does not depend on what the arms are worth.
    """

    LIMIT = 3.0  # times the noise level, beyond what is known of the arm
    ENOUGH = 16  # replays from which the noise level is known

    schema: ClassVar[Schema] = {
        "differences": RunningSpread.schema,
        "counts": Wholes("A"),
        "sums": Sums("A"),
        "latest": Sums("A"),
        "log_arm": Wholes("log", below="A"),
        "log": Sums("log"),
    }

    def __init__(self, arms: int, how: str) -> None:
        self.how = how
        self._differences = RunningSpread()
        self._arms = arms
        self.clear()

    def clear(self) -> None:
        """Forget the epoch, but not what it has shown of the noise."""
        self.counts: IntArray = np.zeros(self._arms, dtype=np.int64)
        self._sums: Array = np.zeros(self._arms)
        self._latest: Array = np.zeros(self._arms)
        self._log_arm: list[int] = []
        self._log: list[float] = []

    def add(self, arm: int, payoff: float) -> None:
        """Take in one payoff."""
        if self.counts[arm]:
            self._differences.add((payoff - float(self._latest[arm])) / math.sqrt(2.0))
        self._latest[arm] = payoff
        self.counts[arm] += 1
        self._sums[arm] += payoff
        if self.how != "mean":
            self._log_arm.append(arm)
            self._log.append(payoff)

    def values(self) -> Array:
        """The estimate of each played arm, in ascending order of arms."""
        played = np.flatnonzero(self.counts)
        if self.how == "mean":
            return self._sums[played] / self.counts[played]
        arms, log = np.array(self._log_arm), np.array(self._log)
        return np.array([replicate_estimate(log[arms == x], self.how) for x in played])

    def sums(self, location: float) -> Array:
        """Count × (estimate − location) for each arm, ready for the smoother."""
        played = np.flatnonzero(self.counts)
        sums = np.zeros(self._arms)
        sums[played] = self.counts[played] * (self.values() - location)
        return sums

    def location(self) -> float:
        """What the estimates shrink towards: zero, in the units of the assumptions."""
        return 0.0

    def limit(self, arm: int, payoff: float, centre: float, error: float) -> float:
        """A payoff of an arm, as it is."""
        del arm, centre, error
        return payoff

    def noise(self) -> float:
        """The learned noise level; at least the range of the estimates while replays are few."""
        if self._differences.count >= self.ENOUGH:
            return self._differences.scale
        return max(self._differences.scale, float(np.ptp(self.values())))

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {
            "differences": self._differences.state(),
            "counts": self.counts.copy(),
            "sums": self._sums.copy(),
            "latest": self._latest.copy(),
            "log_arm": np.array(self._log_arm, dtype=np.int64),
            "log": np.array(self._log, dtype=float),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        self._differences.restore(state["differences"])
        self.counts, self._sums, self._latest = state["counts"], state["sums"], state["latest"]
        self._log_arm, self._log = state["log_arm"].tolist(), state["log"].tolist()
        logged = np.bincount(state["log_arm"], minlength=self._arms)
        if not np.array_equal(logged, np.zeros_like(logged) if self.how == "mean" else self.counts):
            raise InvalidState("expected the log of an epoch to have its payoffs in a state")
        check_sums(self._sums, self.counts.astype(float))


class ClippedEpochPayoffs(EpochPayoffs):
    """The same for schedules that learn the noise: any offset, and payoffs that are clipped."""

    def location(self) -> float:
        """The median estimate over the played arms."""
        return float(np.median(self.values()))

    def limit(self, arm: int, payoff: float, centre: float, error: float) -> float:
        """A payoff, clipped about a former estimate that is known to ± ``error``."""
        if self._differences.count < self.ENOUGH or self._differences.scale == 0.0:
            return payoff  # nothing is known about the noise
        plays = float(self.counts[arm] + 1)
        limit = error + self.LIMIT * self._differences.scale * plays**0.1
        return float(min(max(payoff, centre - limit), centre + limit))
