"""Optimisers to compare with on any space; they need ``install_peers.sh``.

Each keeps the defaults of its library. The libraries are imported when a peer is made.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import stoic
from robust.world.base import Params


class OptunaTPE:
    """Optuna's default sampler; its answer is the best trial.

    A grid is suggested by the index of its level, so that the sampler knows the order.
    """

    def __init__(self, space: stoic.Space, direction: str, seed: int, budget: int) -> None:  # noqa: ARG002
        warnings.simplefilter("ignore")
        self.space, self.seed = space, seed
        self._optuna: Any = import_module("optuna")
        self._optuna.logging.set_verbosity(self._optuna.logging.ERROR)
        self._study = self._optuna.create_study(direction=direction, sampler=self._sampler())
        self._asked: list[tuple[Params, Any]] = []

    def _sampler(self) -> Any:
        return self._optuna.samplers.TPESampler(seed=self.seed)

    def ask(self) -> Params:
        trial = self._study.ask()
        params = {name: self._suggest(trial, name) for name in self.space.names}
        self._asked.append((params, trial))
        return params

    def _suggest(self, trial: Any, name: str) -> Any:
        parameter = self.space.parameters[name]
        if isinstance(parameter, stoic.Grid):
            return parameter.values[trial.suggest_int(name, 0, len(parameter.values) - 1)]
        if isinstance(parameter, stoic.Categorical):
            return trial.suggest_categorical(name, list(parameter.choices))
        suggest = trial.suggest_int if isinstance(parameter, stoic.Int) else trial.suggest_float
        log = parameter.fields()["scale"] == "log"
        return suggest(name, parameter.low, parameter.high, log=log)  # type: ignore[attr-defined]

    def _trial(self, params: Params) -> Any:
        for i, (asked, trial) in enumerate(self._asked):
            if asked is params or asked == params:
                del self._asked[i]
                return trial
        raise ValueError(f"expected parameters that were asked, got {params!r}")

    def tell(self, params: Params, value: float) -> None:
        trial = self._trial(params)
        trial.set_user_attr("params", dict(params))
        self._study.tell(trial, value)

    def fail(self, params: Params, reason: str) -> None:  # noqa: ARG002
        self._study.tell(self._trial(params), state=self._optuna.trial.TrialState.FAIL)

    def recommend(self) -> Params:
        return self._study.best_trial.user_attrs["params"]


class OptunaGP(OptunaTPE):
    """Optuna's Gaussian-process sampler, for a noisy objective."""

    def _sampler(self) -> Any:
        import_module("torch").set_num_threads(1)
        return self._optuna.samplers.GPSampler(seed=self.seed, deterministic_objective=False)
