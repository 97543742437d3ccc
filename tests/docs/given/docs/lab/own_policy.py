"""Your own policy: play the best running mean, or, with probability eps, a random arm.

Any class with this constructor, ``ask`` and ``tell`` can be part of an experiment.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import stoic


class EpsilonGreedy:
    def __init__(self, domain: stoic.Arms, kernel: Any, *, eps: float, seed: int, **_: Any) -> None:
        self.eps, self.rng = eps, np.random.default_rng(seed)
        self.sums, self.plays = np.zeros(len(domain)), np.full(len(domain), 1e-9)
        self.next = 0

    def ask(self) -> int:
        return self.next

    def tell(self, arm: int, payoff: float) -> None:
        self.sums[arm] += payoff
        self.plays[arm] += 1.0
        explore = self.rng.random() < self.eps
        arms = len(self.sums)
        self.next = int(self.rng.integers(arms) if explore else np.argmax(self.sums / self.plays))
