"""What an optimiser knows at a moment: measurements, their surrogate, failures, and the space."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np

from stoic.optimize.answers.agreement import Agreement
from stoic.optimize.answers.regular import Regular
from stoic.optimize.failing.failures import Failures
from stoic.optimize.history import History
from stoic.optimize.model import Model
from stoic.optimize.modeller import Modeller
from stoic.optimize.search import Search

__all__ = ["Knowledge"]

_MAX_FITTED_AGAIN = 400  # measurements: of more, a few suspects hardly move any hyper-parameter


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
    again
        Whether a surrogate without the suspects may be fitted again; else it keeps the
        hyper-parameters, which takes no time.
    """

    def __init__(
        self, history: History, model: Model, search: Search, *, again: bool = True
    ) -> None:
        self.history, self.model, self.search = history, model, search
        self.fits_again = again and history.successes <= _MAX_FITTED_AGAIN

    @cached_property
    def agreement(self) -> Agreement:
        """Which replicates agree with each other, and with the surrogate."""
        return Agreement(self.history, self.model)

    @cached_property
    def failures(self) -> Failures:
        """Where evaluations fail."""
        return Failures.of(self.history)

    @cached_property
    def regular(self) -> Regular:
        """What is known without the suspects."""
        return Regular.of(self)

    def without(self, trials: Collection[int]) -> Knowledge:
        """What is known without the values of some trials."""
        history = self.history.without(trials)
        if self.fits_again:
            return Knowledge(history, Modeller(history).model(), self.search)
        kept = np.array([number not in trials for number in self.history.numbers()])
        return Knowledge(history, self.model.restricted(kept), self.search, again=False)
