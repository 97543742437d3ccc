"""The optimiser: ask what to evaluate, tell the outcome, get a recommendation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stoic.checks import Array, integer, listed, number
from stoic.errors import InvalidInput, InvalidPayoff
from stoic.optimize.acquisition import Acquisition
from stoic.optimize.aim import Aim
from stoic.optimize.answers import Answer, Conclusion, Luckiest, Suspect, Trial
from stoic.optimize.answers.explanation import explain
from stoic.optimize.answers.luckiest import luckiest
from stoic.optimize.answers.recommendation import estimate, recommend
from stoic.optimize.finals import FinalsRecord, Verdict
from stoic.optimize.finals.race import Finals
from stoic.optimize.finals.settling import Room, room, settled
from stoic.optimize.finals.stage import Stage
from stoic.optimize.history import History, read_outcomes
from stoic.optimize.knowledge import Knowledge
from stoic.optimize.model import Model
from stoic.optimize.modeller import Modeller
from stoic.optimize.search import Search
from stoic.optimize.suggester import Suggester
from stoic.optimize.tactics import Tactics
from stoic.parallel import one_thread
from stoic.spaces import Space

__all__ = ["Optimizer"]


class Optimizer:
    """Finds the best configuration of a noisy system, without settings about its noise.

    Heavy tails, outliers of any size on either side and failures need no settings. ``ask`` changes
    nothing; asked again, it gives the same answer until a ``tell``. Suggestions depend on the seed
    and on the reported outcomes, not on scale or offset of the values.

    Parameters
    ----------
    space
        A mapping such as ``{"lr": (1e-5, 1e-1, "log"), "depth": (2, 12), "opt": ["adam", "sgd"]}``
        or a :class:`stoic.Space`.
    direction
        ``"maximize"`` or ``"minimize"``; has no default.
    seed
        Of all random draws.
    target
        What is estimated at the answer: ``"median"``, what half of all runs are better than, or
        ``"mean"``, the average over runs, suspects excluded.
    bounds
        The lowest and the highest possible value, ``(0, None)`` for times; no estimate and no
        interval is outside. A value outside is a suspect.
    baseline
        The configuration in use today, or the default one: measured first, again now and then, and
        in the finals, where the answer is compared with it.
    tactics
        Constants of the search, for experiments.

    Suggestions do not depend on ``target`` and ``bounds``.

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
        target: str = "median",
        bounds: tuple[float | None, float | None] | None = None,
        baseline: Mapping[str, Any] | None = None,
        tactics: Tactics | None = None,
    ) -> None:
        self.space = Space.of(space)
        self.aim = Aim.of(direction, target, bounds)
        self.direction = self.aim.direction
        self.seed = integer(seed, "seed", at_least=0, at_most=2**63 - 1)
        self.history = History(self.space, self.aim)
        self._modeller = Modeller(self.history)
        self._known: tuple[int, Knowledge] | None = None  # after so many trials
        self._acquisition = Acquisition(Search(self.space, self.seed), tactics)
        base = None if baseline is None else self.space.read([baseline])[1][0]
        self._stage = Stage(self.history, self._modeller, self.seed, base, self.suspects)
        self._suggester = Suggester(self.history, self._modeller, self._acquisition, self._stage)

    @property
    def baseline(self) -> dict[str, Any] | None:
        """The baseline, if one was given."""
        return None if self._stage.baseline is None else dict(self._stage.baseline)

    # -- ask ----------------------------------------------------------------------------------

    def ask(self, n: int | None = None, *, pending: Sequence[Mapping[str, Any]] = ()) -> Any:
        """The configuration to evaluate next, or a list of ``n``.

        ``pending`` are configurations under evaluation; the suggestion accounts for them.
        """
        count = 1 if n is None else integer(n, "n", at_least=1)
        batch = self._batch(count, pending, self._suggester.one)
        return batch[0] if n is None else batch

    def ask_quickly(
        self, n: int, *, pending: Sequence[Mapping[str, Any]] = ()
    ) -> list[dict[str, Any]]:
        """``n`` configurations in a fraction of the time of ``ask(n)``, for many a second.

        The surrogate is not fitted anew for each outcome, and several points are chosen among the
        same candidates. Each accounts for what is pending, and for those before it. They depend on
        when they were asked for, so a run with them can't be repeated exactly.
        """
        return self._batch(integer(n, "n", at_least=1), pending, self._suggester.several)

    def _batch(
        self,
        count: int,
        pending: Sequence[Mapping[str, Any]],
        suggest: Callable[[list[Array], int], list[Array]],
    ) -> list[dict[str, Any]]:
        points, configurations = self.space.read(listed(pending, "pending", "configurations"))
        waiting, batch = list(points), list[dict[str, Any]]()
        with one_thread():
            while len(batch) < count:
                for point in suggest(waiting, count - len(batch)):
                    pairs = zip(waiting, [*configurations, *batch], strict=True)
                    batch.append(self.history.configuration(point, pairs))
                    waiting.append(point)
        return batch

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
        """Report many outcomes in order, all or none, ten times as fast as one by one."""
        points, outcomes = read_outcomes(self.space, told)
        self.history.extend(points, outcomes)

    # -- finals -------------------------------------------------------------------------------

    @property
    def finals(self) -> Finals | None:
        """The finals that began last; None before, and after `end_finals`."""
        return self._stage.finals

    def contenders(self, evaluations: int) -> list[dict[str, Any]]:
        """Who would take part in finals of so many evaluations, if they began now.

        The answer, others that may be better, and last the baseline; fewer than two where there
        is nothing to compare.
        """
        count = integer(evaluations, "evaluations", at_least=1)
        if not self.history.successes:
            return []
        with one_thread():
            return self._stage.contenders(self.knowledge(), count)

    def start_finals(
        self, evaluations: int, contenders: Sequence[Mapping[str, Any]] | None = None
    ) -> Finals:
        """Begin the finals: from now on, `ask` gives the contenders and the baseline in blocks.

        After a third of ``evaluations`` one challenger is left, besides the baseline; `verdict` is
        about their blocks from then on. By default the contenders are those of `contenders`.
        Raises `InvalidInput` where there are fewer than two.
        """
        count = integer(evaluations, "evaluations", at_least=1)
        if contenders is None:
            contenders = self.contenders(count)
        named = self.space.read(listed(contenders, "contenders", "configurations"))[1]
        return self._stage.begin(named, count)

    def end_finals(self) -> None:
        """Go on with the search, with all that was measured."""
        self._stage.end()

    def settled(self) -> bool:
        """Whether another measurement would hardly improve the answer."""
        with one_thread():
            return settled(self.history, self._modeller, self._acquisition)

    def measurements_needed(self, least: int, most: int) -> int:
        """How many of each contender the finals need to show that the answer is better."""
        return self._stage.measurements_needed(self.knowledge, least, most)

    def room(self) -> Room | None:
        """What another measurement could gain; None where no surrogate can tell."""
        with one_thread():
            return room(self.history, self._modeller, self._acquisition)

    def verdict(self) -> Verdict | None:
        """Whether the answer is better than the baseline, from the finals alone; None without."""
        with one_thread():
            return self._stage.verdict()

    def finals_record(self) -> FinalsRecord | None:
        """The finals so far, block by block; None without."""
        with one_thread():
            return self._stage.record()

    # -- answers ------------------------------------------------------------------------------

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All reported trials, in order."""
        return tuple(self.history.trials)

    def knowledge(self, model: Model | None = None) -> Knowledge:
        """What is known so far, for reading.

        ``model`` replaces the optimiser's own surrogate, and is not fitted again without suspects.
        """
        if not self.history.successes:
            raise InvalidInput(
                "expected at least one evaluation with a value, got none; tell one first"
            )
        if model is not None:
            return Knowledge(self.history, model, self._acquisition.search, again=False)
        if self._known is None or self._known[0] != len(self.history):
            known = Knowledge(self.history, self._modeller.model(), self._acquisition.search)
            self._known = len(self.history), known
        return self._known[1]

    def recommend(self) -> Answer:
        """The best *estimated* configuration, with a 90% interval.

        From the start of the finals it is their winner. Its value is the surrogate's estimate from
        all measurements.
        """
        with one_thread():
            return recommend(self.knowledge(), self._stage.winner())

    def estimate(self, params: Mapping[str, Any]) -> Answer:
        """The estimate of a configuration, measured or not, with its 90% interval."""
        with one_thread():
            return estimate(self.knowledge(), self.space.encode(params))

    @property
    def luckiest(self) -> Luckiest:
        """The best *observed* value, and why it is, or is not, the answer."""
        return self.conclude().luckiest

    def suspects(self) -> tuple[Suspect, ...]:
        """Measurements called corrupt, each with the reason."""
        with one_thread():
            return self.knowledge().regular.suspects if self.history.successes else ()

    def conclude(self) -> Conclusion:
        """The answer, the luckiest measurement, the suspects and what explains them all."""
        with one_thread():
            known, stage = self.knowledge(), self._stage
            answer, suspected = recommend(known, stage.winner()), known.regular.suspects
            lucky, why = luckiest(known, answer, suspected), explain(known.model)
            return Conclusion(answer, lucky, suspected, why, stage.verdict(), stage.record())
