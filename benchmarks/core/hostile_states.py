"""Ten thousand saved states with something wrong, loaded and played on in child processes.

    python benchmarks/core/hostile_states.py [files] [first seed]

Every policy, JSON and npz: arrays cut, transposed, shifted, retyped, shuffled, bytes flipped.
Then all of them again with Numba's bounds checking. Prints how many were refused and how many
played on, and the seeds of failures; takes about a quarter of an hour on two cores. A
sample runs with the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROCESSES = 2
HELPER = Path(__file__).parents[2] / "tests" / "helpers" / "hostile.py"
EXPECTED = ("refused", "played")


def attempt(count: int, first: int, bounds: bool) -> list[tuple[int, str, str]]:
    """Seed, change and verdict of each file; all are made and tried in one process."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        if bounds:
            environment |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": f"{folder}/cache"}
        command = [sys.executable, str(HELPER), str(count), str(first), folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def report(title: str, count: int, first: int, *, bounds: bool) -> int:
    """Run, print the figures, and give the number of files that were neither refused nor played."""
    began, share = time.perf_counter(), -(-count // PROCESSES)
    with ThreadPoolExecutor(PROCESSES) as pool:
        jobs = [pool.submit(attempt, share, first + i * share, bounds) for i in range(PROCESSES)]
        rows = [row for job in jobs for row in job.result()]
    counted = Counter(row[2] if row[2] in EXPECTED else "wrong" for row in rows)
    seconds = time.perf_counter() - began
    print(
        f"{title}: {len(rows)} files, {counted['refused']} refused, {counted['played']} played on, "
        f"{counted['wrong']} wrong (signals, untyped errors, NaN, hangs); {seconds:.0f} s"
    )
    for seed, what, verdict in [row for row in rows if row[2] not in EXPECTED][:20]:
        print(f"  seed {seed}, {what}: {verdict.splitlines()[-1]}")
    return counted["wrong"]


if __name__ == "__main__":
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = report("tampered states", files, start, bounds=False)
    wrong += report("with bounds checked", files, start, bounds=True)
    sys.exit(1 if wrong else 0)
