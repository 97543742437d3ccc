"""What is known from the regular measurements alone: all but the suspects.

An answer is computed from these, so that no suspect moves it. Without some suspects, others may
appear: the surrogate is fitted again until there are none. Taking all suspects out and fitting
again therefore gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoic.optimize.answers.records import Suspect
from stoic.optimize.answers.suspects import suspects

if TYPE_CHECKING:
    from stoic.optimize.knowledge import Knowledge

__all__ = ["Regular"]

_MAX_ROUNDS = 6  # of fits; 315 runs with nine noises took at most 5 with a suspect


@dataclass(frozen=True)
class Regular:
    """Knowledge of the regular measurements, and the suspects by trial."""

    known: Knowledge
    suspects: tuple[Suspect, ...]

    @classmethod
    def of(cls, known: Knowledge) -> Regular:
        """Separate the suspects of all measurements from the others."""
        found: dict[int, Suspect] = {}
        rest = known
        for _ in range(_MAX_ROUNDS):
            new = suspects(rest)
            if not new:
                break
            found |= {suspect.trial: suspect for suspect in new}
            rest = known.without(found)
            if not known.fits_again:
                break
        return cls(rest, tuple(found[trial] for trial in sorted(found)))
