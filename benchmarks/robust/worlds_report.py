"""Tables in Markdown from the results of ``worlds.py``, on runs that every method has finished.

    python benchmarks/robust/worlds_report.py stoic.jsonl peers.jsonl --ours stoic

For each world and each budget. Scores: 0 is the best (1 for kernels), 1 a typical point.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from robust.report import Array, read, table

CUT = 2.0  # a score beyond this counts as this in means
PERFECT_TIE = 1e-4  # excess scores up to this have the same rank
TIE = 0.005  # differences up to this are ties
RESAMPLES = 2000
LEVELS = (0.025, 0.975)
BASE = "sobol"  # the method whose functions the others are compared with
PERFECT = {"kernel": 1.0}  # the best score of a world, otherwise 0


class Run(NamedTuple):
    """The answer of one method to one run at one budget."""

    name: str
    world: str
    budget: int
    case: str
    function: str
    noise: str
    seed: int
    at: dict[str, float | None]

    @property
    def cell(self) -> tuple[str, int]:
        """What methods are matched by."""
        return self.case, self.seed

    @property
    def score(self) -> float:
        """The true score of the answer; inf if the answer is invalid."""
        value = self.at["score"]
        return np.inf if value is None else value


def load(paths: Iterable[Path]) -> list[Run]:
    """Return the finished runs; of two of the same run the later one counts."""
    found: dict[tuple[Any, ...], Run] = {}
    for row in (row for path in paths for row in read(path)):
        for n, at in row.get("at", {}).items():
            run = Run(
                *(row["name"], row["world"], int(n)),
                *(row["case"], row["function"], row["noise"], row["seed"], at),
            )
            found[(*run[:4], run.seed)] = run
    return list(found.values())


class Matched:
    """The runs of one world and budget that all methods have finished."""

    def __init__(self, runs: Sequence[Run], methods: Sequence[str]) -> None:
        self.methods = [m for m in methods if any(run.name == m for run in runs)]
        cells: dict[tuple[str, int], dict[str, Run]] = defaultdict(dict)
        for run in runs:
            if run.name in self.methods:
                cells[run.cell][run.name] = run
        whole = [found for _, found in sorted(cells.items()) if len(found) == len(self.methods)]
        self.first = [found[self.methods[0]] for found in whole] if self.methods else []
        self.runs = {m: [found[m] for found in whole] for m in self.methods}
        self.perfect = PERFECT.get(runs[0].world, 0.0)

    def scores(self, method: str, rows: Sequence[int]) -> Array:
        """Return the scores of a method in some of the cells."""
        return np.array([self.runs[method][i].score for i in rows])

    def by(self, label: Callable[[Run], str]) -> dict[str, list[int]]:
        """Return the cells by a label of theirs, in the order of their numbers."""
        groups: dict[str, list[int]] = defaultdict(list)
        for i, run in enumerate(self.first):
            groups[label(run)].append(i)
        return dict(sorted(groups.items(), key=lambda item: _natural(item[0])))


def _natural(text: str) -> list[tuple[bool, int, str]]:
    parts = "".join(c if c.isdigit() else f" {c} " for c in text).split()
    return [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in parts]


def cut(scores: Array) -> float:
    """Return the mean of the scores, each cut at 2."""
    return float(np.minimum(scores, CUT).mean())


def spread(gaps: Array, groups: Sequence[str]) -> tuple[float, float]:
    """Return the bootstrap interval of a mean; whole groups are drawn if there are three."""
    rng = np.random.default_rng(0)
    names = sorted(set(groups))
    if len(names) < 3:
        groups = [str(i) for i in range(len(gaps))]
        names = groups
    member = np.array([[g == name for g in groups] for name in names], dtype=float)
    pick = rng.integers(0, len(names), (RESAMPLES, len(names)))
    means = (member @ gaps)[pick].sum(1) / member.sum(1)[pick].sum(1)
    low, high = np.quantile(means, LEVELS)
    return float(low), float(high)


def worse(runs: Matched, method: str, factor: float) -> int:
    """Return on how many functions the mean excess score is above ``factor`` times Sobol's."""
    count = 0
    for rows in runs.by(lambda run: run.function).values():
        own, base = (cut(runs.scores(m, rows)) - runs.perfect for m in (method, BASE))
        count += own > factor * base
    return count


def ranks(runs: Matched) -> Array:
    """Return the mean rank of each method, from 1; scores that are nearly perfect are ties."""
    rows = range(len(runs.first))
    excess = np.array([runs.scores(m, rows) for m in runs.methods]) - runs.perfect
    means: Array = rankdata(np.maximum(excess, PERFECT_TIE), axis=0).mean(axis=1)
    return means


def overview(runs: Matched) -> str:
    """Return one line for each method."""
    functions = len(runs.by(lambda run: run.function))
    rows = range(len(runs.first))
    body = []
    for m, rank in zip(runs.methods, ranks(runs), strict=True):
        scores = runs.scores(m, rows)
        counts = [
            f"{worse(runs, m, k)} / {functions}" if BASE in runs.methods else "–" for k in (1, 2)
        ]
        body.append(
            [
                *(m, str(len(rows)), f"{np.median(scores):.3g}", f"{cut(scores):.4f}"),
                f"{rank:.2f}",
                *counts,
                *(_mean(runs, m, field) for field in ("best_tried", "invalid", "distinct")),
            ]
        )
    head = ["method", "n", "median", f"mean cut at {CUT:g}", "mean rank", "functions above Sobol"]
    return table([*head, "above twice Sobol", "best tried", "invalid", "distinct"], body)


