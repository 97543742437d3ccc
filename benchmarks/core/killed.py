"""A sweep killed with SIGKILL again and again, and resumed, against one left alone.

    python benchmarks/core/killed.py [--kills 20] [--rounds 3000] [--seed 0]

The sweep (tests/helpers/sweep.py, two processes) is started and killed at random moments until it
has been killed ``kills`` times, starting again in an empty folder whenever it has
finished. Every folder's Parquet files are then compared, byte by byte, with those of an undisturbed
sweep. The same is done on a Dask cluster of two workers, of which one is killed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from helpers.cluster import cluster
from stoic.lab.experiments.runner import Status, run
from stoic.lab.experiments.spec import Experiment
from stoic.lab.experiments.toml import from_table

SCRIPT = Path(__file__).parents[2] / "tests" / "helpers" / "sweep.py"
TABLES = ("curves", "epochs")


def sweep(folder: Path, rounds: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(SCRIPT), str(folder), "2", str(rounds)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)  # killed processes print warnings


def contents(folder: Path) -> list[bytes]:
    return [(folder / f"{name}.parquet").read_bytes() for name in TABLES]


def strike(root: Path, rounds: int, kills: int, rng: np.random.Generator, length: float) -> bool:
    """Kill ``kills`` times while alive; whether all finished folders are as expected."""
    alone, same, number, struck = contents(root / "alone"), True, 0, 0
    while struck < kills:
        folder = root / f"struck{number}"
        process = sweep(folder, rounds)
        try:
            process.wait(float(rng.uniform(0.0, length)))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            struck += 1
            done = len(list((folder / "runs").glob("*.json")))
            print(f"kill {struck}: {done} runs were finished", flush=True)
            continue
        same &= contents(folder) == alone
        number += 1
    if sweep(root / f"struck{number}", rounds).wait() != 0:
        return False
    return same and contents(root / f"struck{number}") == alone


def dask(root: Path) -> bool:
    """The sweep on a cluster whose first worker is killed on the way."""
    with cluster(root) as made:

        def watch(status: Status) -> None:
            if status.done == status.total // 3:
                made.kill_a_worker()

        run(
            manifest(root / "alone"),
            root / "dask",
            engine="dask",
            scheduler=made.address,
            watch=watch,
        )
    return contents(root / "dask") == contents(root / "alone")


def manifest(folder: Path) -> Experiment:
    table = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return from_table(table["experiments"][0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        start = time.monotonic()
        if sweep(root / "alone", options.rounds).wait() != 0:
            raise SystemExit("the undisturbed sweep failed")
        length = time.monotonic() - start
        print(f"undisturbed: {length:.1f} s", flush=True)
        local = strike(root, options.rounds, options.kills, rng, length)
        print(f"killed {options.kills} times and resumed: the same bytes: {local}", flush=True)
        cluster = dask(root)
        print(f"Dask, one of two workers killed: the same bytes: {cluster}", flush=True)
    if not (local and cluster):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
