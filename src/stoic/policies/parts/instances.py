"""What policies share that run several instances side by side and play one of them a round."""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput, InvalidState
from stoic.estimators import DenseBelief, Limiter, Limiters, SmoothedMean
from stoic.policies.base import Policy, Recommendation
from stoic.policies.parts.grid import finite_choices
from stoic.policies.parts.progress import LiveProgress
from stoic.posterior import exact_posterior
from stoic.randomness import uniform
from stoic.schema import Field, Schema, Sums

__all__ = ["Instance", "InstancesPolicy"]

_KEPT_TOLERANCE = 1e-6  # of kept bounds in a state, relative to the largest bound of its payoffs


class Instance:
    """A belief and a limiter that know the payoffs of their own rounds alone, and their bounds.

    Bounds are relative to the limiter's origin. Where the schedule says so, they are the tightest
    so far: its bounds hold at all times at once.
    """

    def __init__(self, number: int, belief: DenseBelief, limiter: Limiter, schedule: Any) -> None:
        self.number, self.schedule = number, schedule
        self.belief, self.limiter = belief, limiter
        self.progress = LiveProgress(belief, limiter)
        self._kept: Array | None = None  # lower and upper bounds, the tightest so far
        self._present: Array | None = None  # the same with those of now, once they are known
        if schedule.intersects:
            self._kept = self.bounds

    @property
    def plays(self) -> int:
        """How many rounds it has played."""
        plays: int = self.belief.posterior.t
        return plays

    @property
    def width(self) -> float:
        """What multiplies its std in its bounds."""
        now = self.progress
        width = float(self.schedule.width(now) + self.schedule.enlargement(now, self.number))
        if not math.isfinite(width):
            raise InvalidInput(f"expected a finite width from the schedule, got {width}")
        return width

    @property
    def mean(self) -> Array:
        """Estimated payoff of each arm."""
        return self.limiter.origin + self._centre

    @property
    def std(self) -> Array:
        """Posterior standard deviation of each arm."""
        std: Array = self.belief.posterior.std
        return std

    @property
    def _centre(self) -> Array:
        return self.belief.location + self.belief.deviation

    @property
    def bounds(self) -> Array:
        """Lower and upper bound of each arm, in two rows."""
        if self._present is None:
            half = self.width * self.std
            lower, upper = self._centre - half, self._centre + half
            if self._kept is not None:
                lower, upper = np.maximum(lower, self._kept[0]), np.minimum(upper, self._kept[1])
            self._present = np.array([lower, upper])
        return self._present

    @property
    def calibrated(self) -> bool:
        """Whether its bounds are in units of the payoffs: not before it has learned a scale."""
        limiter = self.limiter
        return not limiter.learns or (not limiter.warming and limiter.noise > 0.0)

    @property
    def plausible(self) -> Any:
        """The arms that may be the best by its bounds."""
        lower, upper = self.bounds
        return upper >= lower.max()

    def renew(self) -> None:
        """Let the bounds account for what was learned."""
        self._present = None
        if self._kept is not None:
            self._kept = self.bounds

    def copy(self) -> Self:
        """An instance of the same estimates in which further plays can be supposed."""
        pending = copy.copy(self)
        pending.belief = self.belief.copy()
        pending.progress = LiveProgress(pending.belief, self.limiter)
        return pending

    def suppose(self, arm: int) -> None:
        """Let the stds shrink as by one more play of an arm."""
        self.belief.suppose(arm)
        self._present = None

    # -- state --------------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """Of the state, with "A" arms."""
        kept: Schema = {} if self._kept is None else {"kept": Sums(2, "A")}
        return {**self.belief.schema, **self.limiter.schema, **kept}

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        kept = {} if self._kept is None else {"kept": self._kept.copy()}
        return {**self.belief.state(), **self.limiter.state(), **kept}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        self.belief.restore(state)
        self.limiter.restore(state)
        self._kept, self._present = state.get("kept"), None

    def verify(self) -> None:
        """Raise :class:`InvalidState` unless this is what plays and payoffs have left."""
        self.belief.verify()
        self.limiter.verify(self.belief)
        if self._kept is not None:
            half = self.width * self.std
            loose = _KEPT_TOLERANCE * max(1.0, float(np.abs(self._centre).max() + half.max()))
            lower, upper = self._centre - half - loose, self._centre + half + loose
            if (self._kept[0] < lower).any() or (self._kept[1] > upper).any():
                raise InvalidState("expected kept bounds no wider than those of the payoffs")


