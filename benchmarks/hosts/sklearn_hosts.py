"""scikit-learn's RandomizedSearchCV with its best candidate, and StoicSearchCV with its own.

    python benchmarks/hosts/sklearn_hosts.py --out benchmarks/results/hosts/sklearn.jsonl

A measurement is the score of one split, of three for each candidate, so that 60 trials are 20
candidates. A third row is the luckiest candidate of StoicSearchCV, that of the best mean score. The
same command continues a stopped run; ``report.py`` makes the table.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import warnings
from typing import Any, Self

import numpy as np
import sklearn
from scipy.stats import uniform
from sklearn.base import BaseEstimator
from sklearn.model_selection import RandomizedSearchCV

from hosts.runs import Host, Job, Measured, main, regret_of
from robust.noise import Stream
from robust.play import Clock
from robust.problems import get
from stoic.integrations.sklearn import StoicSearchCV

SPLITS = 3
SAMPLES = np.zeros((SPLITS, 1))  # what is fitted does not matter: the score is the measurement
MEASURING = Clock()
STREAM: list[Stream] = []  # that of this run; an estimator is cloned, and can't hold it


class Measuring(BaseEstimator):  # type: ignore[misc]
    """Its score is the next measurement at its parameters."""

    def __init__(
        self,
        x0: float = 0.0,
        x1: float = 0.0,
        x2: float = 0.0,
        x3: float = 0.0,
        x4: float = 0.0,
        x5: float = 0.0,
    ) -> None:
        self.x0, self.x1, self.x2, self.x3, self.x4, self.x5 = x0, x1, x2, x3, x4, x5

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        return self

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        stream = STREAM[-1]
        with MEASURING:
            value = stream.measure(point(self.get_params(), stream.problem.d))
        assert value is not None
        return value


def point(params: dict[str, float], d: int) -> Any:
    return np.array([float(params[f"x{i}"]) for i in range(d)])


def play(job: Job) -> list[Measured]:
    """The answers of one search, each with its true regret."""
    problem = get(job.problem)
    STREAM[:] = [Stream(job.noise, problem, job.seed)]
    MEASURING.spent, all_of_it = 0.0, Clock()
    own = job.sampler == "stoic"
    space = {f"x{i}": uniform(0.0, 1.0) for i in range(problem.d)}
    how = StoicSearchCV if own else RandomizedSearchCV
    search = how(Measuring(), space, n_iter=job.trials // SPLITS, cv=SPLITS, random_state=job.seed)
    with all_of_it, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(SAMPLES)
    cpu = all_of_it.spent - MEASURING.spent
    found = {"best_params_ of RandomizedSearchCV": search.best_params_}
    if own:
        found = {
            "luckiest_ of StoicSearchCV": search.luckiest_.params,
            "best_params_ of StoicSearchCV": search.best_params_,
        }
    return [
        Measured(method, regret_of(problem, point(params, problem.d)), cpu)
        for method, params in found.items()
    ]


if __name__ == "__main__":
    version = f"scikit-learn {sklearn.__version__}"
    main(Host("sklearn", version, ("default", "stoic"), play), __doc__ or "")
