"""CPU seconds of a tell and an ask after n measurements, beside BoTorch, on one thread.

    .venv-peers/bin/python benchmarks/robust/cost.py --sizes 60,500,2000

Needs the peers' environment with stoic on its path. A figure is the mean over a few successive
rounds, each of which tells one more measurement and asks; ratios are to Stoic.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import argparse
import time
from typing import Any

import numpy as np

from robust import problems
from robust.ours import Stoic
from robust.peers import BoTorch, BoTorchPursuitFast


def seconds(method: Any, problem: problems.Problem, n: int, rounds: int) -> float:
    """Mean CPU time of tell + ask around ``n`` measurements."""
    rng = np.random.default_rng(n)
    for x in rng.random((n, problem.d)):
        give(method, x, problem.at(x) + 0.2 * rng.standard_normal())
    ask(method)  # untimed: imports and other one-time work
    spent = 0.0
    for x in rng.random((rounds, problem.d)):
        y = problem.at(x) + 0.2 * rng.standard_normal()
        start = time.process_time()
        give(method, x, y)
        ask(method)
        spent += time.process_time() - start
    return spent / rounds


def give(method: Any, x: Any, y: float) -> None:
    if isinstance(method, Stoic):
        method._asked = {f"x{i}": float(v) for i, v in enumerate(x)}
    method.tell(x, y)


def ask(method: Any) -> None:
    method.ask()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="60,500,2000")
    parser.add_argument("--problem", default="bumps4")
    options = parser.parse_args()
    problem = problems.get(options.problem)
    print("| n | Stoic | BoTorch | ratio | BoTorch pursuit (fast) | ratio |")
    print("|---|---|---|---|---|---|")
    for n in map(int, options.sizes.split(",")):
        rounds = 10 if n <= 100 else 5 if n <= 500 else 3
        ours = seconds(Stoic(problem.d, 0, n), problem, n, rounds)
        plain = seconds(BoTorch(problem.d, 0, n), problem, n, min(rounds, 3 if n < 2000 else 1))
        row = f"| {n} | {ours:.4f} s | {plain:.3f} s | {plain / ours:.0f} |"
        if n <= 100:
            robust = seconds(BoTorchPursuitFast(problem.d, 0, n), problem, n, 3)
            row += f" {robust:.3f} s | {robust / ours:.0f} |"
        else:
            row += " | |"
        print(row, flush=True)


if __name__ == "__main__":
    main()
