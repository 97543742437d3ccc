"""What policies share that play the arm of the highest upper confidence bound."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stoic.checks import Array, points
from stoic.errors import InvalidInput, InvalidState
from stoic.estimators import AdaptivelyTruncatedMean, Calibration, Overview, SmoothedMean
from stoic.policies.base import Policy, Recommendation
from stoic.posterior import AnyPosterior, Step, exact_posterior
from stoic.schedules import Progress
from stoic.schema import Field, Reals, Schema
from stoic.spaces import Arms, Box

__all__ = ["UCBPolicy"]

Payoffs = list[float] | Array


class UCBPolicy(Policy):
    """Play argmax of mean + width·std, ties to the lowest index.

    A subclass says in :meth:`_learn` how one payoff of one tracked point enters, which is all
    that most of the papers differ in. On a box, the tracked points are those played so far, and
    the bound is maximised over candidates and refined locally.
    """

    posterior: AnyPosterior
    estimator: Any  # SmoothedMean or AdaptivelyTruncatedMean
    _over = False  # whether it has learned all that it will, and just plays the best arm

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._calibration = Calibration() if getattr(self.schedule, "learns", False) else None
        self._places: dict[bytes, int] = {}  # of a box: points played → tracked number
        arms = (
            self.domain.X if isinstance(self.domain, Arms) else np.zeros((0, self.domain.dimension))
        )
        self.posterior = self._posterior(arms)
        self.estimator = self._estimator(len(arms))
        self.overview = self._overview()

    def _posterior(self, points: Array) -> AnyPosterior:
        return exact_posterior(self.kernel, points, self.lam)

    def _estimator(self, arms: int) -> SmoothedMean | AdaptivelyTruncatedMean:
        return SmoothedMean(arms)

    def _overview(self) -> Overview:
        return Overview(self.estimator, self.posterior)

    # -- what it shows ------------------------------------------------------------------------

    @property
    def origin(self) -> float:
        """What all means are relative to inside."""
        return self._calibration.origin if self._calibration else 0.0

    @property
    def mean(self) -> Array:
        """Estimated payoff of each arm (of each point played, on a box)."""
        mean: Array = self.origin + self.estimator.location + self.estimator.deviation
        return mean

    @property
    def std(self) -> Array:
        """Posterior standard deviation of each arm (of each point played, on a box)."""
        return self.posterior.std

    @property
    def width(self) -> float:
        """What multiplies the std in the policy's bounds at the coming choice."""
        if self._over:
            return 0.0
        width = float(self.schedule.width(self.progress))
        if not math.isfinite(width):
            raise InvalidInput(f"expected a finite width from the schedule, got {width}")
        return width

    @property
    def progress(self) -> Progress:
        """What the schedule may look at."""
        logdet, overview, learned = self.posterior.logdet, self.overview, self._calibration
        if learned is None:
            return Progress(self._rounds, logdet, self.posterior.size, overview.variance_sum)
        learnt = learned.noise, overview.amplitude, overview.widest, learned.warming
        return Progress(self._rounds, logdet, 0, 0.0, *learnt)  # by place: quicker

    @property
    def _rounds(self) -> int:
        """What the schedule counts."""
        return self.t

    def predict(self, X: Any) -> tuple[Array, Array]:
        """Estimated payoff and posterior standard deviation at any points."""
        X = points(X, "the points")
        self.kernel.check(X)
        deviation = self.estimator.predict(X, self._basis)
        _, std = self.posterior.predict(X, np.zeros(len(self.posterior.counts)))
        return self.origin + self.estimator.location + deviation, std

    # -- ask ----------------------------------------------------------------------------------

    def _choose(self) -> Any:
        if self._known_choice is None:
            self._known_choice = self._best(self.overview)
        return self._known_choice

    def _batch(self, n: int) -> list[Any]:
        # Each choice shrinks the std as if it had been played; the mean waits for payoffs.
        pending = self.overview.copy()
        batch = []
        for _ in range(n):
            choice = self._best(pending)
            batch.append(choice)
            if isinstance(self.domain, Box):
                pending.posterior.track(choice[None])
                choice = len(pending.posterior.counts) - 1
            self._suppose(pending, int(choice))
        return batch

    def _suppose(self, pending: Overview, arm: int) -> None:
        """Let a pending choice shrink the std as if it had been played."""
        pending.suppose(arm)

    def _best(self, overview: Overview) -> Any:
        width = self.width
        if isinstance(self.domain, Arms):
            return overview.best(width)
        posterior = overview.posterior

        def bound(X: Array) -> Array:
            _, std = posterior.predict(X, np.zeros(len(posterior.counts)))
            total: Array = self.estimator.predict(X, self._basis) + width * std
            return total

        top = np.argsort(-self.estimator.deviation, kind="stable")[:8]
        seed = int(np.random.SeedSequence([self.seed, posterior.t]).generate_state(1)[0])
        return self.domain.maximise(bound, seed, self.posterior.points[top])

    # -- tell ---------------------------------------------------------------------------------

    def _tell(self, place: Any, payoff: float) -> None:
        self.posterior.reserve()  # so that a lack of memory shows before anything changes
        arm = place if isinstance(self.domain, Arms) else self._track(place)
        if self._calibration is not None:
            payoff = self._calibration.relative(payoff)
        self.t += 1
        self._learn(arm, payoff)
        self._known_choice = None

    def _track(self, point: Array) -> int:
        point = point + 0.0  # −0 is 0
        key = point.tobytes()
        if key not in self._places:
            self._places[key] = len(self._places)
            self._follow(point[None])
        return self._places[key]

    def _follow(self, points: Array) -> None:
        """Track further points of a box."""
        self.posterior.track(points)
        self.estimator.track(points, self._basis)

    @property
    def _basis(self) -> AnyPosterior:
        """The posterior that the present mean rests on."""
        return self.posterior

    def _learn(self, arm: int, payoff: float) -> None:
        """How the payoff of round t, of one tracked point, enters."""
        raise NotImplementedError

    def _absorb(
        self, arm: int, payoffs: Payoffs, step: Step | None = None, *, clipped: bool = False
    ) -> None:
        """Hand payoffs to the smoother, as they are or clipped about their arm's estimate.

        Clipping is the practical truncation; without a calibration there is none.
        """
        learned, estimator, posterior = self._calibration, self.estimator, self.posterior
        if learned is None:
            estimator.add(arm, payoffs, step or posterior.observe(arm), posterior)
            return
        learned.amplitude = self.overview.amplitude
        centre, share = self._present(arm)
        step = step or posterior.observe(arm)
        if learned.warming:
            for payoff in payoffs:
                learned.warm(arm, float(payoff))
            estimator.location = learned.location
            self._rewarm(clipped=clipped)
        else:
            about = centre, share, self._support(arm, step)
            estimator.judge(arm, payoffs, step, posterior, (learned, about, clipped))

    def _support(self, arm: int, step: Step) -> float:  # noqa: ARG002, for those that clip
        """How many plays stand behind an arm's estimate: the limit of its payoffs grows with it."""
        return 1.0

    def _judge(self, arm: int, payoff: float, plays: float = 1.0) -> None:
        """Let the calibration, if there is one, see a payoff that is not to be clipped."""
        learned = self._calibration
        if learned is None:
            return
        learned.amplitude = self.overview.amplitude
        if learned.warming:
            learned.warm(arm, payoff)
        else:
            learned.clip(arm, [payoff], *self._present(arm), plays)
        self.estimator.location = learned.location

    def _rewarm(self, *, clipped: bool) -> None:
        """Hand over all payoffs of the warm-up anew: their origin and scale have changed."""
        assert self._calibration is not None
        arms, values = self._calibration.first(clipped=clipped)
        columns = self.estimator.columns
        self.estimator.replace(arms[::columns], values.reshape(-1, columns), self.posterior)

    def _present(self, arm: int) -> tuple[float, float]:
        """Estimate of a tracked point, and its variance as a share of the prior's."""
        deviation, var = self.overview.at(arm)
        return self.estimator.location + deviation, var / self.setting.prior_var

    # -- recommend ----------------------------------------------------------------------------

    def recommend(self) -> Recommendation:
        """The arm of the highest lower bound among those played, with value and interval."""
        if self.t == 0:
            raise InvalidInput("expected at least one tell before recommend(), got none")
        arms, deviation, std = self.overview.known()
        reach = self.width * std
        best = int(np.lexsort((arms, reach - deviation))[0])
        value = float(self.origin + self.estimator.location + deviation[best])
        return self._stand_by(self.posterior.points, int(arms[best]), value, float(reach[best]))

    # -- state --------------------------------------------------------------------------------

    def _memory(self) -> dict[str, Any]:
        memory = super()._memory()
        memory |= {"posterior": self.posterior.state(), "estimator": self.estimator.state()}
        if self._calibration is not None:
            memory["calibration"] = self._calibration.state()
        if isinstance(self.domain, Box):
            memory["points"] = self.posterior.points.copy()
        return memory

    def _layout(self) -> dict[str, Field | Schema]:
        layout = {"posterior": self.posterior.schema, "estimator": self.estimator.schema}
        if self._calibration is not None:
            layout["calibration"] = self._calibration.schema
        if isinstance(self.domain, Arms):
            return {**super()._layout(), **layout}
        return {"points": Reals("A", self.domain.dimension), **super()._layout(), **layout}

    def _sizes(self) -> dict[str, int]:
        return {**super()._sizes(), "columns": self.estimator.columns}

    def _remember(self, memory: dict[str, Any]) -> None:
        if isinstance(self.domain, Box):
            self._replay(memory["points"] + 0.0)
        super()._remember(memory)
        self.posterior.restore(memory["posterior"])
        self.estimator.restore(memory["estimator"])
        self._known_choice = None
        if self._calibration is not None:
            self._calibration.restore(memory["calibration"])

    def _replay(self, played: Array) -> None:
        """Track the points of a state."""
        assert isinstance(self.domain, Box)
        self._places = {point.tobytes(): number for number, point in enumerate(played)}
        inside = (self.domain.low <= played) & (played <= self.domain.high)
        if len(self._places) < len(played) or not inside.all():
            raise InvalidState("expected distinct points of the box in the state, got others")
        self._follow(played)

    def _verify(self) -> None:
        self.posterior.verify()
        self.estimator.verify(self._basis)
        if self._calibration is not None:
            self._calibration.verify(self.posterior.counts, self.estimator.columns)
        elif self.estimator.location:
            raise InvalidState("expected no location without a calibration in the state")
        if self._rounds != self.posterior.t:
            raise InvalidState(f"expected {self.posterior.t} rounds in the state, got {self.t}")
