"""The truth about the simulated server: what each configuration gives on average.

    python -m examples.server.truth > examples/server/truth.json

The truth is the mean, over many runs with different seeds, of the 99th percentile without outliers:
no other program, no lost connections. The best configuration is searched on a grid of all that
fits into memory, with few runs each, then among the best of them with more and more runs, and
around the winner. This takes some minutes; its last result is ``truth.json``.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

from examples.server.server import COLLECTORS, MEMORY, Config, simulate

SAFE = MEMORY - 300  # MB: beyond, a run in a hundred dies
THREADS = (4, 6, 8, 10, 12, 16, 24, 36, 64)
CACHES = (64, 256, 512, 768, 1024, 1400, 1800, 2200, 2600, 3200)


def average(config: Config, runs: int = 301) -> float:
    """The mean of honest measurements, in ms; the same runs for every configuration."""
    return float(
        statistics.fmean(simulate(config, random.Random(seed)).p99 for seed in range(runs))
    )


def best() -> dict[str, Any]:
    """The best configuration, and what it gives on average."""
    grid = [Config(*each) for each in product(THREADS, CACHES, COLLECTORS)]
    few = _best([c for c in grid if c.memory < SAFE], 5, 40)
    few = _best(few, 25, 12)
    for step in (0.12, 0.05):
        few = _best({*few, *_around(few[:2], step)}, 51, 5)
    winner = _best(few, 401, 1)[0]
    return {
        "command": "python -m examples.server.truth > examples/server/truth.json",
        "params": vars(winner),
        "value": round(average(winner), 3),
        "runners_up": [{**vars(c), "value": round(average(c), 3)} for c in few],
    }


def _best(configs: Iterable[Config], runs: int, keep: int) -> list[Config]:
    score: Callable[[Config], float] = lambda config: average(config, runs)  # noqa: E731
    found = sorted(set(configs), key=score)[:keep]
    print(f"{runs} runs each: {found[0]}", file=sys.stderr)
    return found


def _around(configs: list[Config], step: float) -> Iterable[Config]:
    for config in configs:
        for t, c in product((-2, -1, 0, 1, 2), repeat=2):
            near = Config(
                min(max(round(config.threads + t * max(1, step * config.threads)), 1), 64),
                min(max(round(config.cache_mb * (1 + c * step)), 16), 4096),
                config.gc,
            )
            if near.memory < SAFE:
                yield near


def known() -> dict[str, Any]:
    """What was found before."""
    text = Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    print(json.dumps(best(), indent=2))
