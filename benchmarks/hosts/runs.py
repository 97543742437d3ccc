"""What the comparisons inside other libraries share: which runs, and a line of JSON for each.

A line is one answer: ``host`` and its ``version``, the fields of a `Job`, ``method``, ``regret`` (0
is the maximum, 1 an average point, by the true function) and ``cpu``, seconds of the whole run but
its measurements. ``report.py`` reads these fields alone.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robust.problems import Problem, get

__all__ = ["NOISES", "PROBLEMS", "Host", "Job", "Measured", "main", "read_rows", "regret_of"]

# of the set on which no default was chosen; one of each dimension 2, 3, 4 and 6, named before any
# of these runs was made
PROBLEMS = ("goldstein2", "griewank3", "rosenbrock4", "bowl6")
NOISES = ("both10", "gauss02")  # 10% outliers of either sign; clean: normal, the same scale


class Job(NamedTuple):
    """One run inside a host, by its default sampler or by Stoic's."""

    sampler: str
    problem: str
    noise: str
    seed: int
    trials: int


class Measured(NamedTuple):
    """One answer of a run."""

    method: str
    regret: float
    cpu: float

    def rounded(self) -> dict[str, Any]:
        """The fields, with the digits that are worth keeping."""
        return {"method": self.method, "regret": round(self.regret, 6), "cpu": round(self.cpu, 3)}


@dataclass(frozen=True)
class Host:
    """A library, and how a run inside it is played."""

    name: str
    version: str
    samplers: tuple[str, ...]
    play: Callable[[Job], list[Measured]]


def regret_of(problem: Problem, x: Sequence[float]) -> float:
    """The true regret of a point."""
    return float(problem.regret(np.array(x, dtype=float)))


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file; one that was cut short is left out."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            yield json.loads(line)


def jobs(host: Host, seeds: int, trials: int) -> list[Job]:
    """All runs, seeds outermost: a stopped series has whole seeds."""
    return [
        Job(sampler, problem, noise, seed, trials)
        for seed in range(seeds)
        for problem in PROBLEMS
        for noise in NOISES
        for sampler in host.samplers
    ]


def main(host: Host, text: str) -> None:
    """Play the runs that are not in the file yet, in this process."""
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=text, formatter_class=raw)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    done = {Job(*(row[field] for field in Job._fields)) for row in read_rows(args.out)}
    todo = [job for job in jobs(host, args.seeds, args.trials) if job not in done]
    for problem in PROBLEMS:
        get(problem)
    with args.out.open("a", encoding="utf-8") as out:
        if args.out.stat().st_size and not args.out.read_bytes().endswith(b"\n"):
            out.write("\n")  # the line that a killed run left unfinished
        for number, job in enumerate(todo, 1):
            answers = host.play(job)
            about = {"host": host.name, "version": host.version, **job._asdict()}
            lines = (json.dumps(about | each.rounded()) for each in answers)
            out.write("".join(f"{line}\n" for line in lines))
            out.flush()
            last = ", ".join(f"{each.method} {each.regret:.3f}" for each in answers)
            print(f"{number}/{len(todo)} {job.problem} {job.noise} {job.seed}: {last}", flush=True)
