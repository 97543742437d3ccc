"""What policies share whose posterior rests on a sampled dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray, number
from stoic.errors import InvalidState
from stoic.estimators import Overview
from stoic.features import GrowingMap, NystromMap, SpannedGrowingMap, draw_dictionary
from stoic.loops import outlive
from stoic.policies.ucb import UCBPolicy
from stoic.posterior import FeaturePosterior, spanning_map
from stoic.randomness import generator, uniform
from stoic.schema import Field, Reals

__all__ = ["SketchedPolicy"]

_PLAYS = 1  # the stream of random numbers for plays
_OUT = 2.0  # the variate of a point whose plays are all out of the dictionary


class SketchedPolicy(UCBPolicy):
    """Nyström features on a dictionary of played arms, drawn by their posterior variance."""

    posterior: FeaturePosterior
    needs_root: ClassVar[bool] = False  # whether V itself is asked for

    keeps: ClassVar[Mapping[str, Field]] = {"_variates": Reals("A", low=0.0, high=_OUT)}

    def __init__(self, *args: Any, q: float | None = None, **kwargs: Any) -> None:
        self.q = None if q is None else number(q, "q", above=0.0)
        super().__init__(*args, **kwargs)
        self._variates: Array = np.full(len(self.posterior.counts), _OUT)

    def _posterior(self, points: Array) -> FeaturePosterior:
        span = spanning_map(self.kernel, points, self.lam)
        grows = getattr(self.schedule, "lasting", False)
        nothing: IntArray = np.zeros(0, dtype=np.int64)
        given = self.kernel, points, nothing
        empty: NystromMap | GrowingMap
        if self.needs_root or not grows:
            coordinates = None if span is None else span.features(points).psi
            empty = NystromMap(*given, span=coordinates, grows=grows)
        elif span is None:
            empty = GrowingMap(*given)
        else:
            empty = SpannedGrowingMap(*given, span=span)
        return FeaturePosterior(self.kernel, points, self.lam, empty, root=self.needs_root)

    def _follow(self, points: Array) -> None:
        self._variates = np.concatenate([self._variates, np.full(len(points), _OUT)])
        super()._follow(points)

    def _verify(self) -> None:
        super()._verify()
        if (self._variates[self.posterior.counts == 0] < _OUT).any():
            raise InvalidState("expected variates of arms that were played in the state")

    def _draw_play(self, arm: int) -> None:
        """Give the play of this round the variate that its place in the dictionary hangs on."""
        self._variates[arm] = min(self._variates[arm], uniform(self.seed, self.t, _PLAYS))

    def _redraw(self, var: Array) -> bool:
        """Draw the dictionary of this round by ``var``; whether it has changed."""
        q = self.schedule.inclusion() if self.q is None else self.q
        q /= self.lam if self.schedule.per_ridge else 1.0
        map = self.posterior.map
        assert isinstance(map, NystromMap | GrowingMap)
        if getattr(self.schedule, "lasting", False):
            drawn = self._surviving(q, var, map.dictionary)
        else:
            counts, rng = self.posterior.counts, generator(self.seed, self.t)
            drawn = draw_dictionary(q * var, counts, rng, per_play=self.schedule.per_play)
        if drawn is map.dictionary or np.array_equal(drawn, np.sort(map.dictionary)):
            return False
        self.posterior.rebase(map.onto(self.posterior.points, drawn))
        return True

    def _surviving(self, q: float, var: Array, dictionary: IntArray) -> IntArray:
        """The dictionary by draws that last.

        A play keeps the variate of its round, and is in while that is below its probability,
        which falls: once out, it stays out. What is out is dropped when it is an eighth of the
        dictionary; a point too many does no harm.
        """
        inside, held = outlive(self._variates, var, q, _OUT, dictionary)
        few = len(dictionary) - held <= len(dictionary) // 8
        if few and inside == held:
            return dictionary
        drawn = np.flatnonzero(self._variates < _OUT)
        return np.union1d(drawn, dictionary) if few else drawn

    def _remember(self, memory: dict[str, Any]) -> None:
        super()._remember(memory)
        self._renew()

    def _renew(self) -> None:
        """Form the mean afresh where the features are others than those of the state."""
        if self._basis.renewed:
            self.estimator.smooth(self._basis)

    @property
    def _basis(self) -> FeaturePosterior:
        return self.posterior

    def _suppose(self, pending: Overview, arm: int) -> None:
        # Only what is in the dictionary can shrink, so a pending arm joins it.
        pending.suppose(arm)
        posterior, map = pending.posterior, pending.posterior.map
        if isinstance(map, NystromMap | GrowingMap) and arm not in map.dictionary:
            joined = np.sort(np.append(map.dictionary, arm))
            posterior.rebase(map.onto(posterior.points, joined))
