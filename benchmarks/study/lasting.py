"""Very many trials in one study: cost and memory stay flat."""

from __future__ import annotations

import os
import time
from pathlib import Path
from statistics import mean, median

import stoic
from study.bars import Figure, Watch, at_most
from study.client import SPACE, value_of


def resident() -> float:
    """Memory of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def last(folder: Path, trials: int, watch: Watch) -> list[Figure]:
    """Ask and tell so often; the last tenth beside the first."""
    seconds = []
    with stoic.Study(
        folder / "long.db", space=SPACE, direction="maximize", method="random"
    ) as study:
        study.tell(study.ask(), 1.0)
        before = resident()
        for _ in watch.steps(f"{trials} trials", trials):
            start = time.perf_counter()
            trial = study.ask()
            study.tell(trial, value_of(trial.number))
            seconds.append(time.perf_counter() - start)
        grown = resident() - before
    tenth = max(1, trials // 10)
    first, final = seconds[:tenth], seconds[-tenth:]
    what = f"{trials} trials in one study"
    return [
        Figure(f"{what}: ask+tell, first tenth, median", f"{1e3 * median(first):.2f} ms"),
        Figure(f"{what}: ask+tell, last tenth, median", f"{1e3 * median(final):.2f} ms"),
        at_most(f"{what}: last tenth / first tenth, medians", median(final) / median(first), 1.5),
        at_most(f"{what}: last tenth / first tenth, means", mean(final) / mean(first), 1.5),
        at_most(f"{what}: memory growth", grown, 200, " MB"),
    ]
