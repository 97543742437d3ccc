"""One run of a method on a case of a world, and its scores by the truth."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from robust.play import Clock
from robust.running import row_of
from robust.world.base import Array, Case, Method, Params, Problem, Settings, World

WORLDS = {
    "bbob": "robust.world.coco:Bbob",
    "bbob-noisy": "robust.world.coco:BbobNoisy",
    "kernel": "robust.world.kernel:Kernel",
    "hpo": "robust.world.hpo:Hpo",
    "knobs": "robust.world.knobs:Knobs",
    "budget": "robust.world.synthetic:Budget",
    "batch": "robust.world.synthetic:Batch",
}


def named(path: str) -> Any:
    """Return what ``module:name`` names."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def world(name: str, settings: Settings) -> World:
    """Return a world by its name."""
    made: World = named(WORLDS[name])(settings)
    return made


class Task(NamedTuple):
    """One run."""

    method: str  # module:Class
    name: str
    world: str
    case: Case
    seed: int
    budgets: tuple[int, ...]
    settings: Settings
    batch: int = 1  # configurations asked for at once
    options: str = "{}"  # keyword arguments of the class, as JSON

    def row(self) -> dict[str, Any]:
        """Return the part of the result that identifies the run."""
        return {
            "name": self.name,
            "world": self.world,
            "case": self.case.name,
            "function": self.case.function,
            "noise": self.case.noise,
            "seed": self.seed,
            "budget": self.budgets[-1],
            "batch": self.batch,
            "options": json.loads(self.options),
        }


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what identifies a run."""
    return tuple(row[f] for f in ("name", "world", "case", "seed", "budget", "batch"))


def execute(task: Task) -> dict[str, Any]:
    """Run one task; an error of the method becomes part of the row."""
    return row_of(task, play)


class Log(NamedTuple):
    """What a run measured, and its answers by the number of measurements."""

    tried: list[Params]
    values: list[float | None]
    answers: dict[int, Params]
    estimates: dict[int, float]  # of the answers, where the method gives them


def play(task: Task) -> dict[str, Any]:
    """Ask, measure and tell until the budget is spent."""
    problem = world(task.world, task.settings).open(task.case, task.seed)
    clock, answering, start = Clock(), Clock(), time.perf_counter()
    budget = task.budgets[-1]
    with clock:
        method: Method = named(task.method)(
            problem.space, problem.direction, task.seed, budget, **json.loads(task.options)
        )
    log = Log([], [], {}, {})
    while len(log.tried) < budget:
        with clock:
            asked = ask(method, min(task.batch, budget - len(log.tried)))
        for params in asked:
            value = problem.measure(params)
            log.tried.append(params)
            log.values.append(value)
            with clock:
                if value is None:
                    method.fail(params, "invalid")
                else:
                    method.tell(params, value)
            if len(log.tried) in task.budgets:
                with answering:
                    log.answers[len(log.tried)] = dict(method.recommend())
                    if hasattr(method, "estimate"):
                        log.estimates[len(log.tried)] = float(method.estimate())
    return {
        "at": {str(n): scored for n, scored in score(problem, log)},
        "cpu_per_eval": clock.spent / budget,
        "cpu_recommend": answering.spent / len(log.answers),
        "seconds": time.perf_counter() - start,
    }


def ask(method: Method, n: int) -> Sequence[Params]:
    """Return ``n`` configurations to measure before the next is reported."""
    if n > 1 and hasattr(method, "ask_many"):
        many: Sequence[Params] = method.ask_many(n)
        return many
    return [method.ask() for _ in range(n)]


def score(problem: Problem, log: Log) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return, for each answer, its true score and what was tried until then."""
    scores = problem.scores([*log.tried, *log.answers.values()])
    tried: Array = scores[: len(log.tried)]
    for (n, _), own in zip(log.answers.items(), scores[len(log.tried) :], strict=True):
        best = float(tried[:n].min())
        yield (
            n,
            {
                "score": float(own) if np.isfinite(own) else None,
                "best_tried": best if np.isfinite(best) else None,
                "invalid": sum(value is None for value in log.values[:n]),
                "distinct": len({json.dumps(dict(p), sort_keys=True) for p in log.tried[:n]}),
                **own_measurements(log, n),
            },
        )


def own_measurements(log: Log, n: int) -> dict[str, Any]:
    """Return how often the answer was measured, and whether its estimate is outside of that range.

    ``outside`` is None unless two measurements or more have a range.
    """
    pairs = zip(log.tried[:n], log.values[:n], strict=True)
    own = [value for params, value in pairs if value is not None and params == log.answers[n]]
    if len(own) < 2 or n not in log.estimates:
        return {"own": len(own), "outside": None}
    return {"own": len(own), "outside": not min(own) <= log.estimates[n] <= max(own)}
