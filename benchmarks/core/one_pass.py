"""One-pass Huber regression against policies that look at payoffs again, or not at all.

    python benchmarks/core/one_pass.py [--functions 20] [--rounds 4000]

100 arms, SE l = 0.2, the practical schedule, functions and noise of the seeds 0, 1, …; the limits
of Huber-GP-UCB were chosen on the seeds 100 to 139. Outliers: a tenth of the payoffs is off by ±30
or, one-sided, by +30; the rest has normal noise of std 1. Printed are the time-average regret as a
share of the range of f, mean ± standard deviation and worst; the paired difference to Huber-GP-UCB
with a bootstrap 95 % interval; and CPU time per round relative to ATA-GP-UCB (QFF) in this run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stoic

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.synthetic import ARMS, KERNEL, NOISES, Array, function
from stoic.policies import by_name

OURS, RESCANNING = "Huber-GP-UCB", "ATA-GP-UCB (QFF)"
POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    OURS: ("huber-gp-ucb", {}),
    RESCANNING: ("ata-gp-ucb", {"features": "qff"}),
    "TGP-UCB": ("tgp-ucb", {}),
    "CA-TGP-UCB": ("ca-tgp-ucb", {}),
    "GP-UCB": ("gp-ucb", {}),
    "Uniform": ("uniform", {}),
}


def outliers(rng: np.random.Generator, n: int, *, one_sided: bool = False) -> Array:
    """Normal noise; a tenth of it is off by 30, to either side or upwards."""
    noise, off = rng.standard_normal(n), rng.random(n) < 0.1
    side = 1.0 if one_sided else np.where(rng.random(n) < 0.5, 1.0, -1.0)
    mixed: Array = np.where(off, noise + 30.0 * side, noise)
    return mixed


WORLDS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    **NOISES,
    "10 % outliers": outliers,
    "10 % outliers, one-sided": lambda rng, n: outliers(rng, n, one_sided=True),
}


def run(label: str, noise: str, seed: int, rounds: int) -> tuple[float, float]:
    """The share of the range of f lost per round, and CPU seconds per round."""
    name, own = POLICIES[label]
    f, payoffs = function(seed), WORLDS[noise](np.random.default_rng([2, seed]), rounds)
    make: Any = by_name(name)
    policy = make(stoic.Arms(ARMS), KERNEL, seed=seed, **own)
    arms, start = [], time.process_time()
    for eps in payoffs.tolist():
        arms.append(policy.ask())
        policy.tell(arms[-1], f[arms[-1]] + eps)
    spent = time.process_time() - start
    return float((f.max() - f[arms]).mean() / np.ptp(f)), spent / rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=4000)
    options = parser.parse_args()
    for label in POLICIES:
        run(label, "t3", 999, 200)  # compiles
    lines = [
        "# One-pass Huber regression",
        "",
        f"`python benchmarks/core/one_pass.py --functions {options.functions} "
        f"--rounds {options.rounds}`; differences are Huber-GP-UCB less the policy.",
        "",
        "| noise | policy | mean ± std | worst | difference | CPU time |",
        "|---|---|---|---|---|---|",
    ]
    for noise in WORLDS:
        seeds = range(options.functions)
        # policies in turn, so that other load on the machine affects all of them
        turns = [[run(label, noise, seed, options.rounds) for label in POLICIES] for seed in seeds]
        found = dict(zip(POLICIES, np.array(turns).transpose(1, 2, 0), strict=True))
        for label, (lost, spent) in found.items():
            gap = found[OURS][0] - lost
            means = np.random.default_rng(0).choice(gap, (4000, len(gap))).mean(axis=1)
            low, high = np.quantile(means, (0.025, 0.975))
            difference = "" if label == OURS else f"{gap.mean():+.4f} [{low:+.4f}, {high:+.4f}]"
            lines.append(
                f"| {noise} | {label} | {lost.mean():.4f} ± {lost.std():.4f} | {lost.max():.4f} "
                f"| {difference} | {spent.sum() / found[RESCANNING][1].sum():.2f} |"
            )
    print("\n".join(lines))
    results = Path(__file__).parents[1] / "results" / "one_pass.md"
    results.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
