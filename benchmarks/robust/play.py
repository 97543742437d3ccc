"""One run of a method on a problem under a noise, and its scores by the true f."""

from __future__ import annotations

import importlib
import json
import time
from typing import Any, NamedTuple

import numpy as np

from robust.noise import Stream
from robust.problems import Array, Problem, get
from robust.running import row_of

CRASHED = 1.5  # least regret of a point at which measurements crash
SAME = 1e-6
AT_BOUND = 1e-3


class Task(NamedTuple):
    """One run."""

    method: str  # module:Class
    name: str
    problem: str
    noise: str
    seed: int
    budget: int
    options: str = "{}"  # keyword arguments of the class, as JSON

    def row(self) -> dict[str, Any]:
        """Return the part of the result that identifies the run."""
        fields = self._asdict()
        del fields["method"]
        return fields | {"options": json.loads(self.options)}


class Clock:
    """Processor seconds spent within."""

    def __init__(self) -> None:
        self.spent = 0.0

    def __enter__(self) -> None:
        self._start = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.spent += time.process_time() - self._start


def execute(task: Task) -> dict[str, Any]:
    """Run one task; an error of the method becomes part of the row."""
    return row_of(task, play)


def _inside(x: Array, d: int) -> None:
    if x.shape != (d,) or not np.all((x >= 0) & (x <= 1)):
        raise ValueError(f"expected a point in [0, 1]^{d}, got {x!r}")


def play(task: Task) -> dict[str, Any]:
    """Ask, measure and tell until the budget is spent."""
    module, _, name = task.method.partition(":")
    make = getattr(importlib.import_module(module), name)
    problem = get(task.problem)
    stream = Stream(task.noise, problem, task.seed)
    start, clock = time.perf_counter(), Clock()
    with clock:
        method = make(problem.d, task.seed, task.budget, **json.loads(task.options))
    setup, clock.spent = clock.spent, 0.0
    points: list[Array] = []
    values: list[float] = []
    for _ in range(task.budget):
        with clock:
            x = np.array(method.ask(), dtype=float)
        _inside(x, problem.d)
        y = stream.measure(x)
        points.append(x)
        with clock:
            if y is None and hasattr(method, "fail"):
                method.fail(x, "crashed")
            else:
                method.tell(x, min(values, default=0.0) if y is None else y)
        values += [] if y is None else [y]
    final = Clock()
    with final:
        best = np.array(method.recommend(), dtype=float)
    _inside(best, problem.d)
    return {
        **score(problem, stream, np.array(points), best),
        **extras(method, problem, stream, best),
        "failures": int(getattr(method, "failures", 0)),  # fits that the method went on without
        "cpu_per_eval": clock.spent / task.budget,
        "cpu_setup": setup,
        "cpu_recommend": final.spent,
        "seconds": time.perf_counter() - start,
    }


def score(problem: Problem, stream: Stream, X: Array, best: Array) -> dict[str, Any]:
    """Score the recommendation by the true f, and describe the points visited."""
    works = np.array([not stream.crashes(x) for x in X])
    regrets = np.where(works, (problem.fstar - problem(X)) / problem.fstar, CRASHED)
    regret, crashes = problem.regret(best), stream.crashes(best)
    again = [np.abs(X[:i] - X[i]).max(1).min() < SAME for i in range(1, len(X))]
    at_bound = np.minimum(X, 1 - X) < AT_BOUND
    return {
        "nreg_rec": max(regret, CRASHED) if crashes else regret,
        "nreg_best_visited": float(regrets.min()),
        "mean_nreg": float(regrets.mean()),
        "duplicates": float(np.mean(again)) if again else 0.0,
        "corners": float(at_bound.all(1).mean()),
        "at_bound": float(at_bound.mean()),
        "crashed": int((~works).sum()),
        "rec_crashes": crashes,
    }


def extras(method: Any, problem: Problem, stream: Stream, best: Array) -> dict[str, Any]:
    """Score the interval and the suspects, if the method offers them."""
    found: dict[str, Any] = {}
    if hasattr(method, "interval"):
        low, high = (float(v) for v in method.interval())
        truth = problem.at(best)
        found |= {
            "covers": low <= truth <= high,  # f: the mean of a measurement without outliers
            "covers_median": low <= truth + stream.median <= high,
            "miss": (truth - (low + high) / 2) / max((high - low) / 2, 1e-300),
            "interval": high - low,
        }
    if hasattr(method, "suspects"):
        bad = {i for i, corrupt in enumerate(stream.corrupt) if corrupt}
        named = {int(i) for i in method.suspects()}
        found |= {"corrupt": len(bad), "suspects": len(named), "caught": len(bad & named)}
    return found
