"""What a policy believes about its arms: a posterior and an estimator, asked together."""

from __future__ import annotations

import copy
from typing import Any, Protocol, Self

import numpy as np

from stoic.checks import Array, IntArray
from stoic.estimators.limited import Limited
from stoic.loops import highest
from stoic.posterior import Step
from stoic.schema import Schema

__all__ = ["Belief", "DenseBelief"]


class Belief(Protocol):
    """Mean and standard deviation of each arm, and how one play of an arm changes them.

    Estimates are relative to the origin of the policy's limiter: an arm's mean is ``location``
    plus its *deviation*, which is free of any common offset. There is one implementation for arms
    whose figures are all at hand (:class:`DenseBelief`), one for posteriors on a sampled dictionary
    (:class:`stoic.estimators.SketchedBelief`), and one for very many arms.
    """

    posterior: Any
    estimator: Any

    @property
    def location(self) -> float:
        """What the estimates shrink towards."""

    @property
    def deviation(self) -> Array:
        """Mean − location of each arm."""

    # -- what a schedule and a limiter ask ----------------------------------------------------

    @property
    def amplitude(self) -> float:
        """A quarter of the range of the estimates."""

    @property
    def widest(self) -> float:
        """The largest posterior standard deviation of all."""

    @property
    def variance_sum(self) -> float:
        """Σ_s σ²(x_s)/λ over all plays."""

    def at(self, arm: int) -> tuple[float, float]:
        """Estimate, with the location, and posterior variance of an arm."""

    def weighted(self, arm: int) -> tuple[int, IntArray]:
        """The row of an arm among those that a gain is about, and the plays of each of them."""

    # -- one round ----------------------------------------------------------------------------

    def best(self, width: float) -> int:
        """The arm of the highest upper confidence bound, the lowest one of equals."""

    def reserve(self) -> None:
        """Make room for one more play, or raise an error before anything has changed."""

    def observe(self, arm: int) -> Step:
        """Let the posterior account for one more play of an arm."""

    def learn(self, arm: int, limited: Limited, step: Step) -> None:
        """Let the estimates account for the limited payoffs of the play that made ``step``."""

    # -- batches, recommendations, boxes ------------------------------------------------------

    def copy(self) -> Belief:
        """A belief of the same estimates in which further plays can be supposed."""

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""

    def known(self) -> tuple[IntArray, Array, Array]:
        """Arms with their deviations and stds: those played, or all before the first play."""

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Deviation and posterior standard deviation at any points."""

    def track(self, points: Array) -> None:
        """Follow further points of a box from now on."""

    # -- state --------------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """Of the state, with "A" arms and so many "columns" of payoffs."""

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes in :attr:`schema` that are known."""

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from plays and payoffs."""


class DenseBelief:
    """A posterior and an estimator whose figures are at hand for all arms.

    Parameters
    ----------
    posterior
        Any :class:`stoic.posterior.Posterior`.
    estimator
        Of the same tracked points.
    """

    def __init__(self, posterior: Any, estimator: Any) -> None:
        self.posterior = posterior
        self.estimator = estimator
        self.basis = posterior  # what the present estimates rest on

    @property
    def location(self) -> float:
        """What the estimates shrink towards."""
        location: float = self.estimator.location
        return location

    @property
    def deviation(self) -> Array:
        """Mean − location of each arm."""
        deviation: Array = self.estimator.deviation
        return deviation

    @property
    def amplitude(self) -> float:
        """A quarter of the range of the estimates."""
        amplitude: float = self.estimator.range / 4.0
        return amplitude

    @property
    def widest(self) -> float:
        """The largest posterior standard deviation of all."""
        widest: float = self.posterior.widest
        return widest

    @property
    def variance_sum(self) -> float:
        """Σ_s σ²(x_s)/λ over all plays."""
        posterior = self.posterior
        return float(posterior.counts @ posterior.var) / float(posterior.lam)

    @property
    def norm(self) -> tuple[float, float]:
        """‖f̂‖ of the estimate f̂, and the posterior std of ⟨f, f̂⟩/‖f̂‖."""
        norm: tuple[float, float] = self.estimator.norm(self.basis)
        return norm

    def at(self, arm: int) -> tuple[float, float]:
        """Estimate, with the location, and posterior variance of an arm."""
        estimator = self.estimator
        return estimator.location + estimator.deviation.item(arm), self.posterior.var.item(arm)

    def weighted(self, arm: int) -> tuple[int, IntArray]:
        """The row of an arm among those that a gain is about, and the plays of each of them."""
        return arm, self.posterior.counts

    def best(self, width: float) -> int:
        """The arm of the highest upper confidence bound, the lowest one of equals."""
        return highest(self.estimator.deviation, self.posterior.var, width)

    def reserve(self) -> None:
        """Make room for one more play: there always is."""

    def observe(self, arm: int) -> Step:
        """Let the posterior account for one more play of an arm."""
        step: Step = self.posterior.observe(arm)
        return step

    def learn(self, arm: int, limited: Limited, step: Step) -> None:
        """Let the estimates account for the limited payoffs of the play that made ``step``."""
        self.estimator.learn(arm, limited, step, self.posterior)

    def copy(self) -> Self:
        """A belief of the same estimates in which further plays can be supposed."""
        pending = copy.copy(self)  # all but the posterior is shared, and stays as it is
        pending.posterior = self.posterior.copy()
        return pending

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""
        self.posterior.observe(arm)

    def known(self) -> tuple[IntArray, Array, Array]:
        """Arms with their deviations and stds: those played, or all before the first play."""
        arms: IntArray = np.flatnonzero(self.posterior.counts)
        if not len(arms):
            arms = np.arange(len(self.posterior.counts))
        return arms, self.estimator.deviation[arms], np.sqrt(self.posterior.var[arms])

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Deviation and posterior standard deviation at any points."""
        _, std = self.posterior.predict(X, np.zeros(len(self.posterior.counts)))
        return self.estimator.predict(X, self.basis), std

    def track(self, points: Array) -> None:
        """Follow further points of a box from now on."""
        self.posterior.track(points)
        self.estimator.track(points, self.basis)

    @property
    def schema(self) -> Schema:
        """Of the state, with "A" arms and so many "columns" of payoffs."""
        return {"posterior": self.posterior.schema, "estimator": self.estimator.schema}

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes in :attr:`schema` that are known."""
        return {"columns": self.estimator.columns}

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {"posterior": self.posterior.state(), "estimator": self.estimator.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        self.posterior.restore(state["posterior"])
        self.estimator.restore(state["estimator"])

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from plays and payoffs."""
        self.posterior.verify()
        self.estimator.verify(self.basis)
