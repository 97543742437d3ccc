"""Draw the dictionary from the points played, by their posterior variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.features.nystrom import draw_dictionary
from stoic.loops import outlive
from stoic.randomness import generator, uniform
from stoic.schema import Reals, Schema

__all__ = ["DictionarySampler", "Inclusion"]

_PLAY_STREAM = 1  # the stream of random numbers for plays
_VARIATE_IF_OUT = 2.0  # the variate of a point whose plays are all out of the dictionary


@dataclass(frozen=True)
class Inclusion:
    """The probability with which a play enters the dictionary."""

    q: float  # times the posterior variance, at most one
    per_play: bool = True  # a draw for each play, or one for each distinct point
    lasting: bool = False  # whether a play's draw lasts, or all draw again each round


class DictionarySampler:
    """Draws the dictionary of a round from the plays so far.

    A draw that lasts: a play keeps the variate of its round, and is in the dictionary while that is
    below its probability, which falls with the variance; once out, it stays out. Plays of one
    point share the lowest variate.

    Parameters
    ----------
    points
        The number of tracked points.
    seed
        Draws depend on (seed, round) alone.
    rule
        The probability of a play.
    """

    def __init__(self, points: int, seed: int, rule: Inclusion) -> None:
        self._seed, self._rule = seed, rule
        self.variates: Array = np.full(points, _VARIATE_IF_OUT)

    schema: Schema = {"_variates": Reals("A", low=0.0, high=_VARIATE_IF_OUT)}

    def track(self, points: int) -> None:
        """Follow so many further points from now on."""
        self.variates = np.concatenate([self.variates, np.full(points, _VARIATE_IF_OUT)])

    def add(self, point: int, t: int) -> None:
        """Give the play of round t the variate that decides whether it is in the dictionary."""
        drawn = uniform(self._seed, t, _PLAY_STREAM)
        self.variates[point] = min(self.variates[point], drawn)

    def drawn(self, var: Array, counts: IntArray, t: int, dictionary: IntArray) -> IntArray:
        """The dictionary of round t by variances; the present one where it has not changed."""
        rule = self._rule
        if rule.lasting:
            return self._surviving(var, dictionary)
        rng = generator(self._seed, t)
        drawn = draw_dictionary(rule.q * var, counts, rng, per_play=rule.per_play)
        return dictionary if np.array_equal(drawn, np.sort(dictionary)) else drawn

    def _surviving(self, var: Array, dictionary: IntArray) -> IntArray:
        """The dictionary by draws that last.

        Points that are out are dropped when they are an eighth of the dictionary; until then
        they do no harm.
        """
        inside, held = outlive(self.variates, var, self._rule.q, _VARIATE_IF_OUT, dictionary)
        few = len(dictionary) - held <= len(dictionary) // 8
        if few and inside == held:
            return dictionary
        drawn = np.flatnonzero(self.variates < _VARIATE_IF_OUT)
        drawn = np.union1d(drawn, dictionary) if few else drawn
        return dictionary if np.array_equal(drawn, np.sort(dictionary)) else drawn

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to continue bit by bit."""
        return {"_variates": self.variates.copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        self.variates = state["_variates"]

    def drew_only(self, counts: IntArray) -> bool:
        """Whether only points that were played have a variate."""
        return not (self.variates[counts == 0] < _VARIATE_IF_OUT).any()
