"""What can be learned about the noise while playing: no constants, any scale, any offset."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.diagnostics import RunningSpread

__all__ = ["Calibration"]


class Calibration:
    """Location and scale of payoffs and of residuals, learned robustly on the way.

    Payoffs are taken relative to the first one, which loses no digits to a common offset.
    A payoff is clipped about the present estimate of its arm, to a limit that follows the
    spread of the residuals; the root mean square of the clipped residuals is the noise level
    that widths are made of. Until ``WARMUP`` payoffs have come, nothing is known about the
    scale, so the first ones are clipped about their median, again and again, until there are
    enough of them.
    """

    WARMUP = 10
    WARMUP_LIMIT = 6.0  # times the spread of the payoffs
    LIMIT = 2.0  # times the spread of the residuals
    GROWTH = 0.1  # of the limit: plays^GROWTH, so that skewed noise is not cut for ever

    def __init__(self) -> None:
        self.origin: float | None = None
        self._payoffs = RunningSpread()
        self._residuals = RunningSpread()
        self._rms = 0.0  # of the clipped residuals
        self._clipped = 0
        self._first_arms: IntArray = np.zeros(0, dtype=np.int64)
        self._first: Array = np.zeros(0)

    @property
    def warming(self) -> bool:
        """Whether too few payoffs have come to know the scale of anything."""
        return self._payoffs.count < self.WARMUP

    @property
    def location(self) -> float:
        """The median payoff, relative to the origin."""
        return self._payoffs.location

    @property
    def noise(self) -> float:
        """The root mean square of the clipped residuals."""
        return self._rms

    def relative(self, payoff: float) -> float:
        """The payoff relative to the first one."""
        if self.origin is None:
            self.origin = payoff
        return payoff - self.origin

    def limit(self, var: float | Array, plays: float | Array) -> Any:
        """How far from its estimate a payoff may be.

        ``var`` is the posterior variance of the arm (as a share of the prior's), through which
        the spread of the function itself still counts; ``plays`` how often it was played.
        """
        spread = np.hypot(self._residuals.scale, np.sqrt(var) * self._payoffs.scale)
        return self.LIMIT * spread * np.power(plays, self.GROWTH)

    def warm(self, arm: int, y: float) -> tuple[IntArray, Array]:
        """Take in one of the first payoffs; give back all of them, clipped about their median."""
        self._payoffs.add(y)
        self._first_arms = np.append(self._first_arms, arm)
        self._first = np.append(self._first, y)
        spread = RunningSpread()
        for value in self._first:
            spread.add(float(value))
        most = self.WARMUP_LIMIT * spread.scale
        deviations = np.clip(self._first - spread.location, -most, most)
        self._residuals.scale = spread.scale
        self._rms, self._clipped = spread.scale, 1
        return self._first_arms, spread.location + deviations

    def clip(self, y: float, centre: float, var: float, plays: float) -> float:
        """Take in a payoff and give it back, clipped about ``centre``."""
        limit = float(self.limit(var, plays))
        residual = y - centre
        clipped = min(max(residual, -limit), limit)
        self._payoffs.add(y)
        scale = self._residuals.scale
        self._residuals.add(residual)
        if self._residuals.count < 2 * self.WARMUP:
            self._residuals.scale = scale  # too few residuals of their own yet
        self._clipped += 1
        n = self._clipped
        # √((n−1)/n rms² + c²/n) without a square that could overflow
        self._rms = math.hypot(self._rms * math.sqrt((n - 1) / n), clipped / math.sqrt(n))
        return centre + clipped

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        state: dict[str, Any] = {
            "payoffs": self._payoffs.state(),
            "residuals": self._residuals.state(),
            "rms": self._rms,
            "clipped": self._clipped,
            "first_arms": self._first_arms.copy(),
            "first": self._first.copy(),
        }
        if self.origin is not None:
            state["origin"] = self.origin
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self.origin = float(state["origin"]) if "origin" in state else None
        self._payoffs.restore(state["payoffs"])
        self._residuals.restore(state["residuals"])
        self._rms, self._clipped = float(state["rms"]), int(state["clipped"])
        self._first_arms = np.array(state["first_arms"], dtype=np.int64)
        self._first = np.array(state["first"], dtype=float)
