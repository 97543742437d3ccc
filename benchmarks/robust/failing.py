"""How well failures are predicted, and how many evaluations are spent on them.

    python benchmarks/robust/failing.py                          # synthetic constraints
    python benchmarks/robust/failing.py --loop --seeds 10        # and whole runs of the optimiser
    python benchmarks/robust/failing.py --table kernel.csv.gz    # a table of measured timings

The first table has, for each model, the log loss and the area under the ROC curve at 600 random
configurations, after 20, 60 and 120 random outcomes. ``--loop`` prints the share of 60 evaluations
that failed, those of the design included, for random search and for ``stoic.Optimizer``.

In a table each row is a configuration: columns of parameters, and repeats t0, t1, … of its timing,
empty where it failed. A combination that is not listed fails.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import stoic
from stoic.optimize.failing import CalibratedForest, KernelAverage
from stoic.spaces import Grid, Space

Array = npt.NDArray[np.float64]
Params = dict[str, Any]
Case = tuple[Space, Callable[[Params], bool]]  # a space, and what succeeds
SIZES = (20, 60, 120)
BUDGET = 60
FORBIDDEN = {("a", "b"), ("c", "a"), ("d", "d"), ("b", "c")}


def synthetic() -> dict[str, Case]:
    """Return spaces with constraints of several kinds."""
    unit = Space({f"x{i}": (0.0, 1.0) for i in range(4)})
    kernel = Space(
        {
            "bx": Grid([16, 32, 48, 64, 96, 128, 192, 256]),
            "by": Grid([1, 2, 4, 8, 16]),
            "tile": Grid([1, 2, 3, 4, 6, 8]),
            "unroll": (1, 8),
            "shared": Grid([0, 1]),
        }
    )
    letters = {name: list("abcd") for name in "pqr"}
    slope, centre = np.array([0.7, -0.4, 0.5, 0.2]), np.array([0.4, 0.5, 0.6, 0.5])
    rng = np.random.default_rng(0)

    def shared_memory(p: Params) -> bool:
        threads = p["bx"] * p["by"]
        return 32 <= threads <= 512 and (not p["shared"] or threads * p["tile"] <= 2048)

    return {
        "half-space": (unit, lambda p: bool(np.array([*p.values()]) @ slope < 0.77)),
        "ball": (unit, lambda p: bool(((np.array([*p.values()]) - centre) ** 2).sum() < 0.24)),
        "product": (
            Space({"a": (1, 256, "log"), "b": Grid([1, 2, 4, 8, 16, 32]), "c": (1, 16)}),
            lambda p: p["a"] * p["b"] <= 128,
        ),
        "kernel": (kernel, shared_memory),
        "pairs": (
            Space({**letters, "x": (1, 8), "y": (0.0, 1.0)}),
            lambda p: (p["p"], p["q"]) not in FORBIDDEN and p["r"] + p["q"] not in ("aa", "bd"),
        ),
        "random": (kernel, lambda _: bool(rng.random() > 0.1)),
    }


def table(path: Path) -> Case:
    """Return the space of a table of timings, and which configurations have a timing."""
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [c for c in rows[0] if not (c[0] == "t" and c[1:].isdigit())]
    works = {tuple(int(row[c]) for c in names) for row in rows if row["t0"]}
    levels = {c: sorted({int(row[c]) for row in rows}) for c in names}
    space = Space({c: Grid(values) for c, values in levels.items()})
    return space, lambda p: tuple(p[c] for c in names) in works


def outcomes(case: Case, n: int, rng: np.random.Generator) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return random points, and which of them succeed."""
    space, works = case
    points = space.fill(rng.random((n, len(space))))
    return points, np.array([works(space.decode(u)) for u in points])


def scores(chance: Array, good: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Return the log loss, and the area under the ROC curve."""
    p = np.clip(chance, 1e-3, 1 - 1e-3)
    above = (p[good][:, None] > p[~good]) + 0.5 * (p[good][:, None] == p[~good])
    return float(-np.log(np.where(good, p, 1 - p)).mean()), float(above.mean())


def predict(name: str, case: Case, seeds: int) -> None:
    """Print how well each model predicts."""
    space = case[0]
    for n in SIZES:
        found: dict[str, list[tuple[float, float]]] = {"average": [], "forest": []}
        for seed in range(seeds):
            rng = np.random.default_rng([seed, n])
            (X, good), (T, truth) = outcomes(case, n, rng), outcomes(case, 600, rng)
            if good.all() or not good.any():
                continue
            average = KernelAverage(X[~good], X[good], space.groups)
            forest = CalibratedForest(X[~good], X[good], space)
            found["average"].append(scores(average.chance_of_success(T), truth))
            found["forest"].append(scores(forest.chance_of_success(T), truth))
        means = {model: np.mean(rows, axis=0) for model, rows in found.items()}
        cells = "   ".join(f"{m}: {loss:.3f} {auc:.3f}" for m, (loss, auc) in means.items())
        print(f"{name:12} after {n:3}   {cells}", flush=True)


def loop(name: str, case: Case, seeds: int) -> None:
    """Print the share of evaluations that fail in a whole run."""
    space, works = case
    slopes = np.random.default_rng(1).standard_normal(space.dimension)
    by_chance = 1.0 - float(outcomes(case, 4000, np.random.default_rng(2))[1].mean())
    shares = []
    for seed in range(seeds):
        optimizer = stoic.Optimizer(space, direction="maximize", seed=seed)
        for _ in range(BUDGET):
            params = optimizer.ask()
            if works(params):
                optimizer.tell(params, float(np.cos(3.0 * space.encode(params) @ slopes)))
            else:
                optimizer.fail(params, "invalid")
        shares.append(sum(trial.failed for trial in optimizer.trials) / BUDGET)
    print(f"{name:12} failed: random {by_chance:.1%}, stoic {np.mean(shares):.1%}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--loop", action="store_true")
    parser.add_argument("--table", type=Path)
    args = parser.parse_args()
    cases = synthetic() if args.table is None else {args.table.stem: table(args.table)}
    for name, case in cases.items():
        predict(name, case, args.seeds)
        if args.loop:
            loop(name, case, args.seeds)


if __name__ == "__main__":
    main()
