"""Fast-Slow GP-UCB: instances of GP-UCB of which the slower ones rule out arms for the faster.

Bogunovic, Krause, Scarlett, "Corruption-tolerant Gaussian process bandit optimization", AISTATS
2020, as its abstract and later papers describe it: the pseudocode was not at hand.

Departures from print: the realised information gain of an instance's own plays stands for the
maximal one. Where slower instances leave no arm together, the fastest of them plays instead.
"""

from collections.abc import Callable
from typing import Unpack

import numpy as np

from .base import Array, Common, Mask, Reference


class FastSlowGPUCB(Reference):
    """Fast-Slow GP-UCB.

    Own parameters: `variate` maps a round (from zero) to a number of [0, 1), `budget` is C or None
    where it is unknown, `largest` bounds one corruption, `c` and `b` are of the paper schedule.
    """

    def __init__(
        self,
        K: Array,
        *,
        variate: Callable[[int], float],
        budget: float | None = None,
        largest: float = 1.0,
        c: float = 0.5,
        b: float = 0.1,
        **common: Unpack[Common],
    ) -> None:
        super().__init__(K, **common)
        self.variate, self.budget, self.largest, self.c, self.b = variate, budget, largest, c, b
        if budget is None:
            count = int(np.ceil(np.log2(self.horizon)))
            self.p = [2.0 ** -(i + 1) for i in range(count)]
            self.p[0] += 2.0**-count  # the rest
        elif budget > 1:
            self.p = [1 - 1 / budget, 1 / budget]
        else:
            self.p = [1.0]
        self.own_plays: list[list[int]] = [[] for _ in self.p]
        self.own_payoffs: list[list[float]] = [[] for _ in self.p]
        # the bounds after each of an instance's plays, and before the first
        self.ucbs = [[self._bound(i, +1)] for i in range(len(self.p))]
        self.lcbs = [[self._bound(i, -1)] for i in range(len(self.p))]

    @property
    def instance(self) -> int:
        """The instance of the coming round: the slowest has the lowest variates."""
        edges = np.cumsum(self.p[::-1])
        slowness = int(np.searchsorted(edges[:-1], self.variate(self.t), side="right"))
        return len(self.p) - 1 - slowness

    def _mean(self, i: int) -> Array:
        return self._posterior_mean(self.own_plays[i], np.array(self.own_payoffs[i], float))

    def _width(self, i: int) -> float:
        a, lam = self.constants, self.lam
        delta = (
            a.delta / 5 if self.budget is not None else a.delta / (4 * (1 + np.log2(self.horizon)))
        )
        met = 3 + self.largest * np.log(
            1 / delta
        )  # what a slow instance may meet of the corruption
        if self.budget is not None:
            met = min(met, self.budget)
        if self.budget is not None and len(self.p) == 2 and i == 0:
            met = 0.0  # the fast one of two takes its payoffs as they are
        if self.schedule == "paper":
            root = np.sqrt(np.log(len(self.own_plays[i]) + 1))
            return float(self.c * root + self.b * met / np.sqrt(lam))
        logdet = self._logdet(self.own_plays[i])
        noise = a.noise_std / min(1.0, np.sqrt(lam))
        beta = a.norm_bound + noise * np.sqrt(logdet + 2 * (1 + np.log(1 / delta)))
        return float(beta + met / np.sqrt(lam))

    def _bound(self, i: int, sign: int) -> Array:
        std = self._posterior_std(self.own_plays[i])
        return np.asarray(self._mean(i) + sign * self._width(i) * std)

    def _upper(self, i: int) -> Array:
        """The lowest upper bound so far; with the paper schedule, the present one."""
        since = 0 if self.schedule == "theory" else -1
        return np.asarray(np.min(self.ucbs[i][since:], axis=0))

    def _lower(self, i: int) -> Array:
        since = 0 if self.schedule == "theory" else -1
        return np.asarray(np.max(self.lcbs[i][since:], axis=0))

    def _potential_maximisers(self, i: int) -> Mask:
        return np.asarray(self._upper(i) >= np.max(self._lower(i)))

    @property
    def index(self) -> Array:
        for first in range(self.instance, len(self.p)):
            allowed = np.ones(len(self.K), dtype=bool)
            for slower in range(first + 1, len(self.p)):
                allowed = allowed & self._potential_maximisers(slower)
            if allowed.any():
                break
        optimistic = np.min([self._upper(i) for i in range(first, len(self.p))], axis=0)
        return np.asarray(np.where(allowed, optimistic, -np.inf))

    @property
    def _main(self) -> int:
        """The instance of the most plays, the slowest of equals."""
        plays = [len(own) for own in self.own_plays]
        return max(i for i in range(len(plays)) if plays[i] == max(plays))

    @property
    def mean(self) -> Array:
        return self._mean(self._main)

    @property
    def std(self) -> Array:
        return self._posterior_std(self.own_plays[self._main])

    @property
    def width(self) -> float:
        return self._width(self._main)

    def tell(self, arm: int, payoff: float) -> None:
        """Only the instance that played learns the payoff."""
        i = self.instance
        super().tell(arm, payoff)
        self.own_plays[i].append(int(arm))
        self.own_payoffs[i].append(float(payoff))
        self.ucbs[i].append(self._bound(i, +1))
        self.lcbs[i].append(self._bound(i, -1))
