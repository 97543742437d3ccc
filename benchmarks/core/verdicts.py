"""Are verdicts right? Whole optimisations with a baseline, and finals alone.

``python benchmarks/core/verdicts.py [--runs 50] [--gains 20] [--finals 150]``
prints the tables and writes them to benchmarks/results/verdicts.md. ``--out rows.jsonl`` keeps the
runs; the same command continues a stopped one.

- *Nothing to gain*: the function is flat, or the baseline is its optimum. A verdict of "better" is
  wrong; more than 5% of them would be too many.
- *A gain*: the baseline is a random point. Where the true gain exceeds the noise's spread, the
  verdict should be "better".
- *Finals alone*: the rule on simulated blocks, without a search before.

Functions are 20 plus a quadratic in two to four dimensions, minimised. The noise's spread is 1: a
standard deviation, or where there is none, that of its ordinary part.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
import argparse
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import stoic
from stoic.comparison.arrangements import block_sizes
from stoic.comparison.blocked import shift_between

RESULTS = Path(__file__).resolve().parents[1] / "results" / "verdicts.md"
LEVEL = 1.2  # of the lognormal noise
LOGNORMAL_STD = math.sqrt((math.exp(LEVEL**2) - 1.0) * math.exp(LEVEL**2))
EACH = (4, 6, 10)  # measurements of each in finals of a budget of 60


class Noise:
    """One series of measurements: value(f, t) draws the t-th one."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self._rng = name, np.random.default_rng(seed)
        self._state = float(self._rng.standard_normal())

    def value(self, f: float, t: int) -> float:
        """The measurement of a true value; low values are good, all are positive where f is."""
        rng, name = self._rng, self.name
        e = float(rng.standard_normal())
        if name.startswith("lognormal"):
            e = math.exp(LEVEL * e) / LOGNORMAL_STD
        elif name == "Student t, 2 d.f.":
            e = float(rng.standard_t(2.0))
        elif name == "drift":
            e += 0.05 * t
        elif name == "autocorrelated":
            self._state = 0.9 * self._state + math.sqrt(0.19) * e
            e = 0.8 * self._state + 0.6 * float(rng.standard_normal())
        y = f + e
        if name.endswith("× 50") and rng.random() < 0.05:
            return 50.0 * y
        if name == "10% outliers" and rng.random() < 0.1:
            return y + float(rng.choice([-1.0, 1.0])) * float(rng.exponential(20.0))
        if name == "zero-inflated" and rng.random() < 0.1:
            return 0.0
        return y


NOISES = (
    *("Gaussian", "lognormal", "Gaussian, 5% × 50", "lognormal, 5% × 50", "Student t, 2 d.f."),
    *("10% outliers", "zero-inflated", "drift", "autocorrelated"),
)


def problem(
    kind: str, noise: str, seed: int
) -> tuple[Callable[[Any], float], dict[str, Any], dict[str, Any]]:
    """A function, its space and the baseline; a random one is not within a spread of the best."""
    rng = np.random.default_rng((2, seed, NOISES.index(noise)))
    d = 2 + seed % 3
    names = [f"x{i}" for i in range(d)]
    centre = dict(zip(names, rng.uniform(0.2, 0.8, d).tolist(), strict=True))
    steep = 0.0 if kind == "flat" else float(rng.choice([4.0, 8.0, 16.0]))
    point = dict(zip(names, rng.random(d).tolist(), strict=True))

    def f(params: Any) -> float:
        return float(20.0 + steep * sum((params[name] - centre[name]) ** 2 for name in names))

    return f, dict.fromkeys(names, (0.0, 1.0)), centre if kind == "optimum" else point


def play(kind: str, noise: str, seed: int, budget: int) -> dict[str, Any]:
    """One whole optimisation."""
    f, space, baseline = problem(kind, noise, seed)
    measure, made = Noise(noise, 1000 + seed), [0]

    def fn(params: dict[str, float]) -> float:
        made[0] += 1
        return measure.value(f(params), made[0])

    result = stoic.minimize(fn, space, budget, baseline=baseline, seed=seed)
    verdict = result.verdict
    assert verdict is not None
    assert verdict.params is not None
    assert result.best is not None
    true = f(verdict.params) - f(baseline)
    low, high = verdict.interval
    return {
        "kind": kind,
        "noise": noise,
        "seed": seed,
        "budget": budget,
        "word": verdict.word,
        "true": true,
        "covers": low <= true <= high,
        "width": high - low,
        "kept": verdict.kept,
        "regret": f(result.best.params) - 20.0,
        "measurements": verdict.measurements,
    }


def tasks(args: argparse.Namespace) -> Iterator[tuple[str, str, int, int]]:
    """Kind, noise, seed and budget of all runs, seeds outermost."""
    for i in range(max(args.runs, args.gains)):
        seed = args.first + i
        for noise in NOISES:
            if i < args.runs:
                yield ("flat", "optimum")[seed % 2], noise, seed, args.null_budget
            if i < args.gains:
                yield "random", noise, seed, args.budget


