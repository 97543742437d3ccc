"""Long runs on finitely many configurations, handed over to a policy.

Once a few hundred measurements have taught the surrogate its length-scales and its noise, a
bandit policy with that kernel goes on: its cost per round does not grow, and its regret
vanishes. TGP-UCB with the practical schedule clips what is absurd about an arm's own estimate,
so a measurement can move it by a bounded amount only, however large a lie is and whoever tells
it; no corruption budget has to be known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.forks import importing
from stoic.optimize.failures import Failures
from stoic.optimize.history import History
from stoic.optimize.model import Modeller
from stoic.spaces import Arms

__all__ = ["LongRun"]

AFTER = 300  # measurements, before a policy takes over
# Configurations at most. A restart replays all measurements: 10⁴ of 512 take a second. On 2,048 the
# surrogate alone found as good an answer, with less regret on the way (3 seeds, 1,000 each).
_MAX_ARMS = 512


class LongRun:
    """A policy on all configurations of a finite space, kept up with a history."""

    def __init__(self, history: History, modeller: Modeller, seed: int) -> None:
        self._history, self._modeller, self._seed = history, modeller, seed
        self._policy: Any = None
        self._told = 0

    @classmethod
    def suits(cls, history: History) -> bool:
        """Whether the configurations are few enough, and the measurements many enough."""
        if history.successes < AFTER:
            return False
        try:
            count = history.space.cardinality
        except InvalidInput:  # conditions too entangled to count
            return False
        return count is not None and count <= _MAX_ARMS

    def policy(self) -> Any:
        """The policy, told all that the history holds."""
        if self._policy is None:
            self._points = self._history.space.enumerate(_MAX_ARMS)
            self._rows = {point.tobytes(): i for i, point in enumerate(self._points)}
            self._policy = self._start()
        points, values = self._history.points(), self._history.values()
        for point, value in zip(points[self._told :], values[self._told :], strict=True):
            self._policy.tell(self._rows[point.tobytes()], float(value))
        self._told = len(values)
        return self._policy

    def _start(self) -> Any:
        # a quarter of a second of imports, which runs on endless spaces never need
        with importing:
            from stoic.kernels import Matern, SquaredExponential
            from stoic.policies import TGPUCB

        h = self._modeller.at(AFTER).gp.hyper
        kernel = (
            SquaredExponential(h.lengthscales)
            if h.smoothness > 0.5
            else Matern(2.5, h.lengthscales)
        )
        lam = max(h.noise / h.amplitude, 1e-6)
        return TGPUCB(Arms(self._points), kernel, lam=lam, seed=self._seed)

    def choose(self, waiting: list[Array], failures: Failures) -> Array:
        """The next point, not one of those where evaluations mostly fail."""
        policy = self.policy()
        score = policy.mean + policy.width * policy.std
        chance = failures.chance_of_success(self._points)
        score = np.where(chance >= min(0.5, float(np.median(chance))), score, -np.inf)
        for point in waiting:  # others come first while some are under way
            score[self._rows[point.tobytes()]] = -np.inf
        best: Array = self._points[int(np.argmax(score))]
        return best
