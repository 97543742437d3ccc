"""The surrogate of a history: fits of different modes, and the committee of them that chooses.

Few measurements often have several explanations: a rough function with little noise, or a smooth
one with much. The modes of the evidence are kept, weighted by it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.optimize.tactics import Tactics
from stoic.surrogate import RobustGP, Scaling
from stoic.surrogate.covariance import SMOOTH
from stoic.surrogate.fitting import Fit
from stoic.surrogate.rows import first_rows

__all__ = ["Model"]


class Model:
    """Fitted surrogates: the most plausible one, and other modes where there are any."""

    def __init__(self, fits: list[Fit], scaling: Scaling, rows: IntArray) -> None:
        self.fits, self.scaling = fits, scaling  # the most plausible first
        self.rows = rows  # which of the successful trials were fitted

    @property
    def gp(self) -> RobustGP:
        """The most plausible surrogate."""
        return self.fits[0].gp

    def restricted(self, kept: NDArray[np.bool_]) -> Model:
        """The model, with the same hyper-parameters, of the successful trials that are kept."""
        fitted = kept[self.rows]
        fits = [fit.restricted(fitted) for fit in self.fits]
        return Model(fits, self.scaling, (np.cumsum(kept) - 1)[self.rows[fitted]])

    def points(self) -> Array:
        """The different points that were fitted, in the order of their first measurement."""
        points: Array = self.gp.X[first_rows(self.gp.X)]
        return points

    def modes(self, min_weight: float = 0.0) -> list[tuple[RobustGP, float]]:
        """The fitted surrogates with weights by their evidence.

        A smooth one has ``min_weight`` at least. The rough one has not: it expects much of every
        point that was not measured.
        """
        lead = np.array([fit.evidence for fit in self.fits]) - self.fits[0].evidence
        weights = np.exp(np.maximum(lead, -50.0))
        smooth = np.array([f.gp.hyper.covariance is SMOOTH for f in self.fits])
        weights = np.maximum(weights / weights.sum(), np.where(smooth, min_weight, 0.0))
        return [(f.gp, float(w)) for f, w in zip(self.fits, weights / weights.sum(), strict=True)]

    def committee(self, tactics: Tactics, pending: Array) -> list[tuple[RobustGP, float]]:
        """Surrogates that account for pending measurements, with their weights.

        A variant of the first with shorter length-scales is a member as well: few measurements
        cannot prove that the function is smooth between them.
        """
        t = tactics
        modes = [(gp.with_pending(pending), p) for gp, p in self.modes(t.second_weight)]
        first = modes[0][0]
        variant = first.rescaled(t.variant_lengthscales, t.variant_amplitude)
        against = max(first.evidence - variant.evidence - t.variant_patience, 0.0)
        weight = t.variant_weight * math.exp(-against / 2.0)
        members = [*((gp, (1.0 - weight) * p) for gp, p in modes), (variant, weight)]
        return [member for member in members if member[1] > t.min_weight]
