"""Long checks of the core: drift over a million rounds, agreement with references, coverage.

    python benchmarks/core/soak.py

Prints one table; takes about ten minutes. A short form of each runs with the tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from helpers.drift import drift
from helpers.worlds import NOISES, WORLDS
from policies import test_against_references as lockstep
from schedules import test_coverage as coverage
from stoic.kernels import Matern, SquaredExponential


def long_drift(rounds: int) -> None:
    print(f"\nDrift after {rounds} rounds, 100 arms (largest error over arms)\n")
    print("| kernel | λ | mean | variance | smallest variance | bound |")
    print("|---|---|---|---|---|---|")
    twins = np.sort(np.concatenate([np.linspace(0, 1, 50), np.linspace(0, 1, 50) + 1e-7]))
    cases = {
        "SE l = 0.2": (SquaredExponential(0.2), np.linspace(0, 1, 100)[:, None]),
        "SE l = 0.3, near-duplicates": (SquaredExponential(0.3), twins[:, None]),
        "Matérn 5/2, 2-D": (Matern(2.5, 0.2), np.random.default_rng(0).random((100, 2))),
    }
    for name, (kernel, points) in cases.items():
        for lam in (1.0, 1e-6):
            error = drift(kernel, points, lam, rounds)
            bound = 1e-9 if lam == 1.0 else error.bound
            print(
                f"| {name} | {lam:g} | {error.mean:.1e} | {error.var:.1e} | "
                f"{error.smallest_var:.1e} | {bound:.1e} |",
                flush=True,
            )


def agreement() -> None:
    print("\nLargest difference from the literal references at any round, T = 300\n")
    print("| policy | world | mean | std | width |")
    print("|---|---|---|---|---|")
    for name, twin, own in lockstep.CASES:
        for where in WORLDS:
            if own.get("features") == "qff" and where != "se":
                continue
            worst = np.zeros(3)
            for noise in NOISES:
                for schedule in ("theory", "paper"):
                    worst = np.maximum(
                        worst, lockstep.follow(name, twin, own, where, noise, schedule)
                    )
            label = "-".join([name, *map(str, own.values())])
            print(
                f"| {label} | {where} | " + " | ".join(f"{w:.1e}" for w in worst) + " |", flush=True
            )


def bands() -> None:
    print(f"\nShare of {coverage.RUNS} runs in which theory's band holds throughout (δ = 0.1)\n")
    print("| policy | share |")
    print("|---|---|")
    for case in coverage.CASES:
        share = np.mean([coverage.covered(case, seed) for seed in range(coverage.RUNS)])
        print(f"| {case} | {share:.3f} |", flush=True)


if __name__ == "__main__":
    agreement()
    bands()
    long_drift(1_000_000)