def _mean(runs: Matched, method: str, field: str) -> str:
    values = np.array([run.at[field] for run in runs.runs[method]], dtype=float)
    if field == "best_tried":
        return f"{cut(np.nan_to_num(values, nan=CUT)):.4f}"
    return f"{values.mean():.1f}"


def grouped(runs: Matched, title: str, label: Callable[[Run], str]) -> str:
    """Return median and cut mean of each method by a label."""
    body = []
    for name, rows in runs.by(label).items():
        scores = [runs.scores(m, rows) for m in runs.methods]
        texts = [f"{np.median(s):.3g} / {cut(s):.3g}" for s in scores]
        body.append([name, str(len(rows)), *texts])
    return table([title, "n", *runs.methods], body)


def paired(runs: Matched, ours: str) -> str:
    """Compare one method with each other one; negative is better than the other."""
    body = []
    peers = [m for m in runs.methods if m != ours]
    noises = runs.by(lambda run: run.noise)
    groups = {"all": list(range(len(runs.first))), **(noises if len(noises) > 1 else {})}
    for name, rows in groups.items():
        line = [name, str(len(rows))]
        for peer in peers:
            own, other = (np.minimum(runs.scores(m, rows), CUT) for m in (ours, peer))
            gaps = own - other
            low, high = spread(gaps, [runs.first[i].function for i in rows])
            wins, losses = int((gaps < -TIE).sum()), int((gaps > TIE).sum())
            tally = f"{wins}/{losses}/{len(gaps) - wins - losses}"
            line.append(f"{gaps.mean():+.4f} [{low:+.4f}, {high:+.4f}] {tally}")
        body.append(line)
    return table(["noise", "n", *peers], body)


def chapter(runs: Matched, title: str, ours: str | None, *, short: bool) -> str:
    """Return all tables of one world at one budget."""
    parts = [f"# {title}, {len(runs.first)} matched runs\n", overview(runs)]
    if len(runs.by(lambda run: run.noise)) > 1:
        parts += ["Median / mean by noise:\n", grouped(runs, "noise", lambda run: run.noise)]
    if ours in runs.methods and len(runs.methods) > 1:
        parts.append(
            f"Mean of {ours} less that of each other, wins/losses/ties. The 95% interval draws "
            "whole functions again, or runs if there are fewer than three functions.\n"
        )
        parts.append(paired(runs, ours))
    parts += own_range(runs)
    if not short:
        parts.append("Median / mean by function:\n")
        parts.append(grouped(runs, "function", lambda run: run.function))
    return "\n".join(parts)


def own_range(runs: Matched) -> list[str]:
    """Say how many estimates are outside of the range of the answer's own measurements."""
    lines = []
    for m in runs.methods:
        known = [found for run in runs.runs[m] if (found := run.at.get("outside")) is not None]
        if known:
            lines.append(
                f"{m}: {len(known)} answers were measured twice or more; the estimate is outside "
                f"of the range of these measurements for {sum(map(bool, known))}.\n"
            )
    return lines


def growth(runs: Sequence[Run], methods: Sequence[str]) -> str:
    """Compare the answers at each budget with those of the same runs at the budget before."""
    budgets = sorted({run.budget for run in runs})
    found = {(run.name, run.budget, *run.cell): run for run in runs}
    body = []
    for m in methods:
        for before, after in pairwise(budgets):
            early = [run for run in runs if (run.name, run.budget) == (m, before)]
            later = [found.get((m, after, *run.cell)) for run in early]
            pairs = [(run, new) for run, new in zip(early, later, strict=True) if new]
            if not pairs:
                continue
            old, new = (np.minimum([pair[i].score for pair in pairs], CUT) for i in (0, 1))
            low, high = spread(new - old, [run.function for run, _ in pairs])
            gap = f"{(new - old).mean():+.4f} [{low:+.4f}, {high:+.4f}]"
            shares = [f"{np.mean(way * (new - old) > TIE):.2f}" for way in (-1, 1)]
            body.append([m, f"{before} → {after}", str(len(pairs)), gap, *shares])
    head = ["method", "budget", "n", "difference of means", "share better", "share worse"]
    return table(head, body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--methods", help="a,b,…; otherwise all")
    parser.add_argument("--ours", default="stoic", help="compare this one with each other one")
    parser.add_argument("--worlds", help="a,b,…; otherwise all")
    parser.add_argument("--short", action="store_true", help="without the tables by function")
    args = parser.parse_args()
    runs = load(args.results)
    methods = args.methods.split(",") if args.methods else list(dict.fromkeys(r.name for r in runs))
    wanted = args.worlds.split(",") if args.worlds else list(dict.fromkeys(r.world for r in runs))
    for world in wanted:
        for budget in sorted({run.budget for run in runs if run.world == world}):
            own = [run for run in runs if (run.world, run.budget) == (world, budget)]
            matched = Matched(own, methods)
            print(chapter(matched, f"{world}, {budget} measurements", args.ours, short=args.short))
        own = [run for run in runs if run.world == world]
        if len({run.budget for run in own}) > 1:
            print(f"# {world}: does a larger budget pay?\n\n{growth(own, methods)}")


if __name__ == "__main__":
    main()
