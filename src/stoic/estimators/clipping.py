"""Payoffs clipped about the present estimate, by what was learned of the noise.

No scale or offset has to be known. This is what the practical schedules use.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.estimators.belief import Belief
from stoic.estimators.limited import Limited, Ruler
from stoic.estimators.limiter import About, Limiter
from stoic.estimators.spread import RunningSpread, room
from stoic.estimators.truncation import contextual_threshold
from stoic.loops import clip_payoffs
from stoic.loops.streams import LOCATION
from stoic.posterior import Step
from stoic.schema import LARGEST, Schema, Sums, Wholes

__all__ = ["AdaptiveClipping", "Clipping", "ContextualClipping", "NoiseWatch"]


class Clipping(Limiter):
    """Location and scale of payoffs and of residuals, learned robustly on the way.

    Payoffs are taken relative to an origin, the median of the first ones, so that no digits are
    lost to a common offset or to an absurd first payoff. A payoff is clipped about the present
    estimate of its arm, to

        LIMIT · √(residual² + σ² function²) · plays^GROWTH,

    with the spread of the residuals, the arm's variance σ² as a share of the prior's, and the
    spread of the function: that of the payoffs, or the amplitude of the estimates where it is
    larger, since payoffs gather about the best arm in the end. ``plays`` stand behind the
    estimate. The root mean square of the clipped residuals is the noise level that widths are
    made of.

    Until ``WARMUP`` payoffs have come, nothing is known about the scale, so the first ones are
    clipped about their median, again and again, until there are enough of them. An arm whose
    payoffs are beyond the limit on the same side time after time is believed: its limit doubles
    each time.
    """

    learns = True
    WARMUP = 10  # payoffs
    WARMUP_LIMIT = 6.0  # times the spread of the payoffs
    LIMIT = 2.0  # times the spread of the residuals
    GROWTH = 0.1  # of the limit: plays^GROWTH, so that skewed noise is not cut for ever

    schema: ClassVar[Schema] = {
        "calibration": {
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
    }

    def __init__(self, schedule: Any, prior_var: float) -> None:
        super().__init__(schedule, prior_var)
        self._values, counters = room(2)
        # third row: the noise level, and the number of residuals behind it
        self._counters = np.vstack([counters, np.zeros(6)])
        self._payoffs = RunningSpread(self._values[0], self._counters[0])
        self._residuals = RunningSpread(self._values[1], self._counters[1])
        self._streaks: dict[int, int] = {}  # arm → payoffs in a row beyond its limit, ± by side
        self._first_arms: IntArray = np.zeros(0, dtype=np.int64)
        self._first: Array = np.zeros(0)  # the first payoffs as they came
        self.warming = True

    # -- what is learned ----------------------------------------------------------------------

    @property
    def noise(self) -> float:  # type: ignore[override]  # elsewhere it is a constant
        """The root mean square of the clipped residuals."""
        noise: float = self._counters.item(2, 0)
        return noise

    @property
    def location(self) -> float:  # type: ignore[override]
        """The median payoff, relative to the origin."""
        location: float = self._counters.item(0, LOCATION)
        return location

    # -- one round ----------------------------------------------------------------------------

    def relative(self, payoff: float) -> float:
        """The payoff relative to the origin; as it is while warming up."""
        return payoff if self.warming else payoff - self.origin

    def about(self, belief: Belief, arm: int) -> About:
        """Estimate of the arm, its variance as a share of the prior's, amplitude of all."""
        estimate, var = belief.at(arm)
        return estimate, var / self.prior_var, belief.amplitude

    def limit(self, arm: int, payoffs: Array, about: About, belief: Belief, step: Step) -> Limited:
        """The payoffs, clipped about the arm's estimate before the play."""
        if self.warming:
            return self.warm(arm, payoffs)
        y_hat = self.clip(arm, payoffs, about, self._support(arm, len(payoffs), belief, step))
        return Limited(y_hat, self.location)

    def clip(self, arm: int, payoffs: Array, about: About, plays: float) -> Array:
        """Learn from payoffs of one arm, and clip them about its estimate."""
        centre, share, amplitude = about
        factor = self.LIMIT * plays**self.GROWTH
        y_hat = payoffs.copy()
        streak = clip_payoffs(
            self._values,
            self._counters,
            y_hat,
            self._streaks.pop(arm, 0),
            centre,
            math.sqrt(share),
            amplitude,
            factor,
        )
        if streak:
            self._streaks[arm] = streak
        return y_hat

    def _support(self, arm: int, columns: int, belief: Belief, step: Step) -> float:
        """How many payoffs stand behind the arm's estimate: its limit grows with them."""
        del step
        return float(belief.posterior.counts.item(arm) * columns)

    # -- the warm-up --------------------------------------------------------------------------

    def warm(self, arm: int, payoffs: Array) -> Limited:
        """Take in some of the first payoffs; all of them so far are limited anew."""
        self._first_arms = np.append(self._first_arms, np.full(len(payoffs), arm))
        self._first = np.append(self._first, payoffs)
        self.origin = _middle(self._first)
        self._payoffs.clear()
        for value in (self._first - self.origin).tolist():
            self._payoffs.add(value)
        self._residuals.scale = self._payoffs.scale
        self._counters[2, :2] = self._payoffs.scale, 1.0
        self.warming = len(self._first) < self.WARMUP
        columns = len(payoffs)
        first = self._limited(self._first - self.origin).reshape(-1, columns)
        return Limited(payoffs, self.location, (self._first_arms[::columns], first))

    def _limited(self, first: Array) -> Array:
        """The first payoffs, clipped about their median."""
        most = self.WARMUP_LIMIT * self._payoffs.scale
        limited: Array = self.location + np.clip(first - self.location, -most, most)
        return limited

    def first(self, since: int) -> tuple[IntArray, Array] | None:
        """Arms and payoffs of the warm-up, if it was under way at play ``since``."""
        if since >= self.WARMUP:
            return None
        return self._first_arms, self._limited(self._first - self.origin)

    # -- state --------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        calibration = {
            "origin": self.origin,
            "amplitude": 0.0,  # a field of the first releases; the belief knows it
            "payoffs": self._payoffs.state(),
            "residuals": self._residuals.state(),
            "rms": self.noise,
            "clipped": int(self._counters[2, 1]),
            "streak_arms": np.array(list(self._streaks), dtype=np.int64),
            "streaks": np.array(list(self._streaks.values()), dtype=np.int64),
            "first_arms": self._first_arms.copy(),
            "first": self._first.copy(),
        }
        return {"calibration": calibration}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        state = state["calibration"]
        self.origin = state["origin"]
        self._payoffs.restore(state["payoffs"])
        self._residuals.restore(state["residuals"])
        self._counters[2, :2] = state["rms"], state["clipped"]
        arms, streaks = state["streak_arms"].tolist(), state["streaks"].tolist()
        self._streaks = dict(zip(arms, streaks, strict=True))
        self._first_arms, self._first = state["first_arms"], state["first"]
        self.warming = len(self._first) < self.WARMUP

    def verify(self, belief: Belief) -> None:
        """Raise :class:`InvalidState` unless this is what the plays of a belief have left."""
        counts, columns = belief.posterior.counts, belief.estimator.columns
        first, plays = len(self._first), int(counts.sum())
        warmed = first == plays * columns if self.warming else first < self.WARMUP + columns
        seen = np.bincount(self._first_arms[::columns], minlength=len(counts))
        if first % columns or not warmed or (seen > counts).any():
            raise InvalidState(f"expected the first payoffs of {plays} plays, got {first} of them")
        if first and self.origin != _middle(self._first):
            raise InvalidState("expected the median of the first payoffs as the origin in a state")
        if self._payoffs.count != plays * columns:
            raise InvalidState(f"expected a value for each of {plays} plays in a state")


