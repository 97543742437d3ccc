"""Which point is suggested next: of the finals, the baseline, a design, a policy or the model."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from stoic.checks import Array
from stoic.optimize.acquisition import Acquisition
from stoic.optimize.auditing import to_confirm, to_repeat
from stoic.optimize.failing.failures import Failures
from stoic.optimize.finals.stage import Stage
from stoic.optimize.history import History, key
from stoic.optimize.long_run import LongRun
from stoic.optimize.model import Model
from stoic.optimize.modeller import Modeller
from stoic.surrogate import RobustGP

__all__ = ["Suggester"]

_MAX_OF_ONE_FIELD = 16  # points of a batch that are chosen among the same candidates
_DESIGN_POINTS = 256  # drawn at once; only runs that no surrogate explains need more than a few


class Suggester:
    """Suggests points of one run; ``waiting`` are those under evaluation, or already suggested."""

    def __init__(
        self, history: History, modeller: Modeller, acquisition: Acquisition, stage: Stage
    ) -> None:
        self._history, self._modeller, self._stage = history, modeller, stage
        self._acquisition = acquisition
        self._space, self._seed = history.space, acquisition.search.seed
        self._long_run = LongRun(history, modeller, self._seed)

    def one(self, waiting: list[Array], count: int = 1) -> list[Array]:
        """The next point while others are pending."""
        del count
        point = self._before_model(waiting)
        if point is not None:
            return [point]
        model, round_ = self._modeller.model(), len(self._history) + len(waiting)
        if model.scaling.is_one_sided:
            return [self._without_model(waiting, round_)]
        if not waiting:
            again = to_repeat(self._history)
            again = to_confirm(self._history, model.gp) if again is None else again
            if again is not None:
                return [np.array(again)]
        committee, seen = self._committee(model, waiting)
        return [self._acquisition.choose(committee, seen, Failures.of(self._history), round_)]

    def several(self, waiting: list[Array], count: int) -> list[Array]:
        """At most ``count`` points, at the cost of about one."""
        point = self._before_model(waiting)
        if point is not None:
            return [point]
        model, round_ = self._modeller.hasty(), len(self._history) + len(waiting)
        if model.scaling.is_one_sided:
            return [self._without_model(waiting, round_)]
        committee, seen = self._committee(model, waiting)
        most = min(count, _MAX_OF_ONE_FIELD)
        return self._acquisition.choose_several(
            committee, seen, Failures.of(self._history), round_, most
        )

    def _committee(
        self, model: Model, waiting: list[Array]
    ) -> tuple[list[tuple[RobustGP, float]], Array]:
        """Surrogates that account for what is pending, and all points that were tried."""
        pending = np.array(waiting).reshape(-1, self._space.dimension)
        committee = model.committee(self._acquisition.tactics, pending)
        return committee, np.vstack([model.points(), pending])

    def _before_model(self, waiting: list[Array]) -> Array | None:
        """A point that no surrogate chooses: of the finals, the baseline, a design, a policy."""
        history = self._history
        if self._stage.race is not None:
            return self._stage.race.next(waiting)
        if (base := self._stage.baseline_due(waiting)) is not None:
            return base
        round_ = len(history) + len(waiting)
        if round_ < history.design_size or history.successes < 2:
            return self._of_design(waiting)
        if LongRun.suits(history):
            return self._long_run.choose(waiting, Failures.of(history))
        return None

    def _without_model(self, waiting: list[Array], round_: int) -> Array:
        """A point that fills the space and, every second time, one beside a good measurement."""
        near = self._acquisition.search.beside_best(self._history, round_) if round_ % 2 else None
        return self._of_design(waiting) if near is None else near

    @cached_property
    def _design(self) -> Array:
        """Points that fill the space evenly; made when needed: it imports SciPy's statistics."""
        return self._space.sample(_DESIGN_POINTS, self._seed)

    def _of_design(self, waiting: list[Array]) -> Array:
        """The first point of the design that was not tried and is not pending."""
        known = self._history.tried() | {key(point) for point in waiting}
        for point in self._design:
            if key(point) not in known:
                return np.array(point)
        return np.array(self._design[(len(self._history) + len(waiting)) % len(self._design)])
