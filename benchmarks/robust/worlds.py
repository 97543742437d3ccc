"""Run optimisers on worlds of problems: one line of JSON per run, resumable.

    python benchmarks/robust/worlds.py --world bbob --method stoic --seeds 1 --out bbob.jsonl
    python benchmarks/robust/worlds.py --world kernel --data DIR --method tpe --out kernel.jsonl

A method is ``Class(space, direction, seed, budget, **options)``; see ``world/base.py``.
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
import re
from collections.abc import Sequence

from robust.report import read
from robust.running import run_all
from robust.world.base import Settings
from robust.world.play import WORLDS, Task, execute, key, world

SHORT = {
    "stoic": "robust.world.methods:Stoic",
    "random": "robust.world.methods:Random",
    "sobol": "robust.world.methods:Sobol",
    "tpe": "robust.world.peers:OptunaTPE",
    "optuna-gp": "robust.world.peers:OptunaGP",
    "smac": "robust.world.peers:Smac",
    "hebo": "robust.world.peers:Hebo",
    "botorch": "robust.world.peers:BoTorch",
}
CUT = 2.0  # in the mean score that is shown


def numbers(text: str) -> tuple[int, ...]:
    """Return the integers of a list with ranges.

    >>> numbers("1-3,7")
    (1, 2, 3, 7)
    """
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--world", required=True, choices=WORLDS)
    parser.add_argument("--method", required=True, help=f"module:Class, or {', '.join(SHORT)}")
    parser.add_argument("--name", help="of the method in the results")
    parser.add_argument("--options", default="{}", help="keyword arguments of the class, as JSON")
    parser.add_argument("--seeds", default="1", help="a count, or first:end")
    parser.add_argument("--instances", type=numbers, default=(1, 2), help="of COCO: 1,2 or 1-3")
    parser.add_argument("--dimensions", type=numbers, default=(2, 5), help="of COCO: 2,5")
    parser.add_argument("--only", default="", help="a regular expression of case names")
    parser.add_argument("--data", type=Path, help="the folder of a world's files")
    parser.add_argument("--budgets", type=numbers, help="60,200: where the answer is scored")
    parser.add_argument("--batch", type=int, default=1, help="configurations asked for at once")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args(words)


def matrix(args: argparse.Namespace) -> list[Task]:
    """Return what to run, seeds outermost: a stopped run leaves whole seeds."""
    settings = Settings(args.data and args.data.resolve(), args.instances, args.dimensions)
    chosen = world(args.world, settings)
    cases = [case for case in chosen.cases() if re.search(args.only, case.name)]
    budgets = tuple(sorted(args.budgets or chosen.budgets))
    first, end = map(int, args.seeds.split(":")) if ":" in args.seeds else (0, int(args.seeds))
    method = SHORT.get(args.method, args.method)
    name = args.name or args.method.rpartition(":")[2] + f"/{args.batch}" * (args.batch > 1)
    return [
        Task(method, name, args.world, case, seed, budgets, settings, args.batch, args.options)
        for seed in range(first, end)
        for case in cases
    ]


def unfinished(path: Path, tasks: list[Task]) -> list[Task]:
    """Return the tasks that the file has no answers of, at all of their budgets."""
    options = {task.name: task.row()["options"] for task in tasks}
    scored: dict[tuple[object, ...], set[str]] = {}
    for row in read(path) if path.exists() else []:
        if row["options"] != options.get(row["name"], row["options"]):
            raise SystemExit(f"{path} holds {row['name']} with other options: give another --name")
        scored.setdefault(key(row), set()).update(row.get("at", ()))
    return [t for t in tasks if not set(map(str, t.budgets)) <= scored.get(key(t.row()), set())]


def main() -> None:
    args = arguments()
    wanted = matrix(args)
    todo = unfinished(args.out, wanted)
    last = str(wanted[0].budgets[-1]) if wanted else ""

    def regret(row: dict[str, dict[str, dict[str, float | None]]]) -> float:
        score = row["at"][last]["score"]
        return CUT if score is None else min(score, CUT)

    fine, errors = run_all(todo, execute, regret, args.out, args.workers)
    there = len(wanted) - len(todo)
    print(f"{fine} runs, {errors} errors, {there} were there; wrote {args.out}")
    raise SystemExit(1 if errors else 0)


if __name__ == "__main__":
    main()
