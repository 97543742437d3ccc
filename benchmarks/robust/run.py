"""Run optimisers on the problems and noises: one line of JSON per run, resumable.

    python benchmarks/robust/run.py --method stoic --set develop --seeds 3 --out stoic.jsonl
    python benchmarks/robust/run.py --method mine.module:Class --name mine --quick --out mine.jsonl

A method is ``Class(d, seed, budget, **options)`` with ``ask() -> x`` in [0, 1]^d, ``tell(x, y)``
and ``recommend() -> x``; y is maximised. ``fail(x, reason)``, ``interval() -> (low, high)`` for
the value at the recommendation and ``suspects()``, numbers of evaluations, are optional.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import argparse
from typing import Any

from robust import noise, problems
from robust.play import CRASHED, Task, execute
from robust.report import Key, key, read
from robust.running import run_all

SHORT = {
    "stoic": "robust.ours:Stoic",
    "random": "robust.peers:Random",
    "sobol": "robust.peers:Sobol",
    "tpe": "robust.peers:OptunaTPE",
    "optuna-gp": "robust.peers:OptunaGP",
    "botorch": "robust.peers:BoTorch",
    "botorch-rrp": "robust.peers:BoTorchPursuit",
    "botorch-rrp-fast": "robust.peers:BoTorchPursuitFast",
}
SETS = {
    "develop": (list(problems.DEVELOP), noise.DEVELOP),
    "check": (list(problems.CHECK), noise.CHECK),
}
QUICK = (["bowl2", "wave1", "tuning3"], ["gauss02", "up10", "gauss02+crash"])


def finished(path: Path, tasks: list[Task]) -> set[Key]:
    """Return the runs in the file that ended without an error."""
    options = {task.name: task.row()["options"] for task in tasks}
    done = set()
    for row in read(path) if path.exists() else []:
        if row["options"] != options.get(row["name"], row["options"]):
            raise SystemExit(f"{path} holds {row['name']} with other options: give another --name")
        if "error" not in row:
            done.add(key(row))
    return done


def arguments() -> argparse.Namespace:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--method", required=True, help=f"module:Class, or {', '.join(SHORT)}")
    parser.add_argument("--name", help="of the method in the results")
    parser.add_argument("--options", default="{}", help="keyword arguments of the class, as JSON")
    parser.add_argument("--set", choices=SETS, default="develop")
    parser.add_argument("--problems", help="a,b,…: only these")
    parser.add_argument("--noises", help="a,b,…: only these; +crash and +flaky may be appended")
    parser.add_argument("--seeds", default="3", help="a count, or first:end")
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="9 short runs")
    return parser.parse_args()


def matrix(args: argparse.Namespace) -> list[Task]:
    """Return what to run, seeds outermost: a stopped run leaves whole seeds."""
    chosen, noises = QUICK if args.quick else SETS[args.set]
    chosen = args.problems.split(",") if args.problems else chosen
    noises = args.noises.split(",") if args.noises else noises
    first, end = map(int, args.seeds.split(":")) if ":" in args.seeds else (0, int(args.seeds))
    seeds = range(1) if args.quick else range(first, end)
    budget = min(args.budget, 30) if args.quick else args.budget
    method = SHORT.get(args.method, args.method)
    name = args.name or args.method.rpartition(":")[2]
    for p in chosen:  # names are checked before anything runs
        for n in noises:
            noise.Stream(n, problems.get(p), 0)
    return [
        Task(method, name, p, n, seed, budget, args.options)
        for seed in seeds
        for p in chosen
        for n in noises
    ]


def regret(row: dict[str, Any]) -> float:
    return min(float(row["nreg_rec"]), CRASHED)


def main() -> None:
    args = arguments()
    wanted = matrix(args)
    done = finished(args.out, wanted)
    todo = [task for task in wanted if key(task.row()) not in done]
    fine, errors = run_all(todo, execute, regret, args.out, args.workers)
    there = len(wanted) - len(todo)
    print(f"{fine} runs, {errors} errors, {there} were there; wrote {args.out}")
    raise SystemExit(1 if errors else 0)


if __name__ == "__main__":
    main()
