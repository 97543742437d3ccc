"""One run: a policy against a world, recorded at checkpoints.

A worker process calls this, with data of JSON types in and out; results are the same everywhere.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import json
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput, MissingExtra, StoicError, UnknownName
from stoic.lab.attacks import attacks
from stoic.lab.experiments.spec import Run
from stoic.lab.noise import noises
from stoic.lab.problems import Problem, problems
from stoic.lab.world import World
from stoic.policies import by_name
from stoic.posterior import ExactPosterior
from stoic.schedules import Assumptions

__all__ = ["attempt", "checkpoints", "load_object", "play", "rehearse"]

_POLICY_SEED = 7919  # keeps a policy's own draws apart from the world's


def checkpoints(horizon: int, count: int) -> IntArray:
    """About ``count`` rounds up to the horizon: half evenly, half geometrically spaced.

    >>> checkpoints(10, 4).tolist()
    [1, 5, 10]
    """
    half = max(count // 2, 1)
    even = np.linspace(horizon / half, horizon, half)
    ratio = np.geomspace(1, horizon, half)
    return np.unique(np.maximum(np.rint(np.concatenate([even, ratio])), 1).astype(np.int64))


def attempt(run: Run) -> dict[str, Any]:
    """As :func:`play`, but errors are returned as text: a user's exception may not be picklable."""
    try:
        return play(run)
    except KeyboardInterrupt:
        raise
    except BaseException as failure:  # a policy may even call sys.exit()
        return {"error": _described(failure)}


def _described(failure: BaseException) -> str:
    """An error in one line; if it is not a StoicError, with file and line."""
    if isinstance(failure, StoicError):
        return str(failure)
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    where = f"{Path(frame.filename).name}, line {frame.lineno}"
    return f"{type(failure).__name__}: {failure} ({where})"


def rehearse(runs: Sequence[Run]) -> None:
    """Make every distinct world and policy once, to find mistakes before hours of work."""
    seen = set()
    for run in runs:
        case = run.case
        key = (case.problem, case.noise, case.attack, case.schedule, case.policy)
        if key in seen:
            continue
        seen.add(key)
        try:
            make_policy(run, _world(run))
        except Exception as failure:
            raise InvalidInput(
                f"expected settings that can be run, got for {case.policy}, schedule "
                f"{case.schedule!r}, on {case.problem}: {_described(failure)}"
            ) from failure


def play(run: Run) -> dict[str, Any]:
    """The records of a run: columns of checkpoints, further tables, and CPU seconds.

    ``curve``, ``epochs`` and ``beliefs`` depend on the run's settings alone; ``seconds`` is the
    CPU time on this machine.
    """
    with _one_thread():
        return _play(run)


def _play(run: Run) -> dict[str, Any]:
    world = _world(run)
    start = time.thread_time()
    policy = make_policy(run, world)
    times = checkpoints(run.case.horizon, run.checkpoints).tolist()
    curve: dict[str, list[Any]] = {"t": times}
    epochs: dict[str, list[int]] = {"epoch": [], "t": [], "active": []}
    seconds: list[float] = []
    epoch = getattr(policy, "epoch", None)
    follow = "epochs" in run.record and epoch is not None
    for until in times:
        while world.t < until:
            arm = policy.ask()
            policy.tell(arm, world.pull(arm, policy))
            if follow and policy.epoch != epoch:
                epoch = policy.epoch
                epochs["epoch"].append(epoch)
                epochs["t"].append(world.t)
                epochs["active"].append(int(policy.active.sum()))
        seconds.append(time.thread_time() - start)
        paused = time.thread_time()
        for name, value in _checkpoint(run, world, policy).items():
            curve.setdefault(name, []).append(value)
        start += time.thread_time() - paused  # recording is not part of the policy's cost
    records: dict[str, Any] = {"curve": curve, "seconds": seconds}
    if follow:
        records["epochs"] = epochs
    if "beliefs" in run.record:
        records["beliefs"] = _beliefs(world, policy)
    return records


@lru_cache(maxsize=4)
def _problem(table: str, seed: int, horizon: int, origins: str) -> Problem:  # noqa: ARG001
    """A trial's problem, shared by all its policies; ``origins`` changes with the data files."""
    return problems.make(json.loads(table), seed=seed, horizon=horizon)


def _world(run: Run) -> World:
    table, origins = json.dumps(run.problem), json.dumps(dict(run.versions))
    problem = _problem(table, run.trial, run.case.horizon, origins)
    noise = noises.make(run.noise) if run.noise else problem.noise
    if noise is None:
        raise InvalidInput(
            f"expected a noise for problem {run.problem['kind']!r}, which has no payoffs of its "
            f"own, got none; choose among {', '.join(noises.kinds())}"
        )
    attack = attacks.make(run.attack) if run.attack else None
    return World(problem, noise, attack, seed=run.trial)


