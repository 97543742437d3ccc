"""The base of all noises: the distribution of a payoff given its mean."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from stoic.checks import Array
from stoic.lab.registry import Registry

__all__ = ["Noise", "noises"]

noises: Registry[Noise] = Registry("noise")
"""Classes of noises, by kind."""


class Noise(ABC):
    """The distribution of a payoff, given the arm's expected payoff.

    Randomness that does not depend on the arm comes from :meth:`draw`, in blocks; :meth:`payoff`
    turns one draw into the payoff of an arm. Policies of the same trial therefore get the same
    draws round by round, for any arms that they play: common random numbers.

    A moment that does not exist is ``math.inf``; to ask for it is never an error.
    """

    def settle(self, rng: np.random.Generator, arms: int) -> Noise:  # noqa: ARG002
        """The noise of one trial, if some of its parameters are drawn once per trial."""
        return self

    @abstractmethod
    def draw(self, rng: np.random.Generator, n: int) -> Array:
        """The random parts of ``n`` rounds, independent of the arms."""

    def payoff(self, mean: float, arm: int, draw: float) -> float:  # noqa: ARG002
        """The payoff of an arm with an expected payoff, given the round's draw."""
        return mean + draw

    def sample(self, mean: float, arm: int, rng: np.random.Generator, n: int) -> Array:
        """``n`` independent payoffs of one arm."""
        return np.array([self.payoff(mean, arm, draw) for draw in self.draw(rng, n).tolist()])

    @abstractmethod
    def raw_moment(self, order: float, f: Array) -> Array:
        """E|y|^order of each arm, ``f`` being the arms' expected payoffs; order ≥ 0."""

    @abstractmethod
    def central_moment(self, order: float, f: Array) -> Array:
        """E|y − E y|^order of each arm, ``f`` being the arms' expected payoffs; order ≥ 0."""
