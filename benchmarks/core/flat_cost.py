"""Cost per round after a hundred thousand and after a million rounds.

    python benchmarks/core/flat_cost.py [--rounds 1000000] [--only NAME ...]

100 arms, SE l = 0.2, t₃ noise, one thread. Printed per policy: microseconds per round over
rounds 0.9·T/10 … T/10 and over 0.9·T … T, their ratio, and the size of the whole state at both
ends. A copy of the policy waits at 0.9·T/10 until the other has come to 0.9·T; then the two
windows are played slice by slice, in turn, and the median slice is taken: other load on the
machine then affects both.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import stoic

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.synthetic import ARMS, KERNEL, Array, function
from stoic.policies import Policy, by_name

THEORY: dict[str, Any] = {
    "schedule": "theory",
    "assumptions": stoic.Assumptions(
        raw_moment=40.0, central_moment=3.0, noise_std=1.8, budget=10.0, norm_bound=6.0
    ),
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "GP-UCB": ("gp-ucb", {}),
    "TGP-UCB": ("tgp-ucb", {}),
    "CA-TGP-UCB": ("ca-tgp-ucb", {}),
    "Huber-GP-UCB": ("huber-gp-ucb", {}),
    "MoM-GP-UCB": ("mom-gp-ucb", {}),
    "RGP-UCB": ("rgp-ucb", {}),
    "RGP-PE": ("rgp-pe", {}),
    "BKB": ("bkb", {}),
    "BBKB": ("bbkb", {}),
    "ATA-GP-UCB (QFF)": ("ata-gp-ucb", {"features": "qff"}),
    "ATA-GP-UCB (QFF, theory)": ("ata-gp-ucb", {"features": "qff", **THEORY}),
    "ATA-GP-UCB (Nyström)": ("ata-gp-ucb", {"features": "nystrom"}),
}
SLICES = 20


def state_bytes(policy: Policy) -> int:
    """The size of everything that a policy keeps."""
    return sum(np.asarray(value).nbytes for value in policy.state().values())


def play(policy: Policy, f: Array, rng: np.random.Generator, count: int) -> float:
    """Seconds per round over ``count`` rounds."""
    noise = rng.standard_t(3, count).tolist()
    start = time.perf_counter()
    for eps in noise:
        arm = policy.ask()
        policy.tell(arm, f[arm] + eps)
    return (time.perf_counter() - start) / max(count, 1)


def measure(name: str, own: dict[str, Any], rounds: int) -> tuple[float, float, int, int]:
    """Seconds per round in both windows, and bytes at their ends."""
    f, rng = function(0), np.random.default_rng(3)
    make: Any = by_name(name)
    late = make(stoic.Arms(ARMS), KERNEL, horizon=rounds, **own)
    play(late, f, rng, 9 * rounds // 100)
    early = make.from_state(late.state())
    play(late, f, rng, 9 * rounds // 10 - late.t)
    slice = rounds // 100 // SLICES
    figures = []
    for _ in range(SLICES):
        figures.append((play(early, f, rng, slice), play(late, f, rng, slice)))
        play(late, f, rng, 9 * slice)  # on to the next tenth of its window
    before, after = np.median(np.array(figures), axis=0)
    return float(before), float(after), state_bytes(early), state_bytes(late)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    lines = [
        "| policy | µs per round near T/10 | near T | ratio | state near T/10 | near T |",
        "|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for label, (name, own) in CASES.items():
        if options.only and label not in options.only:
            continue
        early, late, small, large = measure(name, own, options.rounds)
        line = (
            f"| {label} | {1e6 * early:.0f} | {1e6 * late:.0f} | {late / early:.3f} | "
            f"{small / 1024:.0f} KiB | {large / 1024:.0f} KiB |"
        )
        print(line, flush=True)
        lines.append(line)
    if not options.only:
        report = ["# Cost per round does not grow with the number of rounds", ""]
        report += [
            f"`python benchmarks/core/flat_cost.py --rounds {options.rounds}`",
            "",
            *lines,
            "",
        ]
        path = Path(__file__).parents[1] / "results" / "flat_cost.md"
        path.write_text("\n".join(report), encoding="utf-8")


if __name__ == "__main__":
    main()
