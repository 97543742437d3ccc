"""Hydra with Stoic's suggestions: ``python app.py --multirun hydra/sweeper=stoic``."""

from __future__ import annotations

import math
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.core.utils import JobStatus
from hydra.plugins.sweeper import Sweeper

import stoic

__all__ = ["StoicSweeper"]


def parameter_of(override: Any) -> Any:
    """``x=interval(0, 1)``, ``n=range(1, 9)``, ``opt=choice(adam, sgd)``; with tag(log, …)."""
    value = override.value()
    if override.is_choice_sweep():
        return stoic.Categorical([getattr(each, "text", each) for each in value.list])
    if override.is_range_sweep():
        return stoic.Grid(list(range(int(value.start), int(value.stop), int(value.step))))
    ends = float(value.start), float(value.end)
    return stoic.Float(*ends, "log" if "log" in value.tags else "linear")


class StoicSweeper(Sweeper):  # type: ignore[misc]
    """Runs ``n_trials`` jobs, ``n_jobs`` at a time; a job returns the value."""

    def __init__(self, direction: str, n_trials: int, n_jobs: int, seed: int) -> None:
        self.direction, self.n_trials, self.n_jobs, self.seed = direction, n_trials, n_jobs, seed

    def setup(self, *, hydra_context: Any, task_function: Any, config: Any) -> None:
        self.parser = OverridesParser.create(config_loader=hydra_context.config_loader)
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> Any:
        parsed = self.parser.parse_overrides(arguments)
        space = {p.get_key_element(): parameter_of(p) for p in parsed if p.is_sweep_override()}
        fixed = [p.input_line for p in parsed if not p.is_sweep_override()]
        optimizer = stoic.Optimizer(space, direction=self.direction, seed=self.seed)
        for first in range(0, self.n_trials, self.n_jobs):
            batch = optimizer.ask(min(self.n_jobs, self.n_trials - first))
            jobs = [[*fixed, *(f"{k}={v}" for k, v in params.items())] for params in batch]
            for params, job in zip(batch, self.launcher.launch(jobs, first), strict=True):
                value = job.return_value if job.status == JobStatus.COMPLETED else math.nan
                good = isinstance(value, int | float) and math.isfinite(value)
                optimizer.tell_all([(params, value, None) if good else (params, None, "failed")])
        return optimizer.recommend()


ConfigStore.instance().store(group="hydra/sweeper", name="stoic", node={
    "_target_": "hydra_plugins.stoic_sweeper.StoicSweeper",
    "direction": "minimize", "n_trials": 30, "n_jobs": 1, "seed": 0,
})  # fmt: skip
