"""How far the numbers of an answer can be quoted: errors, coverage, and what suspects move.

``python benchmarks/core/quotable.py [SEEDS] [FIRST] [HISTORIES]`` runs the optimiser on SEEDS
problems (40) from seed FIRST (1000) for each noise, 60 evaluations each, prints the table and
writes benchmarks/results/quotable.md. Runs are kept in the file HISTORIES, so that a stopped one
continues. The constants of `stoic.optimize.answers` were chosen on seeds 0–34 and 100–124.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.quotable_worlds import NOISES, World
from stoic.checks import Array
from stoic.optimize import Answer, Optimizer

EVALUATIONS = 60
RESULT = Path(__file__).parents[1] / "results" / "quotable.md"


class Run(NamedTuple):
    """What one run shows of the median and of the mean."""

    error: float  # of the median, in spreads of the noise
    covers: bool
    half_width: float  # in spreads of the noise
    single: float  # share of single runs within their range
    mean_error: float
    mean_covers: bool
    moved: float  # by a fit without the suspects, in half-widths


def played(world: World) -> list[tuple[dict[str, float], float]]:
    """The trials of a run."""
    optimizer = Optimizer(world.space, direction=world.direction, seed=world.seed)
    trials = []
    for i in range(EVALUATIONS):
        params = optimizer.ask()
        value = world.measure(np.array(list(params.values())), i)
        optimizer.tell(params, value)
        trials.append((params, value))
    return trials


def told(world: World, trials: list[tuple[dict[str, float], float]], target: str) -> Optimizer:
    made = Optimizer(world.space, direction=world.direction, seed=world.seed, target=target)
    made.tell_all([(params, value, None) for params, value in trials])
    return made


def measured(world: World, trials: list[tuple[dict[str, float], float]]) -> Run:
    """Compare the answers of a run with the truth."""
    median = told(world, trials, "median")
    conclusion = median.conclude()
    best = conclusion.answer
    gone = {suspect.trial for suspect in conclusion.suspects}
    again = told(world, [t for i, t in enumerate(trials) if i not in gone], "median")
    moved = abs(again.estimate(best.params).value - best.value)
    mean = told(world, trials, "mean").estimate(best.params)
    runs = world.runs(np.array(list(best.params.values())))
    spread = _spread(runs)
    low, high = best.single_run
    half_width = (best.interval[1] - best.interval[0]) / 2
    return Run(
        abs(best.value - float(np.median(runs))) / spread,
        _holds(best, float(np.median(runs))),
        half_width / spread,
        float(np.mean((low <= runs) & (runs <= high))),
        abs(mean.value - float(runs.mean())) / spread,
        _holds(mean, float(runs.mean())),
        moved / max(half_width, 1e-9 * spread),
    )


def _holds(answer: Answer, truth: float) -> bool:
    slack = 1e-6 * abs(truth)  # where the noise is mostly zero, an interval may be a point
    return answer.interval[0] - slack <= truth <= answer.interval[1] + slack


def _spread(runs: Array) -> float:
    """The quartiles' distance as a standard deviation, or that where most runs are equal."""
    low, high = np.quantile(runs, [0.25, 0.75])
    return float(high - low) / 1.349 if np.median(runs) != low else float(runs.std())


def histories(
    seeds: range, kept: Path | None
) -> Iterator[tuple[World, list[tuple[dict[str, float], float]]]]:
    """Runs of all noises; those of the file need not be made again."""
    known = {}
    if kept is not None and kept.exists():
        for line in kept.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            known[row["noise"], row["seed"]] = row["X"], row["Y"]
    for seed in seeds:
        for noise in NOISES:
            world = World(noise, seed)
            if (noise, seed) in known:
                X, Y = known[noise, seed]
                yield world, [(dict(zip(world.space, x, strict=True)), y)
                              for x, y in zip(X, Y, strict=True)]  # fmt: skip
                continue
            trials = played(world)
            if kept is not None:
                X, Y = [list(p.values()) for p, _ in trials], [y for _, y in trials]
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"noise": noise, "seed": seed, "X": X, "Y": Y}) + "\n")
            yield world, trials


