"""Optuna's default sampler with its best trial, and Stoic's with its recommendation.

    python benchmarks/hosts/optuna_hosts.py --out benchmarks/results/hosts/optuna.jsonl

A third row of each run is the recommendation for the trials of the default sampler. The same
command continues a stopped run; ``report.py`` makes the table.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import optuna

from hosts.runs import Host, Job, Measured, main, regret_of
from robust.noise import Stream
from robust.play import Clock
from robust.problems import get
from stoic.integrations.optuna import StoicSampler, recommend

BOTH_OF_THE_HOST = "best_trial of TPE", "recommend, trials of TPE"


def play(job: Job) -> list[Measured]:
    """The answers of one study, each with its true regret."""
    problem = get(job.problem)
    stream = Stream(job.noise, problem, job.seed)
    names = [f"x{i}" for i in range(problem.d)]

    def objective(trial: optuna.Trial) -> float:
        x = [trial.suggest_float(name, 0.0, 1.0) for name in names]
        with measuring:
            value = stream.measure(np.array(x))
        assert value is not None
        return value

    measuring, all_of_it = Clock(), Clock()
    own = job.sampler == "stoic"
    sampler = StoicSampler(seed=job.seed) if own else optuna.samplers.TPESampler(seed=job.seed)
    with all_of_it:
        study = optuna.create_study(direction="maximize", sampler=sampler)
        study.optimize(objective, n_trials=job.trials)
        answer = recommend(study).answer.params
    cpu = all_of_it.spent - measuring.spent
    answers = {"StoicSampler, recommend": answer}
    if not own:
        answers = dict(zip(BOTH_OF_THE_HOST, (study.best_params, answer), strict=True))
    return [
        Measured(method, regret_of(problem, [params[name] for name in names]), cpu)
        for method, params in answers.items()
    ]


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    version = f"Optuna {optuna.__version__}"
    main(Host("optuna", version, ("default", "stoic"), play), __doc__ or "")
