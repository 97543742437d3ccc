"""What policies share whose posterior rests on a sampled dictionary."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, number
from stoic.features import NystromMap, draw_dictionary
from stoic.policies.ucb import UCBPolicy
from stoic.posterior import FeaturePosterior
from stoic.randomness import generator

__all__ = ["SketchedPolicy"]


class SketchedPolicy(UCBPolicy):
    """Nyström features on a dictionary of played arms, drawn by their posterior variance."""

    posterior: FeaturePosterior
    needs_root: ClassVar[bool] = False  # whether V itself is asked for

    def __init__(self, *args: Any, q: float | None = None, **kwargs: Any) -> None:
        self.q = None if q is None else number(q, "q", above=0.0)
        super().__init__(*args, **kwargs)

    def _posterior(self, points: Array) -> FeaturePosterior:
        empty = NystromMap(self.kernel, points, np.zeros(0, dtype=np.int64), self.lam)
        return FeaturePosterior(self.kernel, points, self.lam, empty, gram=self.needs_root)

    def _redraw(self, var: Array) -> bool:
        """Draw the dictionary of this round by ``var``; whether it has changed."""
        q = self.schedule.inclusion() if self.q is None else self.q
        probability = q * var / (self.lam if self.schedule.per_ridge else 1.0)
        counts = self.posterior.counts
        rng = generator(self.seed, self.t)
        drawn = draw_dictionary(probability, counts, rng, per_play=self.schedule.per_play)
        map = self.posterior.map
        assert isinstance(map, NystromMap)
        if np.array_equal(drawn, map.dictionary):
            return False
        self.posterior.rebase(NystromMap(self.kernel, self.posterior.points, drawn, self.lam))
        return True

    def _hallucinate(self, pending: Any, arm: int) -> None:
        # Only what is in the dictionary can shrink, so a pending arm joins it.
        pending.observe(arm)
        map = pending.map
        if isinstance(map, NystromMap) and arm not in map.dictionary:
            joined = np.sort(np.append(map.dictionary, arm))
            pending.rebase(NystromMap(self.kernel, pending.points, joined, self.lam))
