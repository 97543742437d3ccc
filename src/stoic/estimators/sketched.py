"""Beliefs whose posterior rests on a sampled dictionary, which is drawn anew as plays come in."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidState
from stoic.estimators.belief import DenseBelief
from stoic.estimators.limited import Limited
from stoic.estimators.truncation import check_sums
from stoic.features import DictionarySampler, GrowingMap, Inclusion, NystromMap
from stoic.posterior import FeaturePosterior, Step
from stoic.schema import LARGEST, Reals, Schema, Sums

__all__ = ["BatchedBelief", "FixedFeaturesBelief", "SketchedBelief"]


class SketchedBelief(DenseBelief):
    """Nyström features on a dictionary of played arms, drawn by their posterior variance.

    Parameters
    ----------
    posterior
        On the features of an empty dictionary.
    estimator
        Of the same tracked points.
    sampler
        Which draws the dictionary.
    """

    posterior: FeaturePosterior

    def __init__(
        self, posterior: FeaturePosterior, estimator: Any, sampler: DictionarySampler
    ) -> None:
        super().__init__(posterior, estimator)
        self.sampler = sampler

    def observe(self, arm: int) -> Step:
        """Let the posterior, and the sampler, account for one more play of an arm."""
        step = self.posterior.observe(arm)
        self.sampler.add(arm, self.posterior.t)
        return step

    def redraw(self, var: Array, step: Step) -> Step:
        """Draw the dictionary of this round by ``var``; what the play has done after that."""
        posterior, held = self.posterior, self._map.dictionary
        drawn = self.sampler.drawn(var, posterior.counts, posterior.t, held)
        if drawn is held:
            return step
        posterior.rebase(self._map.onto(posterior.points, drawn))
        return Step(step.gain, True)

    @property
    def _map(self) -> NystromMap | GrowingMap:
        """The features, which are those of a dictionary."""
        assert isinstance(self.posterior.map, NystromMap | GrowingMap)
        return self.posterior.map

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""
        super().suppose(arm)
        held = self._map.dictionary
        if arm not in held:  # only what is in the dictionary can shrink, so the arm joins it
            joined = np.sort(np.append(held, arm))
            self.posterior.rebase(self._map.onto(self.posterior.points, joined))

    def track(self, points: Array) -> None:
        """Follow further points of a box from now on."""
        self.sampler.track(len(points))
        super().track(points)

    @property
    def schema(self) -> Schema:
        """Of the state, with "A" arms and so many "columns" of payoffs."""
        return {**self.sampler.schema, **super().schema}

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {**super().state(), **self.sampler.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        self.sampler.restore(state)
        super().restore(state)
        self._renew()

    def _renew(self) -> None:
        """Form the mean afresh where the features are others than those of the state."""
        if self.basis.renewed:
            self.estimator.smooth(self.basis)

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from plays and payoffs."""
        super().verify()
        if not self.sampler.drew_only(self.posterior.counts):
            raise InvalidState("expected variates of arms that were played in the state")


class FixedFeaturesBelief(SketchedBelief):
    """Features that stay as they are: there is no dictionary to draw."""

    def __init__(self, posterior: FeaturePosterior, estimator: Any) -> None:
        sampler = DictionarySampler(len(posterior.counts), 0, Inclusion(0.0))
        super().__init__(posterior, estimator, sampler)

    def observe(self, arm: int) -> Step:
        """Let the posterior account for one more play of an arm."""
        return self.posterior.observe(arm)

    def redraw(self, var: Array, step: Step) -> Step:
        """Nothing to draw."""
        del var
        return step

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""
        self.posterior.observe(arm)


class BatchedBelief(SketchedBelief):
    """A belief whose dictionary and mean stand still within a batch of plays.

    The posterior's variance shrinks with every play; payoffs wait, summed up by arm, and enter
    together when the batch is closed.
    """

    def __init__(
        self, posterior: FeaturePosterior, estimator: Any, sampler: DictionarySampler
    ) -> None:
        super().__init__(posterior, estimator, sampler)
        self._open_batch()

    def _open_batch(self) -> None:
        self.basis = self.posterior.copy()  # the posterior at the batch's start
        self._waiting: Array = np.zeros(len(self.posterior.counts))  # payoff sums of the batch
        self.batch_sum = 0.0  # Σ σ̃²(x_s)/λ over the batch, with the variances of its start

    @property
    def start(self) -> FeaturePosterior:
        """The posterior at the batch's start, which the mean rests on."""
        start: FeaturePosterior = self.basis
        return start

    def observe(self, arm: int) -> Step:
        """Let the posterior, and the sampler, account for one more play of an arm."""
        posterior = self.posterior
        self.batch_sum += self.basis.var.item(arm) / posterior.lam
        step = posterior.observe(arm)
        self.sampler.add(arm, posterior.t)
        return step

    def learn(self, arm: int, limited: Limited, step: Step) -> None:
        """Let a payoff wait for the end of its batch; those of a warm-up the limiter keeps."""
        del step
        if limited.anew is None:
            self._waiting[arm] += limited.payoffs.item(0)

    def close_batch(self, location: float, first: tuple[IntArray, Array] | None) -> None:
        """Let all payoffs enter; ``first`` are those of a warm-up within the batch."""
        self.estimator.learn_sums(Limited(self._waiting, location, first), self.posterior)
        self._open_batch()

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm; the dictionary stands still."""
        self.posterior.observe(arm)

    def track(self, points: Array) -> None:
        """Follow further points of a box from now on."""
        self.start.track(points)
        self._waiting = np.concatenate([self._waiting, np.zeros(len(points))])
        super().track(points)

    @property
    def schema(self) -> Schema:
        """Of the state, with "A" arms and so many "columns" of payoffs."""
        batch = {"_pending": Sums("A"), "_batch_sum": Reals(low=0.0, high=LARGEST)}
        return {**super().schema, **batch, "start": self.start.schema}

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        batch = {"_pending": self._waiting.copy(), "_batch_sum": self.batch_sum}
        return {**super().state(), **batch, "start": self.start.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        self.start.restore(state["start"])
        self._waiting, self.batch_sum = state["_pending"], state["_batch_sum"]
        super().restore(state)

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless all figures follow from plays and payoffs."""
        super().verify()
        self.start.verify()
        batch = (self.posterior.counts - self.start.counts).astype(float)
        if (batch < 0).any():
            raise InvalidState("expected a batch that began with fewer plays in the state")
        check_sums(self._waiting, batch)