class NoiseWatch(Clipping):
    """The same origin, location and noise level, learned from payoffs that enter as they are."""

    def limit(self, arm: int, payoffs: Array, about: About, belief: Belief, step: Step) -> Limited:
        """The payoffs as they are, relative to the origin."""
        del belief, step
        if self.warming:
            return self.warm(arm, payoffs)
        self.clip(arm, payoffs, about, 1.0)
        return Limited(payoffs, self.location)

    def _limited(self, first: Array) -> Array:
        return first


class ContextualClipping(Clipping):
    """Clipping to a limit that grows with (h/b_t)², the plays that stand behind the prediction."""

    def _support(self, arm: int, columns: int, belief: Belief, step: Step) -> float:
        del columns
        row, counts = belief.weighted(arm)
        return contextual_threshold(step.gain, row, counts, 1.0) ** 2


class AdaptiveClipping(Clipping):
    """Limits about present estimates, for an estimator that clips its payoffs in each round."""

    def limit(self, arm: int, payoffs: Array, about: About, belief: Belief, step: Step) -> Limited:
        """The payoffs as they are, with what all of them are clipped by."""
        centre = belief.location + belief.deviation  # the estimates before this payoff
        limited = super().limit(arm, payoffs, about, belief, step)
        if limited.anew is not None:
            return limited
        _, _, amplitude = about
        return Limited(payoffs, limited.location, ruler=self.ruler(centre, amplitude))

    def ruler(self, centre: Array, amplitude: float) -> Ruler:
        """What payoffs of all arms are clipped by, about a centre for each."""
        function = max(self._payoffs.scale, amplitude) / math.sqrt(self.prior_var)
        return Ruler(centre, self._residuals.scale, function, self.LIMIT, self.GROWTH)


def _middle(values: Array) -> float:
    """The median, the lower one of two: one of the values itself."""
    return float(np.sort(values)[(len(values) - 1) // 2])
