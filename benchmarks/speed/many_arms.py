"""A million arms in 5-D: rounds of GP-UCB beside one streaming pass over the feature matrix.

Run as a script (a process of its own, so that its peak memory is its own) it plays one policy and
writes JSON: the seconds of each round, the features in use after it, and the peak memory.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from speed import machine  # isort: skip  # noqa: F401, before numpy is imported

import argparse
import json
import resource
import subprocess
import time
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from speed.report import Goal, Options, Section, duration
from speed.work import Method, cube

__all__ = ["many_arms"]

LENGTHSCALE = 0.5
TIMED_BYTES = 2**30  # bytes of the matrix that a pass is timed on: far beyond any cache


def run(arms: int, rounds: int, name: str) -> dict[str, Any]:
    """Play, and record the time after each round."""
    world = cube(arms, 5, LENGTHSCALE)
    before = _peak()
    start = time.process_time()
    policy = Method(name).make(world, rounds)
    setup = time.process_time() - start
    means, spent, sizes = world.problem.f.tolist(), [], []
    for draw in world.draws(rounds):
        start = time.process_time()
        arm = policy.ask()
        policy.tell(arm, means[arm] + draw)
        spent.append(time.process_time() - start)
        sizes.append(int(policy.posterior.size))
    regret = float(max(means) - means[policy.recommend().arm])
    return {
        **{"seconds": spent, "features": sizes, "setup": setup, "regret": regret},
        **{"peak": _peak(), "before": before},
    }


def _peak() -> int:
    """Bytes of the largest resident set so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def one_pass(arms: int, features: int, dtype: DTypeLike) -> float:
    """Seconds of Φv for an A×m matrix, from a slice of it that no cache holds; least of five."""
    size = np.dtype(dtype).itemsize
    rows = min(arms, TIMED_BYTES // (features * size))
    Phi, v = np.ones((rows, features), dtype=dtype), np.ones(features, dtype=dtype)
    out = np.empty(rows, dtype=dtype)
    least = np.inf
    for _ in range(5):
        start = time.process_time()
        np.dot(Phi, v, out=out)
        least = min(least, time.process_time() - start)
    return float(least) * arms / rows


def _child(arms: int, rounds: int, name: str) -> dict[str, Any]:
    words = ["--arms", str(arms), "--rounds", str(rounds), "--policy", name]
    done = subprocess.run(
        [sys.executable, __file__, *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {"error": (done.stderr.strip() or f"exit {done.returncode}").splitlines()[-1]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def many_arms(options: Options) -> Section:
    """The section; the pass is over as many columns as the round in question has features."""
    arms, rounds = options.pick(1_000_000, 20_000), options.pick(1000, 100)
    title = f"{arms:,} arms in 5-D, T = {rounds}"
    head = ["policy", "median round", "mean", "90 %", "longest", "features", "a pass, float64"]
    section = Section(
        title,
        [*head, "float32", "median round / pass", "all / all passes", "peak memory"],
        notes=[
            "A pass is Φv over arms × features: for the ratios, the features of the round itself; "
            "for the time shown, those at the end. Ratios to a float64 pass, and in brackets to a "
            "float32 one. Each policy has a process of its own; peak memory is that process's, "
            "the arms included."
        ],
    )
    for name in ("gp-ucb",):
        options.tick(f"{title}: {name}")
        found = _child(arms, rounds, name)
        if "error" in found:
            section.rows.append([name, found["error"], *[""] * (len(section.head) - 2)])
            section.goals.append(Goal(title, "one pass", "≤ 0.5", found["error"], False))
            continue
        _add(section, name, arms, found)
    return section


def _add(section: Section, name: str, arms: int, found: dict[str, Any]) -> None:
    spent, features = np.array(found["seconds"]), np.maximum(found["features"], 1)
    at = np.unique(np.geomspace(1, features.max(), 8).astype(int))
    median, total, whole = {}, {}, {}
    for dtype in ("float64", "float32"):
        passes = np.interp(features, at, [one_pass(arms, int(m), dtype) for m in at])
        median[dtype] = float(np.median(spent / passes))
        total[dtype] = float(spent.sum() / passes.sum())
        whole[dtype] = float(passes.max())
    rate = arms * features.max() * 8 / whole["float64"] / 1e9
    peak = found["peak"] / 2**30
    section.rows.append(
        [
            name,
            *(duration(x) for x in (np.median(spent), spent.mean(), np.quantile(spent, 0.9))),
            duration(spent.max()),
            str(features[-1]),
            f"{duration(whole['float64'])} ({rate:.1f} GB/s)",
            duration(whole["float32"]),
            *(f"{r['float64']:.3g} ({r['float32']:.3g})" for r in (median, total)),
            f"{peak:.2f} GiB",
        ]
    )
    section.notes.append(
        f"{name}: {spent.sum():.1f} s in all, {duration(found['setup'])} to make the policy, "
        f"{found['before'] / 2**30:.2f} GiB before it; regret of its recommendation "
        f"{found['regret']:.3g} of max|f|."
    )
    measured = f"{median['float64']:.2f} pass (float32: {median['float32']:.2f}), {peak:.1f} GiB"
    met = median["float64"] <= 0.5 and peak <= 8.0
    goal = "median round ≤ 0.5 pass, ≤ 8 GiB"
    section.goals.append(Goal(section.title, "one streaming pass", goal, measured, met))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--policy", default="gp-ucb")
    asked = parser.parse_args()
    json.dump(run(asked.arms, asked.rounds, asked.policy), sys.stdout)


if __name__ == "__main__":
    main()
