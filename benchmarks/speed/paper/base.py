"""What the baselines share: a whole history, and the schedule of the policy beside them.

Each round works on all t plays, as in the papers' pseudocode, in NumPy and SciPy with matrix
operations throughout. Widths, truncation levels and (with the practical schedule) the learned
noise are the very objects that our policies use, so that both must choose alike.

Notation: t rounds played, A arms, ℓ payoffs a round (one but for MoM-GP-UCB).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.estimators import AdaptiveClipping, Clipping, NoiseWatch
from stoic.schedules import Progress

__all__ = ["PaperPolicy"]


class PaperPolicy(ABC):
    """Bounds of all arms from the whole history.

    Parameters
    ----------
    twin
        Our policy, unplayed, whose problem, schedule and constants this one takes.
    table
        The kernel matrix of all arms, to look values up in; without it each round evaluates the
        kernel of what it needs, as in the pseudocode.
    """

    clips_first = False  # whether the practical schedule clips the first few payoffs

    def __init__(self, twin: Any, table: Array | None = None) -> None:
        self.table = table
        self.X: Array = twin.domain.X
        self.kernel, self.lam, self.setting = twin.kernel, twin.lam, twin.setting
        self.schedule, self.seed = twin.schedule, twin.seed
        self.learned: Clipping | None = None
        if getattr(self.schedule, "learns", False):
            kind = AdaptiveClipping if self.clips_first else NoiseWatch
            self.learned = kind(self.schedule, self.setting.prior_var)
        self.arms: IntArray = np.zeros(0, dtype=np.int64)  # (t,) arms played
        self.y: Array = np.zeros((0, getattr(twin, "repeats", 1)))  # (t, ℓ) ŷ, as smoothed
        self.prior: Array = self.kernel.diag(self.X)
        self.mean: Array = np.zeros(len(self.X))  # relative to the location
        self.var: Array = self.prior.copy()
        self.logdet = 0.0

    @property
    def t(self) -> int:
        """Rounds so far."""
        return len(self.arms)

    @property
    def location(self) -> float:
        """What means shrink towards."""
        return self.learned.location if self.learned else 0.0

    @property
    def features(self) -> int:
        """m, for schedules that ask for it."""
        return 0

    def k(self, rows: IntArray, columns: IntArray | None = None) -> Array:
        """Kernel values of arms, with all arms unless columns are given."""
        if self.table is not None:
            values: Array = self.table[rows]
            return values if columns is None else values[:, columns]
        found: Array = self.kernel(self.X[rows], self.X if columns is None else self.X[columns])
        return found

    def counts(self) -> IntArray:
        """Plays of each arm."""
        return np.bincount(self.arms, minlength=len(self.X))

    # -- a round ------------------------------------------------------------------------------

    @abstractmethod
    def tell(self, arm: int, payoffs: Array) -> None:
        """Take in the payoffs of a round and bring mean and variance of all arms up to date."""

    def bounds(self) -> Array:
        """What the next arm maximises."""
        bounds: Array = self.mean + self.width() * np.sqrt(self.var)
        return bounds

    def width(self) -> float:
        """The schedule's."""
        return float(self.schedule.width(self._progress()))

    def _progress(self) -> Progress:
        learned = self.learned
        if learned is None:
            spread = float(self.var[self.arms].sum()) / self.lam
            return Progress(self.t, self.logdet, self.features, spread)
        return Progress(
            self.t,
            self.logdet,
            noise=learned.noise,
            amplitude=self._amplitude(),
            widest=float(np.sqrt(self.var.max())),
            warming=learned.warming,
        )

    def _amplitude(self) -> float:
        return float(np.ptp(self.mean)) / 4.0

    # -- what the practical schedule learns ---------------------------------------------------

    def _relative(self, payoffs: Array) -> Array:
        if self.learned is None:
            return payoffs
        return np.array([self.learned.relative(y) for y in payoffs.tolist()])

    def _judge(self, arm: int, payoffs: Array, centre: float, share: float, plays: float) -> Array:
        """The payoffs, clipped about the arm's estimate; while warming up, as they are."""
        learned = self.learned
        assert learned is not None
        if learned.warming:
            learned.warm(arm, payoffs)
            return payoffs
        return learned.clip(arm, payoffs, (centre, share, self._amplitude()), plays)

    def _append(self, arm: int, y_hat: Array, *, warming: bool) -> None:
        """Add a round to the history; the first few are set anew as their scale gets known."""
        if len(self.arms) == len(self.y):
            self.arms = np.append(self.arms, arm)
        self.y = np.vstack([self.y, y_hat])
        if warming:
            assert self.learned is not None
            first = self.learned.first(since=0)
            assert first is not None
            self.y = first[1].reshape(self.y.shape)

    # -- timing -------------------------------------------------------------------------------

    def load(self, arms: IntArray, payoffs: Array) -> None:
        """Take over a history, untimed: the next round is to be timed."""
        self.arms, self.y = arms.copy(), payoffs.copy()
        if self.learned is not None:
            for arm, y in zip(
                np.repeat(arms, payoffs.shape[1]).tolist(), payoffs.flat, strict=True
            ):
                self._judge(arm, np.array([y]), 0.0, 1.0, 1.0)
        if len(arms):
            self._solve()

    @abstractmethod
    def _solve(self) -> None:
        """Mean and variance of all arms, from the history."""
