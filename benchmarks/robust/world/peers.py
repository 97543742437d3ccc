"""Optimisers to compare with on any space; they need ``install_peers.sh``.

Each keeps the defaults of its library. The libraries are imported when a peer is made.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import logging
import tempfile
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import stoic
from robust import peers as cube
from robust.world.base import Params
from stoic.spaces import Parameter


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
        low, high, log = limits(parameter)
        return suggest(name, low, high, log=log)

    def tell(self, params: Params, value: float) -> None:
        trial = taken(self._asked, params)
        trial.set_user_attr("params", dict(params))
        self._study.tell(trial, value)

    def fail(self, params: Params, reason: str) -> None:  # noqa: ARG002
        self._study.tell(taken(self._asked, params), state=self._optuna.trial.TrialState.FAIL)

    def recommend(self) -> Params:
        return self._study.best_trial.user_attrs["params"]


class OptunaGP(OptunaTPE):
    """Optuna's Gaussian-process sampler, for a noisy objective."""

    def _sampler(self) -> Any:
        import_module("torch").set_num_threads(1)
        return self._optuna.samplers.GPSampler(seed=self.seed, deterministic_objective=False)


class Smac:
    """SMAC3 with its facade for hyper-parameters; it measures good configurations repeatedly.

    A failure is reported with the worst cost so far: its default, an infinite cost, stops SMAC with
    an error. Failures before the first value are reported after it.
    """

    def __init__(self, space: stoic.Space, direction: str, seed: int, budget: int) -> None:
        warnings.simplefilter("ignore")
        logging.getLogger("smac").setLevel(logging.ERROR)
        self.space = space
        self._sign = 1.0 if direction == "minimize" else -1.0
        self._smac: Any = import_module("smac")
        self._runs: Any = import_module("smac.runhistory")
        configurations: Any = import_module("ConfigSpace")
        chosen = configurations.ConfigurationSpace(seed=seed)
        chosen.add([self._parameter(configurations, name) for name in space.names])
        self._folder = tempfile.TemporaryDirectory()
        scenario = self._smac.Scenario(
            chosen,
            output_directory=Path(self._folder.name),
            deterministic=False,
            n_trials=budget,
            seed=seed,
        )
        self._facade = self._smac.HyperparameterOptimizationFacade(
            scenario, _unused, logging_level=logging.ERROR, overwrite=True
        )
        self._early: list[Any] = []  # failures before the first value
        self._worst: float | None = None
        self._asked: list[tuple[Params, Any]] = []

    def _parameter(self, configurations: Any, name: str) -> Any:
        parameter = self.space.parameters[name]
        if isinstance(parameter, stoic.Grid):  # by index, as an integer has an order
            return configurations.UniformIntegerHyperparameter(name, 0, len(parameter.values) - 1)
        if isinstance(parameter, stoic.Categorical):
            return configurations.CategoricalHyperparameter(name, list(parameter.choices))
        whole = isinstance(parameter, stoic.Int)
        kind = "UniformIntegerHyperparameter" if whole else "UniformFloatHyperparameter"
        low, high, log = limits(parameter)
        return getattr(configurations, kind)(name, low, high, log=log)

    def _params(self, configuration: Any) -> Params:
        return values(self.space, dict(configuration))

    def ask(self) -> Params:
        info = self._facade.ask()
        params = self._params(info.config)
        self._asked.append((params, info))
        return params

    def tell(self, params: Params, value: float) -> None:
        cost = self._sign * value
        self._report(taken(self._asked, params), cost, "SUCCESS")
        self._worst = cost if self._worst is None else max(self._worst, cost)
        for info in self._early:
            self._report(info, self._worst, "CRASHED")
        self._early.clear()

    def fail(self, params: Params, reason: str) -> None:  # noqa: ARG002
        info = taken(self._asked, params)
        if self._worst is None:
            self._early.append(info)
        else:
            self._report(info, self._worst, "CRASHED")

    def _report(self, info: Any, cost: float, state: str) -> None:
        status = self._runs.StatusType[state]
        self._facade.tell(info, self._runs.TrialValue(cost=cost, status=status), save=False)

    def recommend(self) -> Params:
        return self._params(self._facade.intensifier.get_incumbents()[0])


def _unused(config: Any, seed: int = 0) -> float:
    """Stand for the function that SMAC would call; it is asked and told instead."""
    raise NotImplementedError


