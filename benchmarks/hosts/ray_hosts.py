"""Ray Tune's default search with its best trial, and StoicSearch with its recommendation.

    python benchmarks/hosts/ray_hosts.py --out benchmarks/results/hosts/ray.jsonl

The searchers are called as Ray calls them, one trial at a time, without a cluster, which would
measure the same. Ray's default draws from the space at random; OptunaSearch (TPE), its searcher
with the most users, is a second row. The same command continues a stopped run; ``report.py`` makes
the table.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from typing import Any

import numpy as np
import optuna
import ray
from ray import tune
from ray.tune.search import Searcher
from ray.tune.search.optuna import OptunaSearch

from hosts.runs import Host, Job, Measured, main, regret_of
from robust.noise import Stream
from robust.play import Clock
from robust.problems import get
from stoic.integrations.ray import StoicSearch


class Random(Searcher):
    """What Ray does without a searcher: draws from the space."""

    def __init__(self, space: dict[str, Any], seed: int) -> None:
        super().__init__(metric="value", mode="max")
        self._space, self._rng = space, np.random.RandomState(seed)

    def suggest(self, trial_id: str) -> dict[str, Any]:  # noqa: ARG002
        return {name: domain.sample(random_state=self._rng) for name, domain in self._space.items()}

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        pass


def searcher_of(job: Job, space: dict[str, Any]) -> Searcher:
    if job.sampler == "stoic":
        return StoicSearch(space, "value", "max", seed=job.seed)
    if job.sampler == "optuna":
        return OptunaSearch(space, metric="value", mode="max", seed=job.seed)
    return Random(space, job.seed)


def play(job: Job) -> list[Measured]:
    """The answer of one search, with its true regret."""
    problem = get(job.problem)
    stream, clock = Stream(job.noise, problem, job.seed), Clock()
    names = [f"x{i}" for i in range(problem.d)]
    with clock:
        searcher = searcher_of(job, {name: tune.uniform(0.0, 1.0) for name in names})
    best: tuple[float, dict[str, Any]] = -np.inf, {}
    for number in range(job.trials):
        with clock:
            config = searcher.suggest(str(number))
        assert config is not None
        value = stream.measure(np.array([config[name] for name in names]))
        assert value is not None
        best = max(best, (value, config), key=lambda each: each[0])
        with clock:
            searcher.on_trial_complete(str(number), {"value": value})
    method, params = "get_best_result of the default", best[1]
    if job.sampler == "optuna":
        method = "get_best_result of OptunaSearch"
    elif isinstance(searcher, StoicSearch):
        with clock:
            method, params = "StoicSearch, recommend", searcher.recommend().params
    regret = regret_of(problem, [params[name] for name in names])
    return [Measured(method, regret, clock.spent)]


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    version = f"Ray Tune {ray.__version__}"
    main(Host("ray", version, ("default", "optuna", "stoic"), play), __doc__ or "")
