"""Ask what to evaluate, tell what came, and get an answer that no fluke decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from stoic.checks import Array, describe, given_direction, integer, listed, number
from stoic.errors import InvalidInput, InvalidPayoff
from stoic.optimize.acquisition import Acquisition
from stoic.optimize.answers import Answer, Luckiest, Suspect, Trial
from stoic.optimize.failures import Failures
from stoic.optimize.history import History, key
from stoic.optimize.judgement import luckiest, recommend, suspects
from stoic.optimize.long_run import LongRun
from stoic.optimize.model import Model, Modeller
from stoic.optimize.search import Search
from stoic.optimize.tactics import Tactics
from stoic.parallel import one_thread
from stoic.spaces import Space

__all__ = ["Optimizer"]

_TRIPLE = "(parameters, value, reason)"
_TRIPLES = f"{_TRIPLE} triples"
_FIRST = 8  # evaluations spread over the space before a surrogate is asked


class Optimizer:
    """Finds the best configuration of a noisy system, with nothing to know about its noise.

    Heavy tails, outliers of any size on either side, crashes: nothing needs to be said about
    them. ``ask`` changes nothing; asked again, it gives the same answer until a ``tell``.
    Suggestions depend on the seed and on what was told, not on scale or offset of the values.

    Parameters
    ----------
    space
        A mapping such as ``{"lr": (1e-5, 1e-1, "log"), "depth": (2, 12), "opt": ["adam", "sgd"]}``
        or a :class:`stoic.Space`.
    direction
        ``"maximize"`` or ``"minimize"``; has to be given, for nobody can guess what good means.
    seed
        Of all that is drawn.

    >>> optimizer = Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    >>> for _ in range(12):
    ...     params = optimizer.ask()
    ...     optimizer.tell(params, (params["x"] - 0.3) ** 2)
    >>> abs(optimizer.recommend().params["x"] - 0.3) < 0.05
    True
    """

    def __init__(
        self,
        space: Space | Mapping[str, Any],
        *,
        direction: str | None = None,
        seed: int = 0,
        tactics: Tactics | None = None,
    ) -> None:
        self.space = Space.of(space)
        self.direction = given_direction(direction)
        self.seed = integer(seed, "seed", at_least=0, at_most=2**63 - 1)
        self._sign = 1.0 if direction == "maximize" else -1.0
        self._history = History(self.space, self._sign)
        self._first = _first(self.space)
        self._modeller = Modeller(self._history, self._first)
        self._long_run = LongRun(self._history, self._modeller, self.seed)
        self._acquisition = Acquisition(Search(self.space, self.seed), tactics)

    # -- ask ----------------------------------------------------------------------------------

    def ask(self, n: int | None = None, *, pending: Sequence[Mapping[str, Any]] = ()) -> Any:
        """The configuration to evaluate next, or a list of ``n``.

        ``pending`` are configurations under evaluation whose values have not been told; the
        suggestion reckons with them.
        """
        waiting = [self.space.encode(p) for p in listed(pending, "pending", "configurations")]
        count = 1 if n is None else integer(n, "n", at_least=1)
        batch = []
        with one_thread():
            for _ in range(count):
                point = self._suggest(waiting)
                waiting.append(point)
                batch.append(self.space.decode(point))
        return batch[0] if n is None else batch

    def _suggest(self, waiting: list[Array]) -> Array:
        history = self._history
        turn = len(history) + len(waiting)
        if turn < self._first or history.successes < 2:
            return self._fresh(waiting)
        if LongRun.suits(history):
            return self._long_run.choose(waiting, self._failures())
        pending = np.array(waiting).reshape(-1, self.space.dimension)
        model = self._modeller.model()
        committee = model.members(self._acquisition.tactics, pending)
        seen = np.vstack([model.points(), pending])
        return self._acquisition.choose(committee, seen, self._failures(), turn)

    @cached_property
    def _design(self) -> Array:
        """Points that fill the space evenly; made when needed, for it takes SciPy's statistics."""
        return self.space.sample(4 * self._first, self.seed)

    def _fresh(self, waiting: list[Array]) -> Array:
        """The first point of the design that was neither tried nor is under way."""
        known = self._history.tried() | {key(point) for point in waiting}
        for point in self._design:
            if key(point) not in known:
                return np.array(point)
        turn = len(self._history) + len(waiting)
        return np.array(self._design[turn % len(self._design)])

    def _failures(self) -> Failures:
        failed = self._history.failed()
        succeeded = self._history.points() if len(failed) else failed
        return Failures(failed, succeeded, self.space.groups)

    # -- tell ---------------------------------------------------------------------------------

    def tell(self, params: Mapping[str, Any], value: float) -> None:
        """Report the value of a configuration, any of the space, as often as it was measured.

        Raises a typed error, and changes nothing, unless ``value`` is one finite real number and
        ``params`` are of the space.
        """
        y = number(value, "value", error=InvalidPayoff)
        self.tell_all([(params, y, None)])

    def fail(self, params: Mapping[str, Any], reason: str = "") -> None:
        """Report that the evaluation of a configuration gave no value."""
        self.tell_all([(params, None, reason)])

    def tell_all(self, told: Sequence[tuple[Mapping[str, Any], float | None, str | None]]) -> None:
        """Report many outcomes in order, all or none: parameters, and a value or a reason.

        Ten times as fast as to tell them one by one.
        """
        outcomes = [_triple(item, i) for i, item in enumerate(listed(told, "told", _TRIPLES))]
        points, plain = self.space.read([params for params, _, _ in outcomes])
        checked = [
            (params, *_outcome(value, reason))
            for params, (_, value, reason) in zip(plain, outcomes, strict=True)
        ]
        self._history.extend(points, checked)

    # -- answers ------------------------------------------------------------------------------

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All that was told, in order."""
        return tuple(self._history.trials)

    def recommend(self) -> Answer:
        """The configuration to stand by: the best *estimated* one, with a 90% interval."""
        search = self._acquisition.search
        with one_thread():
            return recommend(self._history, self._known(), self._failures(), search)

    @property
    def luckiest(self) -> Luckiest:
        """The best *observed* value, and why it is, or is not, the answer."""
        answer, suspected = self.recommend(), self.suspects()
        with one_thread():
            return luckiest(self._history, self._known(), answer, suspected)

    def suspects(self) -> tuple[Suspect, ...]:
        """Measurements judged corrupt, each with the reason."""
        if self._history.successes <= 3:
            return ()
        with one_thread():
            return suspects(self._history, self._known())

    def _known(self) -> Model:
        if not self._history.successes:
            raise InvalidInput(
                "expected at least one evaluation with a value, got none; tell one first"
            )
        return self._modeller.model()


def _triple(item: object, i: int) -> tuple[Any, Any, Any]:
    if not isinstance(item, tuple | list) or len(item) != 3:
        raise InvalidInput(
            f"expected each outcome as {_TRIPLE}, got {describe(item)} as number {i}; where there "
            "is a value the reason is None, where it failed the value is"
        )
    return item[0], item[1], item[2]


def _outcome(value: float | None, reason: str | None) -> tuple[float | None, str | None]:
    if value is not None:
        return number(value, "value", error=InvalidPayoff), None
    if not isinstance(reason, str):
        raise InvalidInput(f"expected reason as text, got {type(reason).__name__}")
    return None, reason


def _first(space: Space) -> int:
    """How many evaluations fill the space before a surrogate is asked."""
    return min(_FIRST + max(0, space.dimension - 4), 12)
