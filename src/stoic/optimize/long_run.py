"""Long runs on finitely many configurations, continued by a bandit policy.

Once a few hundred measurements have shown the covariance and the noise, a policy with that
covariance chooses: its cost per round does not grow, and its regret vanishes. TGP-UCB with the
practical schedule clips payoffs about an arm's own estimate, so a measurement can move the
estimate by a bounded amount only, for outliers of any size and cause; no corruption budget has to
be known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import stoic
from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.forks import importing
from stoic.optimize.failing.failures import Failures
from stoic.optimize.history import History
from stoic.optimize.modeller import Modeller
from stoic.spaces import Arms
from stoic.surrogate.gp import prior_covariance

if TYPE_CHECKING:
    from stoic.policies import Policy

__all__ = ["MIN_MEASUREMENTS", "LongRun"]

MIN_MEASUREMENTS = 300  # before a policy takes over
# Configurations at most. A restart replays all measurements: 10⁴ of 512 take a second. On 2,048 the
# surrogate alone found as good an answer, with less regret on the way (3 seeds, 1,000 each).
_MAX_ARMS = 512
_MIN_SHARE = 0.75  # of the usual chance of success: with less, an arm is not played


class LongRun:
    """A policy on all configurations of a finite space, kept up with a history."""

    def __init__(self, history: History, modeller: Modeller, seed: int) -> None:
        self._history, self._modeller, self._seed = history, modeller, seed
        self._policy: Policy | None = None
        self._reported = 0  # measurements, to the policy

    @classmethod
    def suits(cls, history: History) -> bool:
        """Whether the configurations are few enough, and the measurements many enough."""
        if history.successes < MIN_MEASUREMENTS:
            return False
        try:
            count = history.space.cardinality
        except InvalidInput:  # conditions too entangled to count
            return False
        return count is not None and count <= _MAX_ARMS

    def policy(self) -> Policy:
        """The policy, after all measurements of the history."""
        if self._policy is None:
            self._points = self._history.space.enumerate(_MAX_ARMS)
            self._arms = {point.tobytes(): i for i, point in enumerate(self._points)}
            self._policy = self._start()
        points, values = self._history.points(), self._history.values()
        for point, value in zip(points[self._reported :], values[self._reported :], strict=True):
            self._policy.tell(self._arms[point.tobytes()], float(value))
        self._reported = len(values)
        return self._policy

    def _start(self) -> Policy:
        h = self._modeller.at(MIN_MEASUREMENTS).gp.hyper
        with importing:  # a quarter of a second, which runs on infinite spaces never need
            policies = stoic.policies
        half = np.triu(prior_covariance(self._points, h), 1)
        K = (half + half.T) / h.variance + np.eye(len(half))
        lam = max(h.noise / h.variance, 1e-6)
        return policies.TGPUCB(Arms.matrix(K), lam=lam, seed=self._seed)

    def choose(self, pending: list[Array], failures: Failures) -> Array:
        """The policy's next point, or the next best where that one is pending or mostly fails."""
        policy = self.policy()
        chance = failures.chance_of_success(self._points)
        allowed = chance >= min(0.5, _MIN_SHARE * float(np.median(chance)))
        allowed[[self._arms[point.tobytes()] for point in pending]] = False
        arm = policy.ask()
        if not allowed[arm]:  # ask() excludes no arm: the rule of UCB among the others
            bounds = policy.mean + policy.width * policy.std
            arm = int(np.argmax(np.where(allowed, bounds, -np.inf)))
        point: Array = self._points[arm]
        return point
