"""The smoothed mean on very many arms."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array, IntArray
from stoic.estimators import Limited
from stoic.estimators.truncation import LARGEST_PAYOFF, check_sums, largest_mean
from stoic.many_arms.coordinates import MeanCoordinates
from stoic.many_arms.deviation_bounds import DeviationBounds
from stoic.many_arms.posterior import ManyArmsPosterior
from stoic.posterior import Step
from stoic.posterior.base import agree
from stoic.schema import Reals, Schema, Sums

__all__ = ["ManyArmsMean"]


class ManyArmsMean:
    """The counterpart of :class:`SmoothedMean` for a :class:`ManyArmsPosterior`.

    Kept are the coordinates of the mean (:class:`MeanCoordinates`), one for each play, from
    which the deviation of any arm follows on request, and bounds for all arms
    (:class:`DeviationBounds`).

    Parameters
    ----------
    posterior
        Whose points are estimated.
    """

    schema: ClassVar[Schema] = {
        "location": Sums(),
        "sums": Sums("u"),
        "beta": Reals(2, "k"),
        "largest": Reals(low=0.0, high=LARGEST_PAYOFF, optional=True),
    }
    columns = 1

    def __init__(self, posterior: ManyArmsPosterior) -> None:
        self.sums: Array = np.zeros(len(posterior.points))
        self._largest = 0.0  # |payoff| of all that were taken in
        self._posterior = posterior
        self._coordinates = MeanCoordinates()
        self.bounds = DeviationBounds(self._coordinates, posterior)

    @property
    def location(self) -> float:
        """m̂, what the estimate shrinks towards."""
        return self._coordinates.location

    @location.setter
    def location(self, location: float) -> None:
        self._coordinates.relocate(location)

    # -- payoffs ------------------------------------------------------------------------------

    def learn(self, arm: int, limited: Limited, step: Step, posterior: ManyArmsPosterior) -> None:
        """Take in the payoff of the play that made ``step``, or all payoffs so far again."""
        self.location = limited.location
        if limited.anew is not None:
            self._replace(*limited.anew, posterior)
            return
        if step.refreshed:
            self._solve(posterior)
        y = limited.payoffs.item(0)
        self.sums[arm] += y
        self._largest = max(self._largest, abs(y))
        last = posterior.last
        self._append((np.array([y, 1.0]) - self._coordinates.beta @ last.row) / last.pivot)

    def suppose(self) -> None:
        """Take the last play as one whose payoff was as expected."""
        self._append(np.zeros(2))

    def _append(self, beta: Array) -> None:
        self._coordinates.append(beta)
        self.bounds.extend(beta)

    def _replace(self, arms: IntArray, payoffs: Array, posterior: ManyArmsPosterior) -> None:
        """Forget all payoffs and take these instead, one for each play."""
        self.sums[arms], self._largest = 0.0, float(np.abs(payoffs).max(initial=0.0))
        np.add.at(self.sums, arms, payoffs.ravel())
        values = np.column_stack([payoffs.ravel(), np.ones(len(arms))])
        self._coordinates.replace(posterior.factor.solve(values).T)
        self.bounds.reset()

    def _solve(self, posterior: ManyArmsPosterior) -> None:
        """Take new coordinates, one for each distinct point, before the last play."""
        arms, last = posterior.factor.arms[:-1], posterior.last.arm
        before = posterior.counts[arms] - (arms == last)
        values = np.zeros((len(arms) + 1, 2))
        values[:-1, 0], values[:-1, 1] = self.sums[arms] / before, 1.0
        self._coordinates.replace(posterior.factor.solve(values)[:-1].T)
        self.bounds.solve_anchors()

    # -- deviations ---------------------------------------------------------------------------

    def at(self, row: Array) -> float:
        """The deviation of a point with this row of the posterior."""
        return float(row @ self._coordinates.centred)

    @property
    def played(self) -> Array:
        """The deviations of the arms played."""
        deviations: Array = self._posterior.played.rows @ self._coordinates.centred
        return deviations

    @property
    def deviation(self) -> Array:
        """Mean − location of all points."""
        return self._posterior.combine(self._coordinates.centred)

    def predict(self, X: Array, posterior: ManyArmsPosterior) -> Array:
        """The deviation from the location at any points."""
        deviations: Array = posterior.factor.rows_at(X) @ self._coordinates.centred
        return deviations

    # -- copies and states --------------------------------------------------------------------

    def copy(self, posterior: ManyArmsPosterior) -> ManyArmsMean:
        """An independent estimator for a copy of its posterior."""
        return copy.deepcopy(self, {id(self._posterior): posterior})

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to continue bit by bit."""
        return {
            "location": self.location,
            "sums": self.sums[self._posterior.played.arms],
            "beta": self._coordinates.beta.copy(),
            **({"largest": self._largest} if self._largest else {}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`; its posterior has been restored before."""
        self._coordinates.relocate(state["location"])
        self._coordinates.replace(state["beta"])
        self.sums = np.zeros_like(self.sums)
        self.sums[self._posterior.played.arms] = state["sums"]
        self._largest = state.get("largest", 0.0)  # states of earlier releases lack it
        self.bounds.reset()

    def verify(self, posterior: ManyArmsPosterior) -> None:
        """Raise :class:`InvalidState` unless the means follow from the sums and the plays."""
        played, beta = posterior.played.arms, self._coordinates.beta
        if not len(played):
            return
        sums, counts = self.sums[played], posterior.counts[played].astype(float)
        check_sums(sums, counts)
        rows = posterior.played.rows
        fresh = rows @ posterior.whiten(np.column_stack([self.sums, posterior.counts]))
        smooths = rows @ beta.T
        # payoffs may have cancelled in the sums, their rounding errors in the means have not
        unit = max(self._largest, largest_mean(sums, counts))
        agree("the means", smooths[:, 0], fresh[:, 0], unit)
        agree("the smoothed ones", smooths[:, 1], fresh[:, 1], 1.0)
        # the sums do not determine single payoffs, so β is bounded besides, no more
        most = 10.0 * posterior.t / posterior.factor.min_noise**0.5
        check_sums(beta, np.full((2, 1), most))
