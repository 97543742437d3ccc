"""What an optimiser knows at a moment: measurements, their surrogate, failures, and the space."""

from __future__ import annotations

from functools import cached_property

from stoic.optimize.answers.agreement import Agreement
from stoic.optimize.failures import Failures
from stoic.optimize.history import History
from stoic.optimize.model import Model
from stoic.optimize.search import Search

__all__ = ["Knowledge"]


class Knowledge:
    """What answers and reports are made from; valid until the next outcome is reported.

    Parameters
    ----------
    history
        All trials.
    model
        The surrogate of the successful ones.
    search
        Of candidates in the space.
    """

    def __init__(self, history: History, model: Model, search: Search) -> None:
        self.history, self.model, self.search = history, model, search

    @cached_property
    def agreement(self) -> Agreement:
        """Which replicates agree with each other, and with the surrogate."""
        return Agreement(self.history, self.model)

    @cached_property
    def failures(self) -> Failures:
        """Where evaluations fail."""
        return Failures.of(self.history)
