"""Two versions of Stoic on the same work, in turn: how many times faster this one is.

    python benchmarks/speed/versions.py OTHER_PYTHON [--turns 5] [--only WORD]

OTHER_PYTHON is the Python of an environment with the other version. Each turn runs all work once in
a process of either version; a figure is the least CPU time over all turns. Only the public API is
used, so that versions with other modules can be compared. One thread, nothing beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
REPEATS = 3  # of a piece of work in one process
Work = Callable[[], Any]

POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "GP-UCB": ("gp-ucb", {}),
    "TGP-UCB": ("tgp-ucb", {}),
    "CA-TGP-UCB": ("ca-tgp-ucb", {}),
    "MoM-GP-UCB": ("mom-gp-ucb", {}),
    "ATA (Nyström)": ("ata-gp-ucb", {}),
    "ATA (QFF)": ("ata-gp-ucb", {"features": "qff"}),
    "BKB": ("bkb", {}),
    "BBKB": ("bbkb", {}),
    "RGP-UCB": ("rgp-ucb", {}),
    "RGP-PE": ("rgp-pe", {}),
    "Uniform": ("uniform", {}),
}
PAPER = ("GP-UCB", "TGP-UCB", "CA-TGP-UCB", "MoM-GP-UCB", "BKB")


def policy_work() -> Iterator[tuple[str, Work]]:
    """1000 rounds of each policy on 100 and on 1000 arms, and some on many."""
    import numpy as np

    import stoic

    def play(policy: Any, f: Any, rounds: int) -> None:
        noise = np.random.default_rng(0).standard_t(3, rounds)
        for z in noise.tolist():
            arm = policy.ask()
            policy.tell(arm, float(f[arm]) + z)

    def work(name: str, arms: int, rounds: int, **options: Any) -> Work:
        X = np.linspace(0.0, 1.0, arms)
        f = np.sin(9.0 * X) + np.cos(23.0 * X)
        kind = stoic.policies.by_name(name)
        domain, kernel = stoic.Arms(X), stoic.SquaredExponential(0.1)
        return lambda: play(kind(domain, kernel, **options), f, rounds)

    known = stoic.Assumptions(raw_moment=8.0, central_moment=3.0, noise_std=1.7, norm_bound=3.0)
    paper = {"schedule": "theory", "assumptions": known, "horizon": 2000}
    for arms in (100, 1000):
        for label, (name, own) in POLICIES.items():
            yield f"{label}, practical, {arms} arms", work(name, arms, 2000, **own)
        for label in PAPER:
            yield f"{label}, theory, {arms} arms", work(POLICIES[label][0], arms, 2000, **paper)
    yield "GP-UCB, practical, 5000 arms", work("gp-ucb", 5000, 500)
    yield "TGP-UCB, practical, 260,000 arms", work("tgp-ucb", 260_000, 100)


def optimizer_work() -> Iterator[tuple[str, Work]]:
    """Tell and ask of the optimiser around 60 and 500 measurements."""
    import numpy as np

    import stoic

    def work(n: int, rounds: int) -> Work:
        rng = np.random.default_rng(n)
        points = rng.random((n + rounds, 4))
        values = np.cos(5.0 * points).sum(axis=1) + 0.2 * rng.standard_t(2, n + rounds)
        told = [
            ({f"x{i}": float(v) for i, v in enumerate(x)}, float(y), None)
            for x, y in zip(points, values, strict=True)
        ]

        def run() -> None:
            space = {f"x{i}": (0.0, 1.0) for i in range(4)}
            optimizer = stoic.Optimizer(space, direction="maximize")
            optimizer.tell_all(told[:n])
            for params, value, _ in told[n:]:
                optimizer.ask()
                optimizer.tell(params, value)
            optimizer.recommend()

        return run

    yield "optimiser, 10 asks at n = 60", work(60, 10)
    yield "optimiser, 3 asks at n = 500", work(500, 3)


def measure(only: str) -> dict[str, float]:
    """CPU seconds of each piece of work, the least of a few runs."""
    seconds = {}
    for make in (policy_work, optimizer_work):
        for label, work in make():
            if only not in label:
                continue
            spent = []
            for _ in range(REPEATS):
                start = time.process_time()
                work()
                spent.append(time.process_time() - start)
            seconds[label] = min(spent)
    return seconds


STARTS = {
    "import stoic, make a policy": "import stoic; stoic.policies.GPUCB",
    "stoic --help": "from stoic.cli import main; main()",
}


def environment() -> dict[str, str]:
    """One thread, and bytecode is kept from the first turn on."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **THREADS}


def start_seconds(python: str, code: str) -> float:
    """Wall-clock seconds of a process that starts and ends."""
    start = time.perf_counter()
    command = [python, "-c", code, "--help"]
    subprocess.run(command, env=environment(), check=False, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("other", nargs="?")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--measure", action="store_true")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.only)))
        return
    pythons = {"other": options.other or sys.executable, "this": sys.executable}
    found: dict[str, dict[str, list[float]]] = {}
    for _ in range(options.turns):
        for version, python in pythons.items():
            command = [python, __file__, "--measure", "--only", options.only]
            done = subprocess.run(
                command, env=environment(), capture_output=True, text=True, check=True
            )
            for label, spent in json.loads(done.stdout).items():
                found.setdefault(label, {}).setdefault(version, []).append(spent)
            for label, code in STARTS.items():
                if options.only in label:
                    spent = start_seconds(python, code)
                    found.setdefault(label, {}).setdefault(version, []).append(spent)
    print("| work | other | this | other / this |\n|---|---|---|---|")
    for label, times in found.items():
        other, this = min(times["other"]), min(times["this"])
        print(f"| {label} | {other:.4f} s | {this:.4f} s | {other / this:.2f} |")


if __name__ == "__main__":
    main()
