"""What can be learned about the noise while playing: no constants, any scale, any offset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.estimators.spread import RunningSpread, room
from stoic.loops import absorb, clip_payoffs
from stoic.schema import LARGEST, Schema, Sums, Wholes

__all__ = ["About", "Calibration"]

About = tuple[float, float, float]  # estimate of an arm, its variance, plays behind it


class Calibration:
    """Location and scale of payoffs and of residuals, learned robustly on the way.

    Payoffs are taken relative to an origin, the median of the first ones, so that no digits are
    lost to a common offset or to an absurd first payoff. A payoff is clipped about the present
    estimate of its arm, to a limit that follows the spread of the residuals; the root mean
    square of the clipped residuals is the noise level that widths are made of.

    Until ``WARMUP`` payoffs have come, nothing is known about the scale, so the first ones are
    clipped about their median, again and again, until there are enough of them. An arm whose
    payoffs lie beyond the limit on the same side time after time is believed: its limit doubles
    each time.
    """

    WARMUP = 10
    WARMUP_LIMIT = 6.0  # times the spread of the payoffs
    LIMIT = 2.0  # times the spread of the residuals
    GROWTH = 0.1  # of the limit: plays^GROWTH, so that skewed noise is not cut for ever
    INSISTENCE = 2.0  # growth of an arm's limit with each payoff in a row beyond it

    schema: ClassVar[Schema] = {
        "origin": Sums(),
        "amplitude": Sums(low=0.0),
        "payoffs": RunningSpread.schema,
        "residuals": RunningSpread.schema,
        "rms": Sums(low=0.0),
        "clipped": Wholes(),
        "streak_arms": Wholes("streaks", below="A"),
        "streaks": Wholes("streaks", low=-LARGEST),
        "first_arms": Wholes("first", below="A"),
        "first": Sums("first"),
    }

    def __init__(self) -> None:
        self.origin = 0.0
        self.amplitude = 0.0  # a quarter of the range of the estimates, told by the policy
        self._values, marks = room(2)
        self._marks = np.vstack([marks, np.zeros(6)])  # third row: noise, and residuals behind it
        self._payoffs = RunningSpread(self._values[0], self._marks[0])
        self._residuals = RunningSpread(self._values[1], self._marks[1])
        self._streaks: dict[int, int] = {}  # arm → payoffs in a row beyond its limit, ± by side
        self._first_arms: IntArray = np.zeros(0, dtype=np.int64)
        self._first: Array = np.zeros(0)  # the first payoffs as they came
        self.warming = True  # whether too few payoffs have come to know the scale of anything

    @property
    def noise(self) -> float:
        """The root mean square of the clipped residuals."""
        return float(self._marks.item(2, 0))

    @property
    def location(self) -> float:
        """The median payoff, relative to the origin."""
        return self._payoffs.location

    def relative(self, payoff: float) -> float:
        """The payoff relative to the origin; as it is while warming up."""
        return payoff if self.warming else payoff - self.origin

    def ruler(self, prior_var: float) -> tuple[float, float, float, float]:
        """What payoffs are judged by: residual, function, factor and growth.

        A payoff may be factor·√(residual² + σ² function²)·plays^growth from the estimate of its
        arm, of variance σ². Through the last the spread of the function itself still counts, as a
        share of the prior's: that of the payoffs, or that of the estimates where it is larger,
        since payoffs gather about the best arm in the end.
        """
        function = max(self._payoffs.scale, self.amplitude) / math.sqrt(prior_var)
        return self._residuals.scale, function, self.LIMIT, self.GROWTH

    def warm(self, arm: int, payoff: float) -> None:
        """Take in one of the first payoffs, as it came."""
        self._first_arms = np.append(self._first_arms, arm)
        self._first = np.append(self._first, payoff)
        self.origin = _middle(self._first)
        self._payoffs.clear()
        for value in (self._first - self.origin).tolist():
            self._payoffs.add(value)
        self._residuals.scale = self._payoffs.scale
        self._marks[2, :2] = self._payoffs.scale, 1.0
        self.warming = len(self._first) < self.WARMUP

    def first(self, *, clipped: bool) -> tuple[IntArray, Array]:
        """Arms and payoffs of the warm-up, relative to the origin, clipped about their median."""
        values = self._first - self.origin
        most = self.WARMUP_LIMIT * self._payoffs.scale
        if clipped:
            values = self.location + np.clip(values - self.location, -most, most)
        return self._first_arms, values

    def clip(
        self, arm: int, ys: Sequence[float] | Array, centre: float, var: float, plays: float
    ) -> list[float]:
        """Take in payoffs of one arm and give them back, clipped about its present estimate.

        The estimate is ``centre``, its variance as a share of the prior's ``var``; behind it
        stand ``plays``.
        """
        payoffs = np.array(ys)
        streak = clip_payoffs(
            self._values,
            self._marks,
            payoffs,
            True,
            self._streaks.pop(arm, 0),
            centre,
            math.sqrt(var),
            self.amplitude,
            self.LIMIT * plays**self.GROWTH,
            self.INSISTENCE,
            2 * self.WARMUP,
        )
        if streak:
            self._streaks[arm] = streak
        clipped: list[float] = payoffs.tolist()
        return clipped

    def pull(
        self,
        arm: int,
        targets: Array,
        about: About,
        clipped: bool,
        rows: Array,
        sums: Array,
        gain: Array,
        deviation: Array,
    ) -> tuple[float, float]:
        """Clip the targets, all but the last, and pull an estimate towards them.

        The last four are those of :class:`SmoothedMean`; the new location and the range of the
        deviations come back. Without ``clipped``, the targets stay as they are.
        """
        centre, var, plays = about
        streak, location, reach = absorb(
            self._values,
            self._marks,
            clipped,
            self._streaks.pop(arm, 0),
            centre,
            math.sqrt(var),
            self.amplitude,
            self.LIMIT * plays**self.GROWTH,
            self.INSISTENCE,
            2 * self.WARMUP,
            rows,
            sums,
            gain,
            arm,
            targets,
            deviation,
        )
        if streak:
            self._streaks[arm] = streak
        return location, reach

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {
            "origin": self.origin,
            "amplitude": self.amplitude,
            "payoffs": self._payoffs.state(),
            "residuals": self._residuals.state(),
            "rms": self.noise,
            "clipped": int(self._marks[2, 1]),
            "streak_arms": np.array(list(self._streaks), dtype=np.int64),
            "streaks": np.array(list(self._streaks.values()), dtype=np.int64),
            "first_arms": self._first_arms.copy(),
            "first": self._first.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        self.origin, self.amplitude = state["origin"], state["amplitude"]
        self._payoffs.restore(state["payoffs"])
        self._residuals.restore(state["residuals"])
        self._marks[2, :2] = state["rms"], state["clipped"]
        arms, streaks = state["streak_arms"].tolist(), state["streaks"].tolist()
        self._streaks = dict(zip(arms, streaks, strict=True))
        self._first_arms, self._first = state["first_arms"], state["first"]
        self.warming = len(self._first) < self.WARMUP

    def verify(self, counts: IntArray, columns: int) -> None:
        """Raise :class:`InvalidState` unless this is what plays of these counts have left.

        ``columns`` are the payoffs of a play.
        """
        first, plays = len(self._first), int(counts.sum())
        warmed = first == plays * columns if self.warming else first < self.WARMUP + columns
        seen = np.bincount(self._first_arms[::columns], minlength=len(counts))
        if first % columns or not warmed or (seen > counts).any():
            raise InvalidState(f"expected the first payoffs of {plays} plays, got {first} of them")
        if first and self.origin != _middle(self._first):
            raise InvalidState("expected the median of the first payoffs as the origin in a state")
        if self._payoffs.count != plays * columns:
            raise InvalidState(f"expected a value for each of {plays} plays in a state")


def _middle(values: Array) -> float:
    """The median, the lower one of two: one of the values itself."""
    return float(np.sort(values)[(len(values) - 1) // 2])
