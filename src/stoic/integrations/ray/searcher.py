"""The searcher for Ray Tune."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ray.tune.search import Searcher

from stoic.checks import choice, describe, integer
from stoic.errors import InvalidInput, InvalidState
from stoic.files import write
from stoic.integrations.ray.results import outcome_of
from stoic.integrations.ray.space import RaySpace
from stoic.optimize import Answer, Optimizer, Suspect
from stoic.optimize.aim import TARGETS, given_bounds

__all__ = ["StoicSearch"]

_FORMAT = "stoic.integrations.ray.StoicSearch"
_DIRECTIONS = {"min": "minimize", "max": "maximize"}
_logger = logging.getLogger(__name__)

Params = dict[str, Any]
Told = tuple[Params, float | None, str | None]


class StoicSearch(Searcher):
    """Suggests configurations to Ray Tune, whose trials may be noisy, corrupt, or fail.

    A configuration is suggested again where another measurement pays, so ``Repeater`` is not
    needed. NaN, infinite values and crashed trials are failures. Running trials are accounted for,
    as many as there are.

    ``recommend()`` is the answer: the best *estimate*. Ray's ``get_best_result()`` is the luckiest
    trial.

    Parameters
    ----------
    space
        A ``param_space`` of Ray, or a `stoic.Space`. Not needed if the Tuner has a ``param_space``.
    metric, mode
        The name of the result, and ``"min"`` or ``"max"``. Not needed if the Tuner has them.
    points_to_evaluate
        Configurations that are suggested first.
    seed
        Of all random draws.
    target, bounds
        What the answer estimates, ``"median"`` or ``"mean"``, and the range of possible values, as
        for `stoic.Optimizer`.

    >>> from ray import tune
    >>> searcher = StoicSearch({"x": tune.uniform(0, 1), "model": {"depth": 3}}, "loss", "min")
    >>> for number in range(12):
    ...     config = searcher.suggest(str(number))
    ...     searcher.on_trial_complete(str(number), {"loss": (config["x"] - 0.3) ** 2})
    >>> answer = searcher.recommend()
    >>> abs(answer.params["x"] - 0.3) < 0.05, answer.params["model"]
    (True, {'depth': 3})
    """

    def __init__(
        self,
        space: object = None,
        metric: str | None = None,
        mode: str | None = None,
        *,
        points_to_evaluate: Sequence[Mapping[str, Any]] | None = None,
        seed: int = 0,
        target: str = "median",
        bounds: tuple[float | None, float | None] | None = None,
    ) -> None:
        _check_goal(metric, mode)
        super().__init__(metric=metric, mode=mode)
        self._seed = integer(seed, "seed", at_least=0, at_most=2**63 - 1)
        self._target = choice(target, "target", tuple(TARGETS))
        self._bounds = given_bounds(bounds)
        self._first = [dict(each) for each in points_to_evaluate or ()]
        self._space: RaySpace | None = None
        self._optimizer: Optimizer | None = None
        self._running: dict[str, Params] = {}
        self._finished: list[str] = []  # the trial of each outcome, "" if it came from elsewhere
        self._suggested = 0  # of the points to evaluate
        self._max_concurrent: int | None = None
        if space is not None:
            self._space = RaySpace.of(space)

    def set_search_properties(
        self,
        metric: str | None,
        mode: str | None,
        config: dict[str, Any],
        **spec: Any,  # noqa: ARG002 - Ray may pass more
    ) -> bool:
        """Take space and goal from the Tuner; False where this searcher has others."""
        _check_goal(metric, mode)
        for mine, theirs in ((self._metric, metric), (self._mode, mode)):
            if None not in (mine, theirs) and mine != theirs:
                return False
        if config:
            space = RaySpace.of(config)
            if self._space is not None and space.space != self._space.space:
                return False
            self._space = self._space or space
        self._metric, self._mode = metric or self._metric, mode or self._mode
        return True

    def set_max_concurrency(self, max_concurrent: int) -> bool:
        """Let at most so many trials run at a time."""
        self._max_concurrent = integer(max_concurrent, "max_concurrent", at_least=1)
        return True

    def _ready(self) -> tuple[RaySpace, Optimizer]:
        if self._space is None:
            RaySpace.of(None)  # the error that says how to give one
        if self._metric is None or self._mode is None:
            raise InvalidInput(
                f"expected a metric and a mode, got {self._metric!r} and {self._mode!r}; pass both "
                "to the Tuner or to StoicSearch"
            )
        assert self._space is not None
        if self._optimizer is None:
            self._optimizer = Optimizer(
                self._space.space, direction=_DIRECTIONS[self._mode], seed=self._seed,
                target=self._target, bounds=self._bounds,
            )  # fmt: skip
        return self._space, self._optimizer

    # -- the loop -----------------------------------------------------------------------------

    def suggest(self, trial_id: str) -> dict[str, Any] | None:
        """The configuration of a trial; None while enough trials run."""
        space, optimizer = self._ready()
        if trial_id not in self._running:
            limit = self._max_concurrent
            if limit is not None and len(self._running) >= limit:
                return None
            if self._suggested < len(self._first):
                params = space.params(self._first[self._suggested])
                space.space.encode(params)  # or an error
                self._suggested += 1
            else:
                params = optimizer.ask(pending=list(self._running.values()))
            self._running[trial_id] = params
        return space.config(self._running[trial_id])

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        """Intermediate results are not used."""

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """Take the last result of a trial, or its failure."""
        params = self._running.pop(trial_id, None)
        if params is None:
            _logger.warning("trial %s is not running, its result is not used", trial_id)
            return
        value = None if error or not result else result.get(str(self._metric))
        self._tell(trial_id, params, value, error)

    def _tell(self, trial_id: str, params: Params, value: object, error: bool) -> None:
        _, optimizer = self._ready()
        y, reason = outcome_of(value, error, str(self._metric))
        optimizer.tell_all([(params, y, reason)])
        self._finished.append(trial_id)

    def add_evaluated_point(
        self,
        parameters: dict[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: list[float] | None = None,  # noqa: ARG002 - not used
    ) -> None:
        """Take the result of a configuration that was measured elsewhere; a pruned one is not."""
        space, _ = self._ready()
        if not pruned:
            self._tell("", space.params(parameters), value, error)

    # -- answers ------------------------------------------------------------------------------

    def recommend(self) -> Answer:
        """The best estimated configuration, its value and a 90% interval."""
        space, optimizer = self._ready()
        answer = optimizer.recommend()
        return replace(answer, params=space.config(answer.params))

    def suspects(self) -> dict[str, Suspect]:
        """Results that the others contradict, by trial; with configurations of Ray."""
        space, optimizer = self._ready()
        return {
            self._finished[each.trial]: replace(each, params=space.config(each.params))
            for each in optimizer.suspects()
        }

    # -- state --------------------------------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """The state as plain data."""
        trials = self._optimizer.trials if self._optimizer is not None else ()
        return {
            "format": _FORMAT,
            "version": 1,
            "metric": self._metric,
            "mode": self._mode,
            "seed": self._seed,
            "target": self._target,
            "bounds": None if self._bounds is None else list(self._bounds),
            "space": None if self._space is None else self._space.describe(),
            "running": [[trial, params] for trial, params in self._running.items()],
            "told": [[dict(t.params), t.value, t.reason] for t in trials],
            "finished": list(self._finished),
            "suggested": self._suggested,
            "max_concurrent": self._max_concurrent,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state, or `InvalidState` and no change."""
        made = StoicSearch(seed=0)
        made._space, made._first = self._space, self._first
        try:
            made._take(state)
        except (InvalidInput, LookupError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, InvalidState):
                raise
            raise InvalidState(
                f"expected an undamaged state of StoicSearch, got {describe(state)} "
                f"({type(error).__name__}: {error}); restore another copy"
            ) from error
        self.__dict__.update(made.__dict__)

    def _take(self, state: Mapping[str, Any]) -> None:
        if (state["format"], state["version"]) != (_FORMAT, 1):
            raise InvalidInput(f"expected format {_FORMAT}, version 1")
        self._metric, self._mode = state["metric"], state["mode"]
        _check_goal(self._metric, self._mode)
        self._seed = integer(state["seed"], "seed", at_least=0, at_most=2**63 - 1)
        self._target = choice(state.get("target", "median"), "target", tuple(TARGETS))
        bounds = state.get("bounds")
        self._bounds = given_bounds(None if bounds is None else tuple(bounds))
        if state["space"] is not None:
            self._space = RaySpace.from_description(state["space"], self._space)
        limit = state["max_concurrent"]
        self._max_concurrent = None if limit is None else integer(limit, "limit", at_least=1)
        self._suggested = integer(state["suggested"], "suggested", at_least=0)
        self._finished = [str(trial) for trial in state["finished"]]
        self._running = {str(trial): dict(params) for trial, params in state["running"]}
        if len(self._finished) != len(state["told"]):
            raise InvalidInput("expected a trial for each outcome")
        if self._running or self._finished:
            space, optimizer = self._ready()
            space.space.read(list(self._running.values()))
            optimizer.tell_all([tuple(each) for each in state["told"]])

    def __getstate__(self) -> dict[str, Any]:
        """Plain data, and the user's constants, choices and points, which may be any objects."""
        space = self._space
        rest = None if space is None else (space.template, space.objects, space.steps)
        return {"state": self.get_state(), "rest": rest, "first": self._first}

    def __setstate__(self, pickled: dict[str, Any]) -> None:
        state, rest = pickled["state"], pickled["rest"]
        self.__init__()  # type: ignore[misc]
        if rest is not None:
            self._space = RaySpace(RaySpace.space_of(state["space"]), *rest)
        self._first = pickled["first"]
        self.set_state(state)

    def save(self, checkpoint_path: str) -> None:
        """Write the state as JSON."""
        write(Path(checkpoint_path), json.dumps(self.get_state(), allow_nan=False))

    def restore(self, checkpoint_path: str) -> None:
        """Read a state that `save` wrote."""
        path = Path(checkpoint_path)
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise InvalidState(
                f"expected a file written by StoicSearch.save, got {path}, which is not JSON"
            ) from error
        self.set_state(state)


def _check_goal(metric: object, mode: object) -> None:
    if metric is not None and not isinstance(metric, str):
        raise InvalidInput(
            f"expected one metric by name, got {describe(metric)}; StoicSearch optimises one"
        )
    if mode is not None:
        choice(mode, "mode", tuple(_DIRECTIONS))
