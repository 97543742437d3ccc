"""What the end of a run costs: finals, or stopping when settled, against searching to the end.

    python benchmarks/robust/endings.py [--seeds 50:51] [--every 1] --out endings.jsonl

Each cell is a problem of the check set under one of its noises. A search of 60 evaluations is made
once; the finals begin from its state, so that runs are paired up to where they differ, and so is
the stop. ``--every 3`` takes a third of the cells, different ones for each problem. The same
command continues a stopped run, and writes benchmarks/results/endings.md.
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
import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import stoic
from robust import noise, problems
from robust.play import CRASHED
from stoic.runs.course import Course
from stoic.runs.limits import Limits
from stoic.runs.run import OptimizerSteering

RESULT = Path(__file__).resolve().parents[1] / "results" / "endings.md"
BUDGET, ALONE = 60, 4  # evaluations; those of finals without a baseline, which are not the default
_BASELINE_SEED = 77


class Run:
    """One optimisation, measured by the true f; ``course`` decides about its finals."""

    def __init__(self, cell: tuple[str, str, int], *, baseline: bool, confirm: str | int) -> None:
        self._cell, self._baseline = cell, baseline
        self.problem = problems.get(cell[0])
        self._stream = noise.Stream(cell[1], self.problem, cell[2])
        space = {f"x{i}": (0.0, 1.0) for i in range(self.problem.d)}
        drawn = np.random.default_rng((_BASELINE_SEED, cell[2], self.problem.d))
        base = dict(zip(space, drawn.random(self.problem.d).tolist(), strict=True))
        self.optimizer = stoic.Optimizer(
            space, direction="maximize", seed=cell[2], baseline=base if baseline else None
        )
        steering = OptimizerSteering(self.optimizer)
        self._course = Course(Limits.of(BUDGET, confirm=confirm), steering)

    @property
    def made(self) -> int:
        return len(self.optimizer.trials)

    def holds_finals(self) -> bool:
        """Let the course decide about the next evaluation; whether there are finals."""
        self._course.steer(self.made, self.made)
        return self.optimizer.finals is not None

    def step(self) -> None:
        """One evaluation."""
        params = self.optimizer.ask()
        y = self._stream.measure(np.array([params[name] for name in params]))
        if y is None:
            self.optimizer.fail(params, "crashed")
        else:
            self.optimizer.tell(params, y)

    def branch(self, confirm: str | int) -> Run:
        """Another run with the same evaluations so far, which ends differently."""
        other = Run(self._cell, baseline=self._baseline, confirm=confirm)
        trials = self.optimizer.trials
        other.optimizer.tell_all([(t.params, t.value, t.reason) for t in trials])
        other._stream.corrupt = list(self._stream.corrupt)
        return other

    def regret(self) -> float:
        """The regret of the answer by the true f: 0 the maximum, 1 an average point."""
        params = self.optimizer.recommend().params
        x = np.array([params[name] for name in params])
        found = self.problem.regret(x)
        return min(max(found, CRASHED) if self._stream.crashes(x) else found, CRASHED)


def play(cell: tuple[str, str, int]) -> dict[str, Any]:
    """All ends of one cell."""
    row: dict[str, Any] = {"problem": cell[0], "noise": cell[1], "seed": cell[2]}
    for kind, baseline, confirm in (("alone", False, ALONE), ("baseline", True, "auto")):
        run = Run(cell, baseline=baseline, confirm=confirm)
        settled = None
        while run.made < BUDGET and not run.holds_finals():
            if not baseline and settled is None and run.optimizer.settled():
                settled = run.made, run.regret()
            run.step()
        on = run.branch(0)
        row[f"{kind} finals"] = BUDGET - run.made
        while run.made < BUDGET:
            run.step()
        while on.made < BUDGET:
            if not baseline and settled is None and on.optimizer.settled():
                settled = on.made, on.regret()
            on.step()
        row[f"{kind} with"], row[f"{kind} without"] = run.regret(), on.regret()
        if not baseline:
            row["settled at"], row["settled"] = settled or (BUDGET, on.regret())
    return row


def cells(args: argparse.Namespace) -> Iterator[tuple[str, str, int]]:
    """The cells, seeds outermost."""
    first, end = map(int, args.seeds.split(":"))
    for seed in range(first, end):
        for i, problem in enumerate(problems.CHECK):
            for j, name in enumerate(noise.CHECK):
                if (i + j + seed) % args.every == 0:
                    yield problem, name, seed


def difference(rows: list[dict[str, Any]], new: str, old: str) -> str:
    """The mean difference of regrets with its standard error."""
    d = np.array([row[new] - row[old] for row in rows])
    return f"{d.mean():+.4f} ± {d.std(ddof=1) / math.sqrt(len(d)):.4f}"


def tables(rows: list[dict[str, Any]], command: str) -> Iterator[str]:
    """The lines of the page."""
    yield "# The end of a run: finals, and stopping when settled"
    yield ""
    yield f"`{command}`: {len(rows)} runs of {BUDGET} evaluations."
    yield "Differences of mean regret (0 the maximum, 1 an average point) ± one standard error, of"
    yield "runs that are the same until they end differently; negative is better."
    yield ""
    yield "| end | evaluations | regret to the end | difference |"
    yield "|---|---:|---:|---:|"
    for kind, words in (
        ("alone", "`confirm=4`, no baseline"),
        ("baseline", "finals, random baseline"),
    ):
        sizes = np.array([row[f"{kind} finals"] for row in rows])
        regret = np.mean([row[f"{kind} without"] for row in rows])
        change = difference(rows, f"{kind} with", f"{kind} without")
        yield f"| {words} | {sizes.mean():.1f} of them finals | {regret:.4f} | {change} |"
    used = np.array([row["settled at"] for row in rows])
    regret = np.mean([row["alone without"] for row in rows])
    change = difference(rows, "settled", "alone without")
    yield f'| `stop="settled"`, no finals | {used.mean():.1f} | {regret:.4f} | {change} |'
    yield ""
    saved, stopped = 1.0 - used.mean() / BUDGET, np.mean(used < BUDGET)
    yield f"Stopping when settled saves {saved:.0%} of the evaluations; {stopped:.0%} of runs stop."


def main() -> None:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--seeds", default="50:51", help="first:end")
    parser.add_argument("--every", type=int, default=1, help="of the cells")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only the runs that --out holds")
    args = parser.parse_args()
    lines = args.out.read_text().splitlines() if args.out.exists() else []
    known = {(r["problem"], r["noise"], r["seed"]): r for r in map(json.loads, lines)}
    for cell in [] if args.report else cells(args):
        if cell not in known:
            known[cell] = play(cell)
            with args.out.open("a") as file:
                file.write(json.dumps(known[cell]) + "\n")
    command = f"python benchmarks/robust/endings.py --seeds {args.seeds} --every {args.every}"
    rows = [known[cell] for cell in cells(args) if cell in known]
    text = "\n".join(tables(rows, command)) + "\n"
    RESULT.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