class Hebo:
    """HEBO; its answer is the best measurement, a failure is left out."""

    def __init__(self, space: stoic.Space, direction: str, seed: int, budget: int) -> None:  # noqa: ARG002
        warnings.simplefilter("ignore")
        import_module("torch").set_num_threads(1)
        import_module("torch").manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the library draws from it
        self.space = space
        self._sign = 1.0 if direction == "minimize" else -1.0
        design = import_module("hebo.design_space.design_space").DesignSpace()
        chosen = design.parse([self._parameter(name) for name in space.names])
        self._hebo = import_module("hebo.optimizers.hebo").HEBO(chosen, scramble_seed=seed)
        self._asked: list[tuple[Params, Any]] = []
        self._best: tuple[float, Params] | None = None

    def _parameter(self, name: str) -> dict[str, Any]:
        parameter = self.space.parameters[name]
        if isinstance(parameter, stoic.Grid):
            return {"name": name, "type": "int", "lb": 0, "ub": len(parameter.values) - 1}
        if isinstance(parameter, stoic.Categorical):
            return {"name": name, "type": "cat", "categories": list(parameter.choices)}
        low, high, log = limits(parameter)
        kind = "int" if isinstance(parameter, stoic.Int) else "num"
        if log:
            kind = "pow_int" if kind == "int" else "pow"
        return {"name": name, "type": kind, "lb": low, "ub": high}

    def ask(self) -> Params:
        row = self._hebo.suggest(n_suggestions=1)
        params = values(self.space, row.iloc[0].to_dict())
        self._asked.append((params, row))
        return params

    def tell(self, params: Params, value: float) -> None:
        cost = self._sign * value
        self._hebo.observe(taken(self._asked, params), np.array([[cost]]))
        if self._best is None or cost < self._best[0]:
            self._best = cost, params

    def fail(self, params: Params, reason: str) -> None:  # noqa: ARG002
        taken(self._asked, params)

    def recommend(self) -> Params:
        if self._best is None:
            raise ValueError("expected a measurement, got none")
        return self._best[1]


class BoTorch:
    """SingleTaskGP and qLogNoisyExpectedImprovement, for spaces of floats."""

    def __init__(self, space: stoic.Space, direction: str, seed: int, budget: int) -> None:
        if not all(isinstance(p, stoic.Float) for p in space.parameters.values()):
            raise ValueError(f"expected a space of floats for BoTorch, got {space!r}")
        self.space = space
        self._sign = -1.0 if direction == "minimize" else 1.0
        self._inner = cube.BoTorch(len(space), seed, budget)

    def ask(self) -> Params:
        return self.space.decode(self._inner.ask())

    def tell(self, params: Params, value: float) -> None:
        self._inner.tell(self.space.encode(params), self._sign * value)

    def fail(self, params: Params, reason: str) -> None:  # noqa: ARG002
        self._inner.tell(self.space.encode(params), min(self._inner.y, default=0.0))

    def recommend(self) -> Params:
        return self.space.decode(self._inner.recommend())


def limits(parameter: Parameter) -> tuple[float, float, bool]:
    """Return the bounds of a float or an integer, and whether its scale is logarithmic."""
    fields: dict[str, Any] = parameter.fields()
    return fields["low"], fields["high"], fields["scale"] == "log"


def values(space: stoic.Space, found: dict[str, Any]) -> Params:
    """Return a configuration of Python scalars; grids are given by their index."""
    params: dict[str, Any] = {}
    for name, parameter in space.parameters.items():
        value = found[name]
        if isinstance(parameter, stoic.Grid):
            params[name] = parameter.values[int(value)]
        elif isinstance(parameter, stoic.Int):
            params[name] = int(value)
        elif isinstance(parameter, stoic.Float):
            low, high, _ = limits(parameter)
            params[name] = min(max(float(value), low), high)
        else:
            params[name] = value.item() if isinstance(value, np.generic) else value
    return params


def taken(asked: list[tuple[Params, Any]], params: Params) -> Any:
    """Remove a configuration from those asked, and return what the library knows it by."""
    for i, (own, handle) in enumerate(asked):
        if own == params:
            del asked[i]
            return handle
    raise ValueError(f"expected parameters that were asked, got {params!r}")
