"""Stoic's optimiser as a sampler of Optuna."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from stoic.checks import describe, integer
from stoic.errors import InvalidInput
from stoic.forks import Unforked
from stoic.integrations.optuna.axes import axes_of, axis_of
from stoic.integrations.optuna.studies import place, set_attribute, single_direction
from stoic.integrations.optuna.trials import Trials, plan_as_attributes
from stoic.randomness import generator
from stoic.spaces import Space

__all__ = ["StoicSampler"]

_MAX_AHEAD = 16  # suggestions that are made for workers that are about to make them


class StoicSampler(BaseSampler):
    """Stoic's optimiser as a sampler of Optuna, for one objective, noisy or not.

    It keeps its head when values are outliers. Take the answer from `recommend`, because
    ``study.best_trial`` is only the luckiest trial. Suggestions depend on the seed, the trial's
    number and the trials in the storage, and on nothing that is kept in memory: a study that is
    resumed, by any process, goes on with the same suggestions.

    Parameters that all complete trials have with the same range are suggested together, the
    others one by one by ``independent_sampler``, by default at random. Failed and pruned trials,
    infinite values and violated constraints are failures, which the search learns to avoid.
    Several objectives are refused. A suggestion costs as much as `stoic.Optimizer.ask`.

    Parameters
    ----------
    seed
        Of all random draws. Workers of one study may share it.
    independent_sampler
        For the parameters that are not suggested together, and for trials before the first one is
        complete.

    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=StoicSampler(seed=1))
    >>> study.optimize(lambda trial: (trial.suggest_float("x", 0, 1) - 0.3) ** 2, n_trials=12)
    >>> abs(study.best_params["x"] - 0.3) < 0.05
    True
    """

    def __init__(self, *, seed: int = 0, independent_sampler: BaseSampler | None = None) -> None:
        self._seed = integer(seed, "seed", at_least=0, at_most=2**63 - 1)
        if not isinstance(independent_sampler, BaseSampler | None):
            raise InvalidInput(
                "expected independent_sampler as a sampler of Optuna, got "
                f"{describe(independent_sampler)}; pass one such as optuna.samplers.TPESampler()"
            )
        self._independent = independent_sampler
        self._studies: WeakKeyDictionary[Any, dict[int, Trials]] = WeakKeyDictionary()
        self._lock = Unforked()  # n_jobs=2 shares the sampler between threads

    def __getstate__(self) -> dict[str, Any]:
        return {"seed": self._seed, "independent_sampler": self._independent}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def reseed_rng(self) -> None:
        """Reseed the independent sampler; own draws differ by the trial's number in any copy."""
        if self._independent is not None:
            self._independent.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        if self._independent is not None:
            self._independent.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Keep nothing: many outcomes do not come this way, so all are read from the storage."""
        if self._independent is not None:
            self._independent.after_trial(study, trial, state, values)

    def infer_relative_search_space(
        self,
        study: Study,
        trial: FrozenTrial,  # noqa: ARG002
    ) -> dict[str, BaseDistribution]:
        single_direction(study)
        with self._lock:
            common = self._trials(study).common or {}
        return {name: d for name, d in sorted(common.items()) if axis_of(name, d).varies}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        direction = single_direction(study)
        axes = axes_of(search_space)
        if not any(axis.varies for axis in axes.values()):
            return {name: axis.to_optuna(0) for name, axis in axes.items()}
        with self._lock:  # until the suggestion is stored, where other threads see it
            trials = self._trials(study)
            told = trials.told_to(search_space, direction, self._seed)
            pending, ahead = trials.pending(told, trial.number)
            batch = told.optimizer.ask(1 + min(ahead, _MAX_AHEAD), pending=pending)
            params = told.values(batch[-1])
            for key, text in plan_as_attributes(params, search_space):
                set_attribute(study, trial, key, text)
        return params

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        single_direction(study)
        axis = axis_of(param_name, param_distribution)
        if self._independent is not None:
            return self._independent.sample_independent(
                study, trial, param_name, param_distribution
            )
        if not axis.varies:
            return axis.to_optuna(0)
        space = Space({"value": axis.parameter})
        rng = generator(self._seed, trial.number, stream=zlib.crc32(param_name.encode()))
        return axis.to_optuna(space.decode(space.draw(rng))["value"])

    def _trials(self, study: Study) -> Trials:
        """The trials of a study as they are in its storage now."""
        storage, number = place(study)
        stored = storage.get_all_trials(number, deepcopy=False)
        known = self._studies.setdefault(storage, {})
        trials = known.setdefault(number, Trials())
        if len(stored) < trials.count:  # another study has the number of a deleted one
            trials = known[number] = Trials()
        trials.read(stored)
        return trials
