"""Tables in Markdown from the results of ``run.py``, on cells that every method has finished.

    python benchmarks/robust/report.py stoic.jsonl peers.jsonl --against botorch

A cell is a problem, a noise and a seed. Regret: 0 the maximum, 1 an average uniform point.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Row = dict[str, Any]
Key = tuple[str, str, str, int, int]  # name, problem, noise, seed, budget
Cell = tuple[str, str, int]  # problem, noise, seed
Cells = dict[Cell, dict[str, Row]]
CLIP = 1.5  # a regret beyond this is as bad as any
TIE = 0.005
RESAMPLES = 1000
LEVELS = (0.05, 0.95)


def key(row: Row) -> Key:
    """Return what identifies a run."""
    return row["name"], row["problem"], row["noise"], row["seed"], row["budget"]


def read(path: Path) -> list[Row]:
    """Return the rows of a file; a line that was cut short is left out."""
    rows = []
    for line in path.read_text().splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            rows.append(json.loads(line))
    return rows


def load(paths: Iterable[Path]) -> list[Row]:
    """Return the rows; of two of the same run the later one counts."""
    return list({key(row): row for path in paths for row in read(path)}.values())


def matched(rows: list[Row], methods: list[str]) -> Cells:
    """Return the cells that all methods have finished."""
    cells: Cells = defaultdict(dict)
    for row in rows:
        if "error" not in row and row["name"] in methods:
            cells[row["problem"], row["noise"], row["seed"]][row["name"]] = row
    return {cell: found for cell, found in cells.items() if len(found) == len(methods)}


def spread(values: Array, groups: list[str] | None = None) -> tuple[float, float]:
    """Return the bootstrap interval of the mean, over whole groups if they are given."""
    rng = np.random.default_rng(0)
    if groups is None or len(set(groups)) < 3:
        means = values[rng.integers(0, len(values), (RESAMPLES, len(values)))].mean(1)
    else:
        names = sorted(set(groups))
        member = np.array([[g == name for g in groups] for name in names], dtype=float)
        pick = rng.integers(0, len(names), (RESAMPLES, len(names)))
        sums, counts = (member @ values)[pick].sum(1), member.sum(1)[pick].sum(1)
        means = sums / counts
    low, high = np.quantile(means, LEVELS)
    return float(low), float(high)


def median(values: Array) -> str:
    """Return the median, its bootstrap interval and the mean, as text."""
    rng = np.random.default_rng(0)
    draws = np.median(values[rng.integers(0, len(values), (RESAMPLES, len(values)))], axis=1)
    low, high = np.quantile(draws, LEVELS)
    return f"{np.median(values):.3f} [{low:.3f}, {high:.3f}] {np.minimum(values, CLIP).mean():.3f}"


def ranks(values: Array) -> Array:
    """Return each method's rank within each row, ties shared."""
    less = (values[:, :, None] > values[:, None, :] + TIE).sum(2)
    same = (np.abs(values[:, :, None] - values[:, None, :]) <= TIE).sum(2)
    shared: Array = less + (same + 1) / 2
    return shared


