"""Surrogates of a growing history at a small cost, for replaying it.

Up to 200 measurements they are the optimiser's own. Beyond, each is fitted to a random subset and
starts from the one before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import IntArray
from stoic.optimize.history import History
from stoic.optimize.model import Model
from stoic.optimize.modeller import Modeller
from stoic.surrogate import Scaling, fit

__all__ = ["ThinnedModeller"]


@dataclass(frozen=True)
class ThinningRule:
    """How much is computed: a replay of thousands of trials is to take seconds."""

    exact: int = 200  # measurements up to which the surrogate is the optimiser's own
    max_fitted: int = 600  # measurements of a later fit
    min_weight: float = 0.01  # a mode of less weight is not continued
    steps: int = 4  # of the one round of a later fit


_RULE = ThinningRule()


class ThinnedModeller:
    """Models of a history that grows between calls, each from the one before."""

    def __init__(self, history: History) -> None:
        self._history, self._exact = history, Modeller(history)
        self._last: Model | None = None
        self._rng = np.random.default_rng(0)
        self._draws = np.empty(0)  # uniform, one for each measurement in order

    def model(self) -> Model:
        """The model of all measurements so far."""
        n = self._history.successes
        if n <= _RULE.exact:
            self._last = self._exact.at(n)
        else:
            self._last = self._continued(n, self._last or self._exact.at(_RULE.exact))
        return self._last

    def _continued(self, n: int, before: Model) -> Model:
        """The model of ``n`` measurements, from that of fewer."""
        history = self._history
        y, rows = history.values(n), self._rows(n)
        scaling = Scaling.of(y, history.design_size, before.scaling)
        X, z = history.points(n)[rows], scaling.z(y)[rows]
        kept = np.isin(before.rows, rows)
        modes = zip(before.fits, before.modes(), strict=True)
        starts = [f.restricted(kept) for f, (_, weight) in modes if weight > _RULE.min_weight]
        groups, steps = history.space.groups, _RULE.steps
        fits = [fit(X, z, groups, start=start, rounds=1, steps=steps) for start in starts]
        fits.sort(key=lambda f: -f.evidence)
        return Model(fits[:1] if fits[0].same_mode(fits[-1]) else fits, scaling, rows)

    def _rows(self, n: int) -> IntArray:
        """The subset of n measurements: of the same density, that of fewer is the start of it.

        As n grows the density is halved now and then; a part of the subset then remains.
        """
        self._draws = np.concatenate([self._draws, self._rng.random(n - len(self._draws))])
        share = 0.5 ** max(0, math.ceil(math.log2(n / _RULE.max_fitted)))
        rows: IntArray = np.flatnonzero(self._draws < share)
        return rows