def played(args: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of all runs; those that are in the file are not run again."""
    known = {}
    if args.out is not None and args.out.exists():
        rows = [json.loads(line) for line in args.out.read_text().splitlines()]
        known = {(row["kind"], row["noise"], row["seed"], row["budget"]): row for row in rows}
    for task in [] if args.report else tasks(args):
        if task in known:
            continue
        row = known[task] = play(*task)
        if args.out is not None:
            with args.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
    return list(known.values())


def alone(noise: str, each: int, gain: float, seeds: range) -> tuple[float, float]:
    """Finals alone: the shares of "better", and of intervals that hold the difference."""
    better = covers = 0
    sizes = block_sizes(each)
    for seed in seeds:
        measure, rng = Noise(noise, seed), np.random.default_rng((3, seed))
        order = [which for n in sizes for which in rng.permutation([0] * n + [1] * n)]
        values: tuple[list[float], list[float]] = ([], [])
        for place, which in enumerate(order):
            values[which].append(measure.value(20.0 - gain * which, place))
        low, high = shift_between(np.array(values[0]), np.array(values[1]), sizes=sizes).interval
        better += high < 0.0
        covers += low <= -gain <= high
    return better / len(seeds), covers / len(seeds)


def bounds(k: int, n: int) -> str:
    """A share with its 95% interval (Wilson)."""
    if not n:
        return "–"
    z = 1.96
    centre = (k + z * z / 2.0) / (n + z * z)
    half = z * math.sqrt(k * (n - k) / n + z * z / 4.0) / (n + z * z)
    low, high = max(100.0 * (centre - half), 0.0), 100.0 * (centre + half)
    return f"{100.0 * k / n:.1f}% ({low:.1f} to {high:.1f}; {k}/{n})"


def tables(rows: list[dict[str, Any]], args: argparse.Namespace) -> Iterator[str]:
    """The lines of the tables."""
    sizes = [2.0 * np.mean([row["measurements"] for row in rows if row["kind"] == "random"])]
    sizes.insert(0, 2.0 * np.mean([row["measurements"] for row in rows if row["kind"] != "random"]))
    yield f"Whole optimisations: of {args.null_budget} evaluations, {sizes[0]:.1f} of them finals,"
    yield f"where there is nothing to gain; of {args.budget}, {sizes[1]:.1f} of them finals, where"
    yield "the baseline is random, and one spread of the noise or more worse than the answer."
    yield ""
    yield '| noise | wrong "better" | "better" if the gain exceeds the spread | intervals hold |'
    yield "| --- | --- | --- | --- |"
    for noise in (*NOISES, "all"):
        chosen = [row for row in rows if noise in (row["noise"], "all")]
        null = [row for row in chosen if row["kind"] != "random"]
        gain = [row for row in chosen if row["kind"] == "random" and row["true"] < -1.0]
        cells = [
            bounds(sum(row["word"] == "better" and row["true"] >= 0.0 for row in null), len(null)),
            bounds(sum(row["word"] == "better" for row in gain), len(gain)),
            bounds(sum(row["covers"] for row in chosen), len(chosen)),
        ]
        yield f"| {noise} | {' | '.join(cells)} |"
    yield ""
    yield f'Finals alone, {args.finals} for each noise: shares of "better" for a gain of 0, 1, 2'
    yield "and 3 spreads, and of intervals that hold a gain of 1."
    for each in EACH:
        yield ""
        yield f"| {each} of each | 0 | 1 | 2 | 3 | intervals |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for noise in NOISES:
            seeds = range(args.first, args.first + args.finals)
            found = [alone(noise, each, gain, seeds) for gain in (0.0, 1.0, 2.0, 3.0)]
            shares = [*(better for better, _ in found), found[1][1]]
            yield f"| {noise} | {' | '.join(f'{100.0 * share:.1f}%' for share in shares)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50, help="without a gain, for each noise")
    parser.add_argument("--gains", type=int, default=20, help="with a random baseline, each noise")
    parser.add_argument("--first", type=int, default=1000, help="seed; 0 to 599 chose constants")
    parser.add_argument("--finals", type=int, default=150, help="simulated, each noise")
    parser.add_argument("--null-budget", type=int, default=40, help="of runs without a gain")
    parser.add_argument("--budget", type=int, default=60, help="of the others")
    parser.add_argument("--out", type=Path, help="keep the runs in this file")
    parser.add_argument("--report", action="store_true", help="only the runs that --out holds")
    args = parser.parse_args()
    counts = f"--runs {args.runs} --gains {args.gains} --finals {args.finals}"
    command = f"{counts} --first {args.first}"
    lines = [
        "# Verdicts: how often they are right",
        "",
        "```",
        f"python benchmarks/core/verdicts.py {command}",
        "```",
        "",
        "Shares have 95% intervals (Wilson).",
        "",
        *tables(played(args), args),
    ]
    print("\n".join(lines))
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