def table(head: list[str], body: Iterable[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def by(cells: Cells, position: int) -> dict[str, list[Cell]]:
    """Return the cells by problem (0) or by noise (1), and all of them."""
    groups: dict[str, list[Cell]] = defaultdict(list)
    for cell in sorted(cells):
        groups[str(cell[position])].append(cell)
    return groups | {"all": sorted(cells)}


def regrets(cells: Cells, methods: list[str], field: str, position: int) -> str:
    body = []
    for name, keys in by(cells, position).items():
        values = np.array([[cells[k][m][field] for m in methods] for k in keys])
        rank = ranks(np.minimum(values, CLIP)).mean(0)
        texts = [f"{median(v)} (r {r:.2f})" for v, r in zip(values.T, rank, strict=True)]
        body.append([name, str(len(keys)), *texts])
    return table([("problem", "noise")[position], "n", *methods], body)


def paired(cells: Cells, methods: list[str], other: str, field: str, position: int) -> str:
    """Compare every method with the other one: negative is better than it."""
    body = []
    rest = [m for m in methods if m != other]
    for name, keys in by(cells, position).items():
        line = [name, str(len(keys))]
        for m in rest:
            pairs = np.array([[cells[k][m][field], cells[k][other][field]] for k in keys])
            gap = -np.diff(np.minimum(pairs, CLIP), axis=1)[:, 0]
            low, high = spread(gap, [k[0] for k in keys] if name == "all" else None)
            wins, losses = int((gap < -TIE).sum()), int((gap > TIE).sum())
            score = f"{wins}/{losses}/{len(gap) - wins - losses}"
            line.append(f"{gap.mean():+.3f} [{low:+.3f}, {high:+.3f}] {score}")
        body.append(line)
    return table([("problem", "noise")[position], "n", *rest], body)


def share(top: float, bottom: float) -> str:
    return f"{top / bottom:.2f}" if bottom else "–"


def calibration(cells: Cells, methods: list[str]) -> str:
    """Return how often the intervals cover, and how well suspects are named."""
    body = []
    for name, keys in by(cells, 1).items():
        for m in methods:
            rows = [cells[k][m] for k in keys]
            with_interval = [r for r in rows if "covers" in r]
            named = [r for r in rows if "suspects" in r]
            if not with_interval and not named:
                continue
            caught, suspects, corrupt = (
                sum(r[field] for r in named) for field in ("caught", "suspects", "corrupt")
            )
            widths = [r["interval"] for r in with_interval]
            width = f"{np.median(widths):.2f}" if widths else "–"
            body.append(
                [
                    *(name, m, str(len(rows))),
                    share(sum(r["covers"] for r in with_interval), len(with_interval)),
                    share(sum(r["covers_median"] for r in with_interval), len(with_interval)),
                    width,
                    share(caught, suspects),
                    share(caught, corrupt),
                    share(suspects, len(named)),
                ]
            )
    head = ["noise", "method", "n", "covers", "covers median", "width"]
    return table([*head, "precision", "recall", "suspects a run"], body) if body else ""


def costs(rows: list[Row], methods: list[str]) -> str:
    body = []
    for m in methods:
        mine = [r for r in rows if r["name"] == m]
        fine = [r for r in mine if "error" not in r]
        line = [m, str(len(fine)), str(len(mine) - len(fine))]
        line.append(str(sum(r["failures"] for r in fine)))
        for field in ("cpu_per_eval", "cpu_recommend"):
            line.append(f"{np.median([r[field] for r in fine]):.4f}")
        for field in ("duplicates", "corners", "at_bound"):
            line.append(f"{np.mean([r[field] for r in fine]):.3f}")
        body.append(line)
    head = ["method", "runs", "errors", "failed fits", "CPU s per evaluation"]
    return table([*head, "CPU s to recommend", "duplicates", "in corners", "at bounds"], body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--methods", help="a,b,…; otherwise all")
    parser.add_argument("--against", help="compare the others with this one, in pairs")
    parser.add_argument("--field", default="nreg_rec", help="or nreg_best_visited, mean_nreg")
    parser.add_argument("--budget", type=int, help="otherwise the most frequent one")
    parser.add_argument("--problems", help="a,b,…; otherwise all")
    parser.add_argument("--noises", help="a,b,…; otherwise all")
    args = parser.parse_args()
    rows = load(args.results)
    for option, field in ((args.problems, "problem"), (args.noises, "noise")):
        rows = [r for r in rows if not option or r[field] in option.split(",")]
    budgets = [r["budget"] for r in rows]
    budget = args.budget or max(sorted(set(budgets)), key=budgets.count, default=0)
    rows = [r for r in rows if r["budget"] == budget]
    present = list(dict.fromkeys(r["name"] for r in rows))
    methods = args.methods.split(",") if args.methods else present
    cells = matched(rows, methods)
    if args.against and args.against not in methods:
        raise SystemExit(f"expected --against one of {', '.join(methods)}, got {args.against!r}")
    if not cells:
        raise SystemExit(f"expected runs that all of {', '.join(methods)} have finished, got none")
    print(f"# {args.field} after {budget} evaluations, {len(cells)} matched cells\n")
    print(f"Median [90% interval], mean of regrets cut at {CLIP} (mean rank).\n")
    for position in (1, 0):
        print(regrets(cells, methods, args.field, position))
    if args.against:
        print(f"## Regret less that of {args.against}\n")
        print("Mean difference [90% interval] wins/losses/ties. The interval of the last row")
        print("resamples problems, the others cells.\n")
        for position in (1, 0):
            print(paired(cells, methods, args.against, args.field, position))
    print(f"## Intervals and suspects\n\n{calibration(cells, methods) or 'None offers them.'}")
    print(f"\n## Cost and behaviour\n\n{costs(rows, methods)}")


if __name__ == "__main__":
    main()
