"""The page of the comparisons inside other libraries, from the lines of their runs.

    python benchmarks/hosts/report.py benchmarks/results/hosts/*.jsonl > benchmarks/results/hosts.md

The first method of a host is its own default. A problem, a noise and a seed count where all methods
of the host have finished them.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from hosts.runs import NOISES, read_rows
from robust.report import CLIP, TIE, spread, table

Row = dict[str, Any]
Cell = tuple[str, str, int]  # problem, noise, seed
Cells = dict[Cell, dict[str, Row]]
MEANING = {"both10": "10% outliers", "gauss02": "clean"}

HEAD = f"""# Stoic inside other libraries

True regret of the answer, 0 at the maximum and 1 at an average point: of a host's own default, and
of Stoic inside that host. Each cell has the median, and the mean of regrets cut at {CLIP}. The last
column is the mean difference of the last method and the default with a 90% interval, and wins,
losses and ties (within {TIE}) of the last method. Rows of all problems resample problems.

The noise is normal, with 0.2 of the standard deviation of the function, alone (clean) or with 10%
outliers of 10 to 100 standard deviations on either side. The problems are from the check set of
`benchmarks/robust/problems.py`, on which no default of Stoic was chosen; they were named before the
runs.
"""


def matched(rows: Iterable[Row], methods: Sequence[str]) -> Cells:
    """The cells that all methods have finished."""
    cells: Cells = defaultdict(dict)
    for row in rows:
        cells[row["problem"], row["noise"], row["seed"]][row["method"]] = row
    return {cell: found for cell, found in cells.items() if found.keys() == set(methods)}


def line(cells: Cells, keys: list[Cell], methods: Sequence[str]) -> list[str]:
    """Number of runs, each method's regrets, and the difference of the last and the first."""
    R = np.array([[cells[k][m]["regret"] for m in methods] for k in keys])
    R = np.minimum(R, CLIP)
    texts = [f"{np.median(r):.3f}, {r.mean():.3f}" for r in R.T]
    gap = R[:, -1] - R[:, 0]
    low, high = spread(gap, [k[0] for k in keys])
    wins, losses = int((gap < -TIE).sum()), int((gap > TIE).sum())
    score = f"{wins}/{losses}/{len(gap) - wins - losses}"
    return [str(len(keys)), *texts, f"{gap.mean():+.3f} [{low:+.3f}, {high:+.3f}] {score}"]


def chapter(rows: list[Row]) -> str:
    """The table of one host."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    cells = matched(rows, methods)
    body = []
    for noise in (n for n in NOISES if any(cell[1] == n for cell in cells)):
        of_noise = sorted(cell for cell in cells if cell[1] == noise)
        for problem in [*dict.fromkeys(cell[0] for cell in of_noise), "all"]:
            keys = [cell for cell in of_noise if problem in (cell[0], "all")]
            body.append([MEANING[noise], problem, *line(cells, keys, methods)])
    cpu = (np.median([row["cpu"] for row in rows if row["method"] == m]) for m in methods)
    seconds = ", ".join(f"{m}: {c:.1f}" for m, c in zip(methods, cpu, strict=True))
    trials = sorted({row["trials"] for row in rows})
    title = f"## {rows[0]['version']}, {' or '.join(map(str, trials))} trials\n"
    head = ["noise", "problem", "n", *methods, "last less first"]
    return f"{title}\n{table(head, body)}\nProcessor seconds of a run, median: {seconds}.\n"


def costs(rows: list[Row]) -> str:
    """The time of an adapter beside the optimiser's own."""
    body = []
    for row in rows:
        inside, beside = row["optimizer"], row["beside"]
        each = 1e3 * np.array([inside, beside]) / row["trials"]
        milliseconds = [f"{ms:.2f}" for ms in each]
        stored = [row["problem"], str(row["stored"]), str(row["trials"])]
        body.append([*stored, *milliseconds, f"{beside / inside:.1%}"])
    head = ["problem", "trials stored before", "trials", "ms in the optimiser", "ms beside it"]
    return (
        f"### Cost beside `stoic.Optimizer`, {rows[0]['version']}\n\nProcessor time per trial.\n\n"
        + table([*head, "beside / in"], body)
    )


def page(rows: Iterable[Row]) -> str:
    """All hosts, by name."""
    hosts: dict[str, tuple[list[Row], list[Row]]] = {}
    for row in rows:
        hosts.setdefault(row["host"], ([], []))["optimizer" in row].append(row)
    parts = [HEAD]
    for _, (runs, times) in sorted(hosts.items()):
        parts += [chapter(runs)] if runs else []
        parts += [costs(times)] if times else []
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    args = parser.parse_args()
    print(page(row for path in args.results for row in read_rows(path)), end="")


if __name__ == "__main__":
    main()
