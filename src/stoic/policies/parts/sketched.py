"""What policies share whose posterior rests on a sampled dictionary."""

from __future__ import annotations

from functools import partial
from typing import Any

from stoic.checks import Array, number
from stoic.estimators import SketchedBelief
from stoic.features import DictionarySampler, Inclusion
from stoic.policies.parts.options import Option
from stoic.policies.parts.ucb import UCBPolicy

__all__ = ["SketchedPolicy"]


class SketchedPolicy(UCBPolicy):
    """Nyström features on a dictionary of played arms, drawn by their posterior variance.

    Parameters
    ----------
    eps
        ε in (0, 1), the accuracy of the sketch.
    q
        Inclusion factor of the dictionary, to override the schedule's.
    """

    eps = Option(0.5, partial(number, above=0.0, at_most=0.999))
    q: Option[float | None] = Option(None, partial(number, above=0.0))
    belief: SketchedBelief

    def _named_schedule(self, name: str) -> Any:
        accuracy = {} if name == "practical" else {"eps": self.eps}
        return self.schedules[name](self.setting, **accuracy)

    @property
    def _lasting(self) -> bool:
        """Whether a play's draw lasts, so that the dictionary grows more often than it changes."""
        return bool(getattr(self.schedule, "lasting", False))

    def _sampler(self, points: Array) -> DictionarySampler:
        """Draws a play with probability min(q·σ², 1), or with σ²/λ where the paper has it."""
        q = self.schedule.inclusion() if self.q is None else self.q
        q /= self.lam if self.schedule.per_ridge else 1.0
        rule = Inclusion(q, self.schedule.per_play, self._lasting)
        return DictionarySampler(len(points), self.seed, rule)
