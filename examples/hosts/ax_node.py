"""Ax with Stoic's suggestions: an external generation node."""

from __future__ import annotations

from typing import Any

from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.parameter import ChoiceParameter, ParameterType, RangeParameter
from ax.generation_strategy.external_generation_node import ExternalGenerationNode

import stoic

__all__ = ["StoicNode", "space_of"]


def space_of(experiment: Experiment) -> tuple[stoic.Space, dict[str, Any]]:
    """The search space, and the values of its constants."""
    found: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    for name, p in experiment.search_space.parameters.items():
        if isinstance(p, RangeParameter):
            whole = p.parameter_type == ParameterType.INT
            kind: Any = stoic.Int if whole else stoic.Float
            found[name] = kind(p.lower, p.upper, "log" if p.log_scale else "linear")
        elif isinstance(p, ChoiceParameter):
            found[name] = (stoic.Grid if p.is_ordered else stoic.Categorical)(list(p.values))
        else:
            constants[name] = p.value
    return stoic.Space(found), constants


class StoicNode(ExternalGenerationNode):  # type: ignore[misc]
    """Suggests by all data of the experiment, in the order of its trials."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__("Stoic", should_deduplicate=False)  # a repeated measurement is meant
        self._seed = seed

    def update_generator_state(self, experiment: Experiment, data: Data) -> None:
        """Tell a new optimiser everything: the experiment may have been restored."""
        space, self.constants = space_of(experiment)
        (objective,) = experiment.optimization_config.objective.metric_names
        direction = "minimize" if experiment.optimization_config.objective.minimize else "maximize"
        self.optimizer = stoic.Optimizer(space, direction=direction, seed=self._seed)
        values = {row.arm_name: row.mean for row in data.df.itertuples()
                  if row.metric_name == objective}  # fmt: skip
        for trial in experiment.trials.values():
            for arm in trial.arms:
                params = {name: arm.parameters[name] for name in space.names}
                if arm.name in values:
                    self.optimizer.tell(params, float(values[arm.name]))
                elif trial.status.is_failed:
                    self.optimizer.fail(params, "the trial failed")

    def get_next_candidate(self, pending_parameters: list[Any]) -> dict[str, Any]:
        """The next configuration, beside those under evaluation."""
        names = self.optimizer.space.names
        pending = [{name: each[name] for name in names} for each in pending_parameters]
        return {**self.constants, **self.optimizer.ask(pending=pending)}
