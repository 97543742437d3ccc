"""RCGP-UCB: UCB on the robust conjugate Gaussian process.

Altamirano, Briol, Knoblauch, "Robust and conjugate Gaussian process regression", ICML 2024,
Proposition 3.1: mu = m + k^T (K + s^2 J_w)^-1 (y - m_w), variance k - k^T (K + s^2 J_w)^-1 k,
J_w = diag(s^2 / (2 w^2)), m_w = m + s^2 d/dy ln w^2. Plateau of the weight: Ezzerg, Bogunovic,
Knoblauch, "Robust Bayesian optimisation with unbounded corruptions", 2025.

Here lam is s^2 in units of the kernel's variance; in units of payoffs the noise's std is `sd`. The
practical schedule, which is ours, decides the weight of a payoff once, when it arrives (of the
first ten: at the tenth). The robust location and scale of a stream are computed again when it has
grown by a twentieth, as the policy does; the policy's thinning of streams beyond 1024 is left out.
"""

import math
from typing import Unpack

import numpy as np

from .base import Array, Common, Reference

WARM_UP = 10


def location_and_scale(values: list[float]) -> tuple[float, float]:
    """Median and median absolute deviation; of the values that differ from it where it is zero."""
    centre = float(np.median(values))
    off = np.abs(np.array(values) - centre)
    if np.median(off) == 0.0 and (off > 0.0).any():
        off = off[off > 0.0]
    return centre, float(np.median(off)) / 0.6744897501960817


class Stream:
    """All values so far; location and scale as they were when last computed."""

    def __init__(self, scale: float = 0.0, enough: int = 0) -> None:
        self.values: list[float] = []
        self.location, self.scale, self.due, self.enough = 0.0, scale, 1, enough

    def add(self, value: float) -> None:
        """Take in a value; the scale is that of the start until there are enough of them."""
        self.values.append(value)
        n = len(self.values)
        if n >= self.due:
            self.location, scale = location_and_scale(self.values)
            self.scale = scale if n >= self.enough else self.scale
            self.due = max(n + 1, int(1.05 * n))


class RCGPUCB(Reference):
    """RCGP-UCB. No parameter of its own."""

    schedules = ("paper", "practical")

    def __init__(self, K: Array, **common: Unpack[Common]) -> None:
        super().__init__(K, **common)
        self.origin = 0.0
        self.targets: list[float] = []  # y - m_w + m, relative to the origin
        self.noise: list[float] = []  # the diagonal of J_w
        self.seen, self.left = Stream(), Stream()
        self.level, self.behind = 0.0, 1  # root mean square of so many clipped residuals
        self.streaks: dict[int, int] = {}

    @property
    def kappa2(self) -> float:
        """The largest prior variance."""
        return float(np.diag(self.K).max())

    @property
    def m(self) -> float:
        """The prior mean, relative to the origin."""
        return self.seen.location if self.schedule == "practical" else 0.0

    def weigh(self, y: float, centre: float, plateau: float, c: float, sd: float) -> None:
        """Append the target and the J_w of a payoff by the plateau-IMQ weight."""
        off = y - centre
        u = math.copysign(max(abs(off) - plateau, 0.0), off)
        # w = sd/sqrt(2) (1 + u^2/c^2)^(-1/2): J_w = sd^2/(2 w^2), d/dy ln w^2 = -2u/(c^2 + u^2)
        ratio = u / c if u else 0.0
        self.noise.append(1.0 + ratio**2)
        slope = -2.0 * ratio / (c * (1.0 + ratio**2)) if u else 0.0
        self.targets.append(y - sd * (sd * slope))

    def tell(self, arm: int, payoff: float) -> None:
        if self.schedule == "paper":
            super().tell(arm, payoff)
            self.weigh(payoff, 0.0, 0.0, 1.0, math.sqrt(self.lam))  # c = 1, m = 0
        elif self.t < WARM_UP:
            super().tell(arm, payoff)
            self._warm_up()
        else:
            self._learn(arm, payoff - self.origin)
            super().tell(arm, payoff)

    def _warm_up(self) -> None:
        self.origin = sorted(self.payoffs)[(self.t - 1) // 2]
        self.seen, self.targets, self.noise = Stream(), [], []
        for payoff in self.payoffs:
            self.seen.add(payoff - self.origin)
        scale = self.seen.scale
        self.level, self.left = scale, Stream(scale, enough=20)
        for payoff in self.payoffs:
            self.weigh(payoff - self.origin, self.m, 6.0 * scale, 3.0 * scale, scale)

    def _learn(self, arm: int, y: float) -> None:
        centre = float(self.mean[arm]) - self.origin
        share = float(self.std[arm]) ** 2 / self.kappa2
        function = max(self.seen.scale, self.amplitude)
        plays = self.plays.count(arm) + 1
        # L = 2 sqrt(residual^2 + share function^2) plays^0.1, doubled with each in a row beyond it
        spread = math.hypot(self.left.scale, math.sqrt(share) * function)
        streak = self.streaks.get(arm, 0)
        L = 2.0 * spread * plays**0.1 * 2.0 ** abs(streak)
        self.weigh(y, centre, L, L / 2.0, self.left.scale)
        off = y - centre
        side = 0 if abs(off) <= L else int(math.copysign(1, off))
        self.streaks[arm] = side + (streak if streak * side > 0 else 0)
        self.seen.add(y)
        self.left.add(off)
        if streak:  # L was doubled: what is off is the estimate, not the noise
            return
        self.behind += 1
        kept = min(max(off, -L), L)
        before = self.level * math.sqrt((self.behind - 1) / self.behind)
        self.level = math.hypot(before, kept / math.sqrt(self.behind))

    @property
    def _gram_w(self) -> Array:
        """K_t + lam J_w."""
        at = np.array(self.plays, dtype=np.intp)
        noise = self.lam * np.diag(np.array(self.noise, dtype=np.float64))
        return np.asarray(self.K[np.ix_(at, at)] + noise, dtype=np.float64)

    @property
    def mean(self) -> Array:
        k = self.K[np.array(self.plays, dtype=np.intp), :]
        off = np.array(self.targets, dtype=np.float64) - self.m
        return np.asarray(self.origin + self.m + k.T @ np.linalg.solve(self._gram_w, off))

    @property
    def std(self) -> Array:
        k = self.K[np.array(self.plays, dtype=np.intp), :]
        explained = np.sum(k * np.linalg.solve(self._gram_w, k), axis=0)
        return np.asarray(np.sqrt(np.maximum(np.diag(self.K) - explained, 0.0)))

    @property
    def amplitude(self) -> float:
        """A quarter of the range of the estimates."""
        return float(np.ptp(self.mean)) / 4.0

    @property
    def width(self) -> float:
        if self.schedule == "paper":
            return 10.0  # released code: kappa
        if self.t < WARM_UP:
            return 1e6 * (max(self.amplitude, self.level) or 1.0)
        floor = self.amplitude * float(self.std.max()) / self.kappa2
        return (2.0 * self.level / math.sqrt(self.lam) + 2.0 * floor) or 1.0
