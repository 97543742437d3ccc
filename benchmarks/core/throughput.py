"""Runs per second of a sweep with one and with two processes.

    python benchmarks/core/throughput.py [--runs 24] [--rounds 20000] [--repeats 3]

The sweep is run in turn with one and two local processes, each time into an empty folder, the
start of the processes included. Printed is the ratio of throughputs, repeat by repeat.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from stoic.lab.experiments.runner import run
from stoic.lab.experiments.spec import Experiment


def seconds(experiment: Experiment, workers: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        run(experiment, Path(folder), workers=workers)
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    experiment = Experiment(
        "throughput",
        problems=({"kind": "rkhs-chowdhury2019"},),
        noises=({"kind": "student-t", "df": 3.0},),
        policies=("tgp-ucb",),  # type: ignore[arg-type]
        horizons=(options.rounds,),
        trials=options.runs,
    )
    for _ in range(options.repeats):
        one, two = seconds(experiment, 1), seconds(experiment, 2)
        print(
            f"{options.runs} runs: one process {options.runs / one:.2f} runs/s, "
            f"two {options.runs / two:.2f} runs/s, ratio {one / two:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
