"""Ten thousand random histories: the optimiser must not raise, warn or leave its space.

    python benchmarks/core/fuzz.py [histories] [first seed]

Prints figures and the seeds of failures; takes about ten minutes on two cores. A short
form runs with the tests.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from helpers.histories import NotFinite, OutOfRange, examine, invent, seeded

PROCESSES = 2
HISTORIES_PER_TASK = 50  # histories handed to a process
SHOWN = 20
KINDS = {NotFinite: "NaN or infinity", OutOfRange: "out of range"}


def attempt(seeds: range) -> tuple[int, list[tuple[int, str, str]]]:
    """The number of trials, and seed, kind and message of each failure."""
    warnings.simplefilter("error")
    trials, found = 0, []
    for seed in seeds:
        try:
            story = invent(seeded(seed))
            trials += len(story.trials)
            examine(story)
        except Exception as error:
            kind = KINDS.get(type(error), "exception") if isinstance(error, AssertionError) else ""
            found.append((seed, kind or "exception", f"{type(error).__name__}: {error}"))
    return trials, found


def main(histories: int, first: int) -> int:
    began = time.perf_counter()
    trials = 0
    found: list[tuple[int, str, str]] = []
    columns = (
        TextColumn("histories"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[wrong]} wrong"),
    )
    parts = [
        range(k, min(k + HISTORIES_PER_TASK, first + histories))
        for k in range(first, first + histories, HISTORIES_PER_TASK)
    ]
    with Progress(*columns) as progress, ProcessPoolExecutor(PROCESSES) as pool:
        bar = progress.add_task("", total=histories, wrong=0)
        coming = {pool.submit(attempt, part): part for part in parts}
        for done in as_completed(coming):
            count, wrong = done.result()
            trials += count
            found += wrong
            progress.update(bar, advance=len(coming[done]), wrong=len(found))
    counts = Counter(kind for _, kind, _ in found)
    print(f"seeds {first} to {first + histories - 1}\n")
    print("| histories | trials | exceptions | NaN or infinity | out of range | seconds |")
    print("|---|---|---|---|---|---|")
    print(
        f"| {histories} | {trials} | {counts['exception']} | {counts['NaN or infinity']} | "
        f"{counts['out of range']} | {time.perf_counter() - began:.0f} |"
    )
    for seed, _, message in sorted(found)[:SHOWN]:
        print(f"seed {seed}: {message.splitlines()[0][:160]}")
    return 1 if found else 0


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:3]]
    sys.exit(main(*(given + [10_000, 0][len(given) :])))