def make_policy(run: Run, world: World) -> Any:
    """The run's policy, with the constants of its world where its schedule needs them."""
    problem, spec = world.problem, run.policy
    kind: Any = load_object(spec.policy) if ":" in spec.policy else by_name(spec.policy)
    domain, kernel = problem.domain, problem.kernel
    if spec.view is not None:
        if spec.view not in problem.views:
            raise UnknownName(
                f"expected a view among {', '.join(problem.views) or 'none'}, got {spec.view!r}"
            )
        domain, kernel = problem.views[spec.view]
    return kind(
        domain,
        kernel,
        lam=spec.lam,
        horizon=run.case.horizon,
        schedule=_schedule(kind, spec.schedule or "practical", dict(spec.schedule_options)),
        assumptions=_assumptions(run, problem),
        seed=_POLICY_SEED + run.trial,
        **spec.options,
    )


def _assumptions(run: Run, problem: Problem) -> Assumptions | None:
    if run.policy.schedule == "practical":
        return None
    table = json.dumps(run.noise) if run.noise else ""
    return _constants(problem, table, run.moment_order, run.delta, run.budget)


@lru_cache(maxsize=4)
def _constants(
    problem: Problem, noise: str, order: float, delta: float, budget: float | None
) -> Assumptions:
    """The assumptions of a trial, cached: their moments are integrals for every arm."""
    law = noises.make(json.loads(noise)) if noise else problem.noise
    assert law is not None
    return problem.assumptions(law, moment_order=order, delta=delta, budget=budget)


def _schedule(kind: Any, name: str, options: dict[str, Any]) -> Any:
    if ":" in name:
        return partial(load_object(name), **options)
    if options:
        if name not in getattr(kind, "schedules", {}):
            raise UnknownName(f"expected a schedule of {kind.__name__}, got {name!r}")
        return partial(kind.schedules[name], **options)
    return name


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """Loads a file from its source, never from bytecode.

    Python takes bytecode for current if the source has the same size and the same time in whole
    seconds; a file that was edited in between would run as it was before.
    """

    def path_stats(self, path: str) -> Any:
        raise OSError(f"no bytecode for {path}")


def load_object(path: str) -> Any:
    """The class or function of ``"package.module:name"`` or ``"file.py:name"``."""
    where, _, name = path.rpartition(":")
    try:
        if where.endswith(".py"):
            alias = f"_stoic_user_{Path(where).stem}"
            loader = _SourceLoader(alias, where)
            spec = importlib.util.spec_from_file_location(alias, where, loader=loader)
            if spec is None or spec.loader is None:
                raise ImportError(f"{where} is no Python file")
            module = importlib.util.module_from_spec(spec)
            sys.modules[alias] = module
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(where)
        return getattr(module, name)
    except (ImportError, AttributeError, OSError) as cause:
        raise InvalidInput(
            f"expected 'package.module:name' or 'file.py:name', got {path!r}: {cause}"
        ) from cause


# -- records ------------------------------------------------------------------------------------


def _checkpoint(run: Run, world: World, policy: Any) -> dict[str, float | int | None]:
    """The columns of one checkpoint."""
    posterior = getattr(policy, "posterior", None)
    active = getattr(policy, "active", None)
    campaign = world.campaign
    row: dict[str, float | int | None] = {
        "regret": world.regret,
        "payoffs": world.reported,
        "clean_payoffs": world.clean,
        "corruption": 0.0 if campaign is None else campaign.spent,
        "corrupted": 0 if campaign is None else campaign.rounds,
        "features": None if posterior is None else int(posterior.size),
        "active": None if active is None else int(active.sum()),
    }
    if "accuracy" in run.record and posterior is not None:
        row |= accuracy(policy)
    return row


def accuracy(policy: Any) -> dict[str, float]:
    """A posterior's variance compared with the exact one after the same plays.

    The extremes over arms of σ̃²/σ², and the effective dimension Σ_s σ²(x_s)/λ.
    """
    posterior = policy.posterior
    exact = ExactPosterior(policy.kernel, policy.domain.X, policy.lam)
    for arm in np.flatnonzero(posterior.counts).tolist():
        exact.observe(arm, int(posterior.counts[arm]))
    exact.refresh()
    ratio: Array = posterior.var / exact.var
    return {
        "least_ratio": float(ratio.min()),
        "largest_ratio": float(ratio.max()),
        "effective_dimension": float(posterior.counts @ exact.var) / policy.lam,
    }


def _beliefs(world: World, policy: Any) -> dict[str, list[float]]:
    """Every arm at the end: the true value, the estimate and its bounds."""
    half_width = policy.width * policy.std
    return {
        "arm": list(range(len(world.problem.f))),
        "x": world.problem.domain.X[:, 0].tolist(),
        "f": world.problem.f.tolist(),
        "mean": policy.mean.tolist(),
        "std": policy.std.tolist(),
        "lower": (policy.mean - half_width).tolist(),
        "upper": (policy.mean + half_width).tolist(),
    }


@contextmanager
def _one_thread() -> Iterator[None]:
    """One BLAS thread, so that results do not depend on the number of cores."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError as missing:
        raise MissingExtra.of("threadpoolctl", "running experiments", "lab") from missing
    with threadpool_limits(1):
        yield
