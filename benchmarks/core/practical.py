"""Regret of the practical defaults on the papers' synthetic problem.

    python benchmarks/core/practical.py [--functions 20] [--rounds 20000]

100 arms, SE l = 0.2, fresh functions whose seeds were not used to choose the defaults, t₃ and
symmetrised Pareto(1.21) noise. Printed is the time-average regret as a share of the range of f:
mean ± standard deviation over functions, and the worst. Plain GP-UCB at the same width stands
beside the robust policies. Last, whether y·10⁶ + 10⁹ gives the same suggestions.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import stoic

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.synthetic import ARMS, KERNEL, NOISES, function
from stoic.policies import by_name

POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "TGP-UCB": ("tgp-ucb", {}),
    "ATA-GP-UCB (Nyström)": ("ata-gp-ucb", {"features": "nystrom"}),
    "ATA-GP-UCB (QFF)": ("ata-gp-ucb", {"features": "qff"}),
    "CA-TGP-UCB": ("ca-tgp-ucb", {}),
    "Huber-GP-UCB": ("huber-gp-ucb", {}),
    "MoM-GP-UCB": ("mom-gp-ucb", {}),
    "RCGP-UCB": ("rcgp-ucb", {}),
    "GP-UCB": ("gp-ucb", {}),
    "BKB": ("bkb", {}),
    "BBKB": ("bbkb", {}),
    "RGP-UCB": ("rgp-ucb", {}),
    "RGP-PE": ("rgp-pe", {}),
    "Fast-Slow GP-UCB": ("fast-slow-gp-ucb", {}),
    "Uniform": ("uniform", {}),
}


def run(task: tuple[str, str, int, int, float, float]) -> tuple[float, list[int]]:
    """One run: the share of the range of f lost per round, and the arms played."""
    label, noise, seed, rounds, scale, shift = task
    name, own = POLICIES[label]
    f = function(seed)
    payoffs = NOISES[noise](np.random.default_rng([2, seed]), rounds)
    make: Any = by_name(name)
    policy = make(stoic.Arms(ARMS), KERNEL, seed=seed, **own)
    arms = []
    for t in range(rounds):
        arm = policy.ask()
        policy.tell(arm, shift + scale * (f[arm] + payoffs[t]))
        arms.append(arm)
    return float((f.max() - f[arms]).mean() / np.ptp(f)), arms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=20_000)
    options = parser.parse_args()
    lines = [
        "| policy | noise | mean ± std | worst | same for y·10⁶ + 10⁹ |",
        "|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for noise in NOISES:
            for label in POLICIES:
                seeds = range(options.functions)
                plain = [(label, noise, seed, options.rounds, 1.0, 0.0) for seed in seeds]
                moved = [(label, noise, seed, options.rounds, 1e6, 1e9) for seed in range(3)]
                runs = list(pool.map(run, plain + moved))
                shares = np.array([share for share, _ in runs[: options.functions]])
                same = sum(
                    a[1] == b[1] for a, b in zip(runs, runs[options.functions :], strict=False)
                )
                line = (
                    f"| {label} | {noise} | {shares.mean():.4f} ± {shares.std():.4f} | "
                    f"{shares.max():.4f} | {same} of {len(moved)} |"
                )
                print(line, flush=True)
                lines.append(line)
    sizes = f"--functions {options.functions} --rounds {options.rounds}"
    command = f"python benchmarks/core/practical.py {sizes}"
    report = "\n".join(
        [
            "# Time-average regret of the practical defaults, as a share of the range of f",
            "",
            f"`{command}`",
            "",
            *lines,
            "",
        ]
    )
    (Path(__file__).parents[1] / "results" / "practical.md").write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
