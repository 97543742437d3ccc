"""The base class of the reference implementations: a history, and a dense solve of all of it.

Notation (A arms, t payoffs so far, n = t + 1 the coming round):

    K        (A, A)  kernel matrix over the arms
    plays    (t,)    arms played, one entry per round, replicates not collapsed
    payoffs  (t,)    payoffs as observed
    K_t      (t, t)  kernel matrix of the plays; k_t(x) is (t,), for all arms at once (t, A)
    mean     (A,)    posterior mean at the coming choice
    std      (A,)    posterior standard deviation, without the 1/lam of some papers
    width            multiplies std
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Schedule = Literal["theory", "paper", "practical", "srinivas-thm1", "srinivas-thm3"]


@dataclass(frozen=True)
class Constants:
    """What the user assumes about the function, the noise and the adversary."""

    norm_bound: float = 1.0  # B (F in BKB)
    moment_order: float = 1.0  # alpha, epsilon
    raw_moment: float = 1.0  # v, nu-bar
    central_moment: float = 1.0  # nu
    noise_std: float = 1.0  # R, sigma, xi
    budget: float = 0.0  # C
    delta: float = 0.1  # delta


class Common(TypedDict):
    """The keyword arguments that every algorithm takes."""

    lam: float
    horizon: int
    schedule: NotRequired[Schedule]
    constants: NotRequired[Constants]


class Reference(ABC):
    """An algorithm that remembers every play and recomputes everything when asked."""

    schedules: ClassVar[tuple[Schedule, ...]] = ("theory", "paper")

    def __init__(
        self,
        K: Array,
        *,
        lam: float,
        horizon: int,
        schedule: Schedule = "theory",
        constants: Constants | None = None,
    ) -> None:
        if schedule not in self.schedules:
            raise ValueError(f"expected a schedule among {self.schedules}, got {schedule!r}")
        self.K: Array = np.array(K, dtype=np.float64)
        self.lam = float(lam)
        self.horizon = int(horizon)
        self.schedule: Schedule = schedule
        self.constants = Constants() if constants is None else constants
        self.plays: list[int] = []
        self.payoffs: list[float] = []

    @property
    @abstractmethod
    def mean(self) -> Array:
        """Posterior mean of every arm, (A,)."""

    @property
    @abstractmethod
    def std(self) -> Array:
        """Posterior standard deviation of every arm, (A,)."""

    @property
    @abstractmethod
    def width(self) -> float:
        """What multiplies `std` at the coming choice."""

    @property
    def index(self) -> Array:
        """The upper confidence bound of every arm, (A,)."""
        return self.mean + self.width * self.std

    def tell(self, arm: int, payoff: float) -> None:
        """Append one play to the history."""
        self.plays.append(int(arm))
        self.payoffs.append(float(payoff))

    @property
    def t(self) -> int:
        """Number of payoffs so far."""
        return len(self.plays)

    @property
    def n(self) -> int:
        """Number of the coming round."""
        return self.t + 1

    def _gram(self, plays: Sequence[int]) -> Array:
        """K_t + lam I, (t, t)."""
        at = np.array(plays, dtype=np.intp)
        return np.asarray(self.K[np.ix_(at, at)] + self.lam * np.eye(len(at)), dtype=np.float64)

    def _posterior_mean(self, plays: Sequence[int], Y: Array) -> Array:
        """k_t(x)^T (K_t + lam I)^-1 Y for every arm: (A,), or (A, l) for Y of shape (t, l)."""
        k = self.K[np.array(plays, dtype=np.intp), :]
        return np.asarray(k.T @ np.linalg.solve(self._gram(plays), Y), dtype=np.float64)

    def _posterior_std(self, plays: Sequence[int]) -> Array:
        """The root of k(x,x) - k_t(x)^T (K_t + lam I)^-1 k_t(x) for every arm, (A,)."""
        k = self.K[np.array(plays, dtype=np.intp), :]
        explained = np.sum(k * np.linalg.solve(self._gram(plays), k), axis=0)
        variance = np.maximum(np.diag(self.K) - explained, 0.0)
        return np.asarray(np.sqrt(variance), dtype=np.float64)

    def _logdet(self, plays: Sequence[int]) -> float:
        """The logarithm of det(I + K_t / lam)."""
        return float(np.linalg.slogdet(self._gram(plays) / self.lam)[1])