def accuracies(seeds: range) -> tuple[int, int]:
    """Ends and estimates outside of [0, 1] for a saturated accuracy, of how many."""
    outside = total = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 7])
        made = Optimizer({"x": (0.0, 1.0)}, direction="maximize", seed=seed, bounds=(0.0, 1.0))
        for _ in range(25):
            x = float(rng.random())
            value = 1.0 - 0.3 * (x - 0.4) ** 2 + 0.02 * rng.standard_normal()
            made.tell({"x": x}, 0.1 if rng.random() < 0.05 else min(value, 1.0))
        best = made.recommend()
        ends = best.value, *best.interval, *best.single_run
        outside, total = outside + sum(not 0.0 <= end <= 1.0 for end in ends), total + len(ends)
    return outside, total


def equivariance(seeds: range) -> float:
    """The largest relative change of value and interval under a·y + b."""
    worst = 0.0
    for seed in seeds:
        world = World("lognormal, 5% × 50", seed)
        rng = np.random.default_rng([seed, 8])
        xs = [dict(zip(world.space, map(float, rng.random(len(world.space))), strict=True))
              for _ in range(30)]  # fmt: skip
        ys = [world.measure(np.array(list(x.values())), i) for i, x in enumerate(xs)]
        plain = told(world, list(zip(xs, ys, strict=True)), "median").recommend()
        width = plain.interval[1] - plain.interval[0]
        for a, b in ((1e-12, 0.0), (1e12, 0.0), (1e-12, 3e-12), (1e12, 5e13), (7.0, 100.0)):
            moved = told(world, [(x, a * y + b) for x, y in zip(xs, ys, strict=True)], "median")
            best = moved.recommend()
            for one, other in zip((plain.value, *plain.interval), (best.value, *best.interval),
                                  strict=True):  # fmt: skip
                worst = max(worst, abs((other - b) / a - one) / width)
    return worst


def table(found: dict[str, list[Run]]) -> list[str]:
    head = (
        "| noise | runs | median: error | covered | half-width | nine of ten runs | mean: error "
        "| covered | moved < ¼ |"
    )
    lines = [head, "|---|" + "---:|" * 8]
    for noise, runs in found.items():
        r = Run(*(np.array(column, float) for column in zip(*runs, strict=True)))  # type: ignore[arg-type]
        lines.append(
            f"| {noise} | {len(runs)} | {np.median(r.error):.2f} | {np.mean(r.covers):.0%} "
            f"| {np.median(r.half_width):.2f} | {np.median(r.single):.0%} "
            f"| {np.median(r.mean_error):.2f} | {np.mean(r.mean_covers):.0%} "
            f"| {np.mean(np.array(r.moved) < 0.25):.0%} |"
        )
    return lines


def main() -> None:
    given = sys.argv[1:3]
    count, first = (int(number) for number in (*given, *("40", "1000")[len(given) :]))
    seeds, kept = range(first, first + count), Path(sys.argv[3]) if len(sys.argv) > 3 else None
    found: dict[str, list[Run]] = {noise: [] for noise in NOISES}
    for world, trials in histories(seeds, kept):
        found[world.noise].append(measured(world, trials))
    outside, total = accuracies(range(first, first + 20))
    text = [
        "# Numbers that can be quoted",
        "",
        f"`python benchmarks/core/quotable.py {count} {first}`: 20 ± a quadratic in 2–4 "
        f"dimensions, {EVALUATIONS} evaluations.",
        "Errors and half-widths are medians, in spreads of the noise; corrupt values do not count "
        "for the truth.",
        "Moved: the share of runs in which a fit without the suspects changes the value by less "
        "than a quarter of the half-width.",
        "",
        *table(found),
        "",
        f"Accuracies in [0, 1]: {outside} of {total} estimates and ends are outside. Under "
        f"a·y + b, values and intervals change by at most {equivariance(range(3)):.0e} of a width.",
        "",
    ]
    RESULT.write_text("\n".join(text), encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main()
