"""The runner: every run of an experiment, in parallel, checkpointed, resumable.

One run is one task. A finished run is one file that is written completely or not at all. The
runner may therefore be killed at any moment: run again, it does the missing runs and writes the
same bytes.
"""

from __future__ import annotations

import platform
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoic.errors import InvalidInput, StoicError
from stoic.lab.experiments.one_run import attempt, rehearse
from stoic.lab.experiments.origins import located, merged, versions
from stoic.lab.experiments.results import Results, arrow, write_tables
from stoic.lab.experiments.spec import Experiment, Run
from stoic.lab.experiments.store import Store, write_json
from stoic.lab.experiments.toml import to_table
from stoic.parallel import Pool, executor

__all__ = ["RunsFailed", "Status", "run"]


class RunsFailed(StoicError, RuntimeError):
    """Some runs raised an error; the finished ones are kept."""


@dataclass(frozen=True)
class Status:
    """The progress of a sweep."""

    done: int
    total: int
    found: int  # finished before this sweep began
    seconds: float
    latest: Run | None = None


Watch = Callable[[Status], None]


def run(
    experiments: Experiment | Sequence[Experiment],
    folder: str | Path,
    *,
    store: str | Path | None = None,
    fresh: bool = False,
    engine: str = "local",
    workers: int | None = None,
    scheduler: str | None = None,
    watch: Watch | None = None,
) -> Results:
    """Run what is not yet finished, write the tables, and load them.

    Parameters
    ----------
    experiments
        One experiment, or several that belong to one figure.
    folder
        Where the results are written.
    store
        Where finished runs are kept; by default, in ``folder``. Experiments with the same store
        share their common runs.
    fresh
        Do all runs again, e.g. because code has changed without a new version.
    engine, workers, scheduler
        As in :func:`stoic.parallel.executor`.
    watch
        Called with a :class:`Status` at the beginning and after each run.
    """
    given = [experiments] if isinstance(experiments, Experiment) else list(experiments)
    parts = [located(part) for part in given]
    folder = Path(folder)
    arrow()  # a missing package must be reported before hours of work
    used = versions()
    runs = all_runs(parts, used)
    kept = Store(folder / "runs" if store is None else Path(store))
    folder.mkdir(parents=True, exist_ok=True)
    found = {} if fresh else {one.key: got for one in runs if (got := kept.read(one)) is not None}
    missing = [one for one in runs if one.key not in found]
    rehearse(missing)
    sweep = _Sweep(kept, found, len(runs), watch)
    try:
        sweep.finish(missing, lambda: executor(engine, workers=workers, scheduler=scheduler))
    finally:
        if sweep.records:
            pairs = ((one, sweep.records.get(one.key)) for one in runs)
            write_tables(folder, [(one, records) for one, records in pairs if records])
            facts = manifest(parts, used, len(sweep.records), len(runs))
            write_json(folder / "manifest.json", facts, indent=1)
    sweep.raise_failures()
    return Results.load(folder)


def all_runs(parts: Iterable[Experiment], used: Mapping[str, str]) -> list[Run]:
    """Every run of every part; an error if two runs would have the same name."""
    runs, seen = [], {}
    for part in parts:
        for one in part.runs(lambda problem, policy: merged(used, problem, policy)):
            key = (one.case, one.trial)
            if key in seen:
                raise InvalidInput(
                    f"expected runs with different names, got two of {one.case}; give each "
                    "problem, noise, attack and schedule its own label"
                )
            seen[key] = one
            runs.append(one)
    return runs


class _Sweep:
    """The runs still to be done, and their progress."""

    def __init__(
        self, store: Store, found: Mapping[str, Any], total: int, watch: Watch | None
    ) -> None:
        self.store, self.total, self.watch = store, total, watch
        self.records = dict(found)
        self.found = len(found)
        self.failures: list[tuple[Run, str]] = []
        self.start = time.monotonic()

    def finish(self, missing: Sequence[Run], make: Callable[[], Any]) -> None:
        self._notify(None)
        waiting = deque(missing)
        while waiting:
            with make() as pool:
                interrupted = self._collect(pool, waiting)
            for one in interrupted:  # a worker died: repeat its runs one by one to find the cause
                with make() as pool:
                    if self._collect(pool, deque([one])):
                        self.failures.append((one, "its process died, killed or out of memory"))

    def _collect(self, pool: Pool, waiting: deque[Run]) -> list[Run]:
        """Do the runs of a queue; if a worker dies, return the runs that were active then."""
        active: dict[Future[Any], Run] = {}
        while waiting or active:
            try:
                while waiting and len(active) < 2 * pool.slots:
                    active[pool.submit(attempt, waiting[0])] = waiting[0]
                    waiting.popleft()
                for future in wait(active, return_when=FIRST_COMPLETED).done:
                    self._take(active[future], future.result())
                    del active[future]
            except BrokenProcessPool:
                return list(active.values())
        return []

    def _take(self, one: Run, outcome: Mapping[str, Any]) -> None:
        if "error" in outcome:
            self.failures.append((one, outcome["error"]))
            return
        self.records[one.key] = outcome  # first: an interrupt may come right after the file
        self.store.write(one, outcome)
        self._notify(one)

    def _notify(self, latest: Run | None) -> None:
        if self.watch is not None:
            spent = time.monotonic() - self.start
            self.watch(Status(len(self.records), self.total, self.found, spent, latest))

    def raise_failures(self) -> None:
        if self.failures:
            one, failure = self.failures[0]
            raise RunsFailed(
                f"expected all {self.total} runs to succeed, got an error in "
                f"{len(self.failures)}; the first, {one.case.policy} on trial {one.trial} of "
                f"{one.case.experiment}: {failure}; correct it and run again; finished runs stay"
            )


def manifest(
    parts: Sequence[Experiment], used: Mapping[str, str], done: int, total: int
) -> dict[str, Any]:
    """Every setting and version."""
    pa, _ = arrow()
    sources = {
        name: origin
        for part in parts
        for problem in part.problems
        for policy in part.policies
        for name, origin in merged({}, problem, policy).items()
    }
    return {
        "experiments": [to_table(part) for part in parts],
        "runs": {"done": done, "total": total},
        "versions": {**used, "pyarrow": pa.__version__},
        "sources": sources,
        "platform": platform.platform(),
    }
