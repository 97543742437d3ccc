"""What Stoic's sampler inside Optuna costs beyond `stoic.Optimizer` itself.

    python benchmarks/hosts/overhead.py --out benchmarks/results/hosts/overhead.jsonl

Within one run, processor time is divided into that of the optimiser's ``ask`` and ``tell_all`` and
all the rest: adapter, Optuna and storage. So both parts belong to the same trials. The second part
has 100 to 5,000 stored trials before it begins, and its time per trial should not grow with them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import argparse
import json
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution

import stoic
from robust.play import Clock
from robust.problems import get
from stoic.integrations.optuna import StoicSampler, trials

PROBLEMS = ("goldstein2", "rosenbrock4", "bowl6")
STORED = (100, 500, 1_000, 5_000)
FOLLOWING = 10  # trials after the stored ones
INSIDE = Clock()


class Clocked(stoic.Optimizer):
    """An optimiser whose processor time is counted."""

    def ask(self, *args: Any, **options: Any) -> Any:
        with INSIDE:
            return super().ask(*args, **options)

    def tell_all(self, told: Any) -> None:
        with INSIDE:
            super().tell_all(told)


def space_of(d: int) -> dict[str, BaseDistribution]:
    return {f"x{i}": FloatDistribution(0.0, 1.0) for i in range(d)}


def value_at(problem: Any, params: dict[str, float], rng: np.random.Generator) -> float:
    return float(problem.at(np.array(list(params.values()))) + 0.2 * rng.standard_normal())


def played(study: optuna.Study, name: str, count: int) -> tuple[float, float]:
    """Processor seconds in the optimiser, and beside it, of some more trials."""
    problem, rng = get(name), np.random.default_rng(len(study.get_trials(deepcopy=False)))
    space, whole, measuring = space_of(problem.d), Clock(), Clock()
    INSIDE.spent = 0.0
    with whole:
        for _ in range(count):
            trial = study.ask(space)
            params = trial.params
            with measuring:
                value = value_at(problem, params, rng)
            study.tell(trial, value)
    return INSIDE.spent, whole.spent - INSIDE.spent - measuring.spent


def whole_run(name: str) -> dict[str, Any]:
    """60 trials from the first one on."""
    study = optuna.create_study(direction="maximize", sampler=StoicSampler())
    inside, beside = played(study, name, 60)
    return {"problem": name, "stored": 0, "trials": 60, "optimizer": inside, "beside": beside}


def later(name: str, stored: int) -> dict[str, Any]:
    """Some trials after many stored ones, which were read before."""
    problem, rng = get(name), np.random.default_rng(0)
    space = space_of(problem.d)
    study = optuna.create_study(direction="maximize", sampler=StoicSampler())
    for x in rng.random((stored, problem.d)):
        params = dict(zip(space, x.tolist(), strict=True))
        value = value_at(problem, params, rng)
        study.add_trial(optuna.create_trial(params=params, distributions=space, value=value))
    first = sum(played(study, name, 1))
    inside, beside = played(study, name, FOLLOWING)
    found = {"stored": stored, "trials": FOLLOWING, "optimizer": inside, "beside": beside}
    return {"problem": name, **found, "first": first}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    vars(trials)["Optimizer"] = Clocked
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    whole_run("goldstein2")  # imports and compiles what is used
    with args.out.open("w", encoding="utf-8") as out:
        rows = (whole_run(name) for name in PROBLEMS)
        more = (later("rosenbrock4", stored) for stored in STORED)
        for row in (row for part in (rows, more) for row in part):
            line = {"host": "optuna", "version": f"Optuna {optuna.__version__}", **row}
            out.write(json.dumps(line) + "\n")
            share = row["beside"] / row["optimizer"]
            each = 1e3 * row["beside"] / row["trials"]
            print(f"{row} beside the optimiser {share:.1%}, {each:.2f} ms per trial", flush=True)


if __name__ == "__main__":
    main()
