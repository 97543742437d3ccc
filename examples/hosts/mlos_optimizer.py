"""MLOS with Stoic's suggestions: an optimiser for ``mlos_core``, which always minimises."""

from __future__ import annotations

import math
from typing import Any

import ConfigSpace
import pandas as pd
from mlos_core.data_classes import Observations, Suggestion
from mlos_core.optimizers.optimizer import BaseOptimizer

import stoic

__all__ = ["StoicOptimizer"]


def parameter_of(p: Any) -> Any:
    """A parameter of ConfigSpace as one of Stoic."""
    if isinstance(p, ConfigSpace.UniformFloatHyperparameter):
        return stoic.Float(float(p.lower), float(p.upper), "log" if p.log else "linear")
    if isinstance(p, ConfigSpace.UniformIntegerHyperparameter):
        return stoic.Int(int(p.lower), int(p.upper), "log" if p.log else "linear")
    if isinstance(p, ConfigSpace.OrdinalHyperparameter):
        return stoic.Grid(list(p.sequence))
    if isinstance(p, ConfigSpace.CategoricalHyperparameter):
        return stoic.Categorical(list(p.choices))
    return stoic.Categorical([p.value])


class StoicOptimizer(BaseOptimizer):  # type: ignore[misc]
    """Of one target; +inf and NaN are failures, as MLOS reports crashed trials."""

    def __init__(self, *, seed: int = 0, **how: Any) -> None:
        super().__init__(**how)
        (self._target,) = self._optimization_targets
        space = {p.name: parameter_of(p) for p in self.optimizer_parameter_space.values()}
        self.optimizer = stoic.Optimizer(space, direction="minimize", seed=seed)
        self._pending: list[dict[str, Any]] = []

    def _register(self, observations: Observations) -> None:
        for each in observations:
            params, score = each.config.to_dict(), float(each.score[self._target])
            if params in self._pending:
                self._pending.remove(params)
            if math.isfinite(score):
                self.optimizer.tell(params, score)
            else:
                self.optimizer.fail(params, f"score {score}")

    def _suggest(self, *, context: pd.Series | None = None) -> Suggestion:
        params = self.optimizer.ask(pending=self._pending)
        return Suggestion(config=pd.Series(params, dtype=object), context=context)

    def register_pending(self, pending: Suggestion) -> None:
        """Account for a configuration under evaluation."""
        self._pending.append(pending.config.to_dict())
