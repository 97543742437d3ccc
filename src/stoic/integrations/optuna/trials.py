"""The finished trials of a study of Optuna, read as they come, and the optimiser told of them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.logging import get_logger
from optuna.trial import FrozenTrial, TrialState

from stoic.integrations.optuna.axes import Distributions, axes_of
from stoic.optimize import Optimizer
from stoic.optimize.aim import Aim
from stoic.optimize.answers import Conclusion, Trial
from stoic.spaces import Space

__all__ = ["Told", "Trials", "completed", "plan_as_attributes"]

_PLAN = "stoic:"  # begins the names of the attributes that have a trial's suggestion
_MAX_ATTRIBUTE = 2000  # characters; Optuna's databases hold 2,045
_FIXED = "fixed_params"  # Optuna's attribute of enqueued trials

_logger = get_logger("optuna.samplers.stoic")


class Told:
    """An optimiser of a search space, and the finished trials that it was told."""

    def __init__(self, distributions: Distributions, aim: Aim, seed: int) -> None:
        self.distributions = dict(distributions)
        self.axes = axes_of(distributions)
        space = Space({name: axis.parameter for name, axis in self.axes.items()})
        self.optimizer = Optimizer(
            space, direction=aim.direction, seed=seed, target=aim.target, bounds=aim.bounds
        )
        self._numbers: list[int] = []  # Optuna's number of each trial of the optimiser
        self._count = 0  # trials that were read

    def follow(self, finished: list[FrozenTrial]) -> None:
        """Tell the trials that are new; those outside the search space are left out."""
        told = []
        for trial in finished[self._count :]:
            configuration = self.read(trial.params)
            if configuration is not None:
                told.append((configuration, *_outcome(trial)))
                self._numbers.append(trial.number)
        self.optimizer.tell_all(told)
        self._count = len(finished)

    def read(self, params: Mapping[str, Any]) -> dict[str, float] | None:
        """The configuration of Optuna's values; None where one is missing or outside."""
        found = {}
        for name, axis in self.axes.items():
            value = axis.read(params[name]) if name in params else None
            if value is None:
                return None
            found[name] = value
        return found

    def values(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """Optuna's values of a configuration."""
        return {name: axis.to_optuna(configuration[name]) for name, axis in self.axes.items()}

    def conclude(self) -> Conclusion:
        """The conclusion, with Optuna's values and numbers of trials."""
        found = self.optimizer.conclude()
        best, values = found.luckiest.trial, self.values
        trial = Trial(self._numbers[best.number], values(best.params), best.value, None)
        suspects = (
            replace(s, trial=self._numbers[s.trial], params=values(s.params))
            for s in found.suspects
        )
        return replace(
            found,
            answer=replace(found.answer, params=values(found.answer.params)),
            luckiest=replace(found.luckiest, trial=trial),
            suspects=tuple(suspects),
        )


class Trials:
    """The trials of one study.

    Each call of `read` looks only at those that were unfinished at the last one. The order of the
    finished ones, on which suggestions depend, is that of their completion: the same for every
    process and after a restart.
    """

    def __init__(self) -> None:
        self.count = 0  # trials that were in the storage
        self.common: dict[str, BaseDistribution] | None = None
        """What all complete trials have with the same distribution; None before the first."""
        self._finished: list[FrozenTrial] = []
        self._unfinished: list[FrozenTrial] = []
        self._newest = -1  # the highest number of a finished trial
        self._told: Told | None = None

    def read(self, stored: list[FrozenTrial]) -> None:
        """Take over what has changed; ``stored`` are all trials, by number."""
        news = [stored[trial.number] for trial in self._unfinished] + stored[self.count :]
        fresh = sorted((trial for trial in news if trial.state.is_finished()), key=completed)
        self._unfinished = [trial for trial in news if not trial.state.is_finished()]
        self.count = len(stored)
        if fresh and self._finished and completed(fresh[0]) < completed(self._finished[-1]):
            self._finished = sorted(self._finished + fresh, key=completed)
            self._told = None
        else:
            self._finished += fresh
        for trial in fresh:
            self._newest = max(self._newest, trial.number)
            if trial.state == TrialState.COMPLETE:
                self._intersect(trial.distributions)

    def _intersect(self, distributions: Distributions) -> None:
        if self.common is None:
            self.common = dict(distributions)
            return
        for name in [n for n, d in self.common.items() if distributions.get(n) != d]:
            del self.common[name]
            _logger.warning(
                f"The parameter {name!r} is sampled independently from now on: not all complete "
                "trials have it with the same range."
            )

    def told_to(self, distributions: Distributions, direction: str, seed: int) -> Told:
        """The optimiser of a search space, told of all finished trials that are of it."""
        if self._told is None or self._told.distributions != distributions:
            self._told = Told(distributions, Aim(direction), seed)
        self._told.follow(self._finished)
        return self._told

    def pending(self, told: Told, number: int) -> tuple[list[dict[str, float]], int]:
        """The configurations under evaluation, and how many more come before that of ``number``.

        These are of other workers, which are being given a suggestion at this moment: running
        trials without any parameter, after which no trial has finished yet.
        """
        configurations, ahead = [], 0
        for trial in self._unfinished:
            if trial.number == number:
                continue
            fixed = trial.system_attrs.get(_FIXED, {})
            params = {**_plan(trial, told), **fixed, **trial.params}
            configuration = told.read(params)
            if configuration is not None:
                configurations.append(configuration)
            elif not params and self._newest < trial.number < number:
                ahead += trial.state == TrialState.RUNNING
        return configurations, ahead


def completed(trial: FrozenTrial) -> tuple[datetime, int]:
    """By which finished trials are sorted."""
    return trial.datetime_complete or datetime.min, trial.number


def plan_as_attributes(
    params: Mapping[str, Any], space: Distributions
) -> Iterable[tuple[str, str]]:
    """Names and texts of the attributes that show a trial's suggestion to other workers.

    Optuna itself stores a parameter only when the objective asks for it.
    """
    text = json.dumps({name: space[name].to_internal_repr(v) for name, v in params.items()})
    for i in range(0, len(text), _MAX_ATTRIBUTE):
        yield f"{_PLAN}{i // _MAX_ATTRIBUTE}", text[i : i + _MAX_ATTRIBUTE]


def _plan(trial: FrozenTrial, told: Told) -> dict[str, Any]:
    """The suggestion of an unfinished trial; empty where there is none, or none that is sound."""
    attributes = trial.system_attrs
    parts: list[str] = []
    while isinstance(part := attributes.get(f"{_PLAN}{len(parts)}"), str):
        parts.append(part)
    try:
        plan = json.loads("".join(parts))
        return {
            name: distribution.to_external_repr(float(plan[name]))
            for name, distribution in told.distributions.items()
            if name in plan
        }
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return {}


def _outcome(trial: FrozenTrial) -> tuple[float | None, str | None]:
    """The value of a finished trial, or the reason why there is none."""
    if trial.state != TrialState.COMPLETE:
        return None, trial.state.name.lower()
    if not math.isfinite(value := float(trial.values[0])):
        return None, f"the value is {value}"
    if any(bound > 0.0 for bound in _constraints(trial.system_attrs)):
        return None, "a constraint is violated"
    return value, None


def _constraints(attributes: Mapping[str, Any]) -> Iterable[float]:
    """What `Trial.set_constraint` has kept, or a sampler's function of constraints."""
    yield from attributes.get("constraints") or ()
    yield from (value for key, value in attributes.items() if key.startswith("constraints:"))