class InstancesPolicy(Policy):
    """A policy of several instances, the fastest first, one of which plays a round.

    Which one is drawn from (seed, round) with the schedule's probabilities, and it alone learns
    the payoff. A subclass says how an instance chooses (:meth:`_choose`) and learns
    (:meth:`_learn`). A box is represented by ``arms_of_a_box`` points.
    """

    arms_of_a_box = 512
    limiters: ClassVar[Limiters[Limiter]]
    asks = {
        **Policy.asks,
        "probabilities": (1,),
        "enlargement": (*Policy.asks["width"], 0),
        "intersects": (),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices = finite_choices(self.domain, self.arms_of_a_box, self.seed)
        self.points = self.choices.points
        count = len(self.schedule.probabilities(1))
        self.instances = [self._new_instance(number) for number in range(count)]
        self._payoff: Array = np.zeros(1)  # of the play under way

    def _new_instance(self, number: int) -> Instance:
        exact = exact_posterior(self.kernel, self.points, self.lam)
        belief = DenseBelief(exact, SmoothedMean(len(self.points)))
        limiter = self.limiters.chosen(self.schedule)(self.schedule, self.setting.prior_var)
        return Instance(number, belief, limiter, self.schedule)

    def drawn(self, t: int) -> int:
        """The number of the instance that plays after ``t`` rounds."""
        variate = uniform(self.seed, t)
        probabilities = self.schedule.probabilities(t + 1)
        for number in range(len(probabilities) - 1, 0, -1):  # the slowest has the lowest variates
            variate -= probabilities[number]
            if variate < 0.0:
                return number
        return 0

    # -- what it shows ------------------------------------------------------------------------

    @property
    def _main(self) -> Instance:
        """The instance of the most plays, the slowest of equals."""
        return max(reversed(self.instances), key=lambda instance: instance.plays)

    @property
    def mean(self) -> Array:
        """Estimated payoff of each arm by the instance that has played most."""
        return self._main.mean

    @property
    def std(self) -> Array:
        """Posterior standard deviation of each arm by the instance that has played most."""
        return self._main.std

    @property
    def width(self) -> float:
        """What multiplies the std in the bounds of the instance that has played most."""
        return self._main.width

    def recommend(self) -> Recommendation:
        """Of the instance that has played most, the played arm of the highest lower bound.

        Arms that a slower instance rules out are left out, as long as others were played.
        """
        if self.t == 0:
            raise InvalidInput("expected at least one tell before recommend(), got none")
        main = self._main
        arms, deviation, std = main.belief.known()
        allowed = self._allowed(self.instances[main.number + 1 :])[arms]
        half = main.width * std
        lower = np.where(allowed | ~allowed.any(), deviation - half, -np.inf)
        best = int(np.argmax(lower))
        value = float(main.limiter.origin + main.belief.location + deviation[best])
        error = float(half[best])
        arm = self.choices.show(int(arms[best]))
        return Recommendation(arm, value, (value - error, value + error))

    def _allowed(self, slower: Sequence[Instance]) -> Any:
        """The arms that none of some instances rules out."""
        allowed = np.ones(len(self.points), dtype=bool)
        for instance in slower:
            if instance.calibrated:
                allowed &= instance.plausible
        return allowed

    # -- ask and tell -------------------------------------------------------------------------

    @abstractmethod
    def _choose(self, own: Instance, slower: Sequence[Instance]) -> int:
        """The arm that an instance plays, given those slower than it."""

    def _batch(self, n: int) -> list[Any]:
        # Each choice shrinks the std of its instance as if it had been played.
        batch: list[Any] = []
        pending = list(self.instances)
        for t in range(self.t, self.t + n):
            number = self.drawn(t)
            batch.append(self._choose(pending[number], pending[number + 1 :]))
            if len(batch) < n:
                if pending[number] is self.instances[number]:
                    pending[number] = pending[number].copy()
                pending[number].suppose(batch[-1])
        return batch

    def _tell(self, choice: int, payoff: float) -> None:
        instance = self.instances[self.drawn(self.t)]
        self._payoff[0] = instance.limiter.relative(payoff)
        self.t += 1
        self._learn(instance, choice, self._payoff)
        instance.renew()

    @abstractmethod
    def _learn(self, instance: Instance, arm: int, payoffs: Array) -> None:
        """How the payoff of a round enters the instance that played it."""

    # -- state --------------------------------------------------------------------------------

    def _memory(self) -> dict[str, Any]:
        states = {f"instance_{each.number}": each.state() for each in self.instances}
        return {**super()._memory(), **states}

    def _layout(self) -> dict[str, Field | Schema]:
        schemas = {f"instance_{each.number}": each.schema for each in self.instances}
        return {**super()._layout(), **schemas}

    def _sizes(self) -> dict[str, int]:
        return {**self.choices.sizes, **self.instances[0].belief.sizes}

    def _remember(self, memory: dict[str, Any]) -> None:
        super()._remember(memory)
        for instance in self.instances:
            instance.restore(memory[f"instance_{instance.number}"])

    def _verify(self) -> None:
        for instance in self.instances:
            instance.verify()
        played = sum(instance.plays for instance in self.instances)
        if played != self.t:
            raise InvalidState(f"expected {played} rounds in the state, got {self.t}")
