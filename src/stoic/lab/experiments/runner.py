"""The runner: every run of an experiment, in parallel, checkpointed, resumable.

One run is one task. A finished run is one file that appears whole or not at all, so the runner
may be killed at any moment; run again, it does what is missing and ends with the same bytes.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import stoic
from stoic.errors import InvalidInput, StoicError
from stoic.lab.experiments.one_run import play
from stoic.lab.experiments.results import Results, arrow, write_tables
from stoic.lab.experiments.spec import Experiment, Run
from stoic.lab.experiments.toml import to_table
from stoic.parallel import executor

__all__ = ["RunsFailed", "Status", "run", "versions"]

_DEATHS = 10  # how often a broken pool is made anew before giving up


class RunsFailed(StoicError, RuntimeError):
    """Some runs raised an error; the finished ones are kept."""


@dataclass(frozen=True)
class Status:
    """How far a sweep is."""

    done: int
    total: int
    found: int  # finished before this sweep began
    seconds: float
    latest: Run | None = None


Watch = Callable[[Status], None]


def versions() -> dict[str, str]:
    """What results may depend on."""
    names = ("numpy", "scipy")
    found = {name: importlib.metadata.version(name) for name in names}
    return {"stoic": stoic.__version__, "python": platform.python_version(), **found}


def run(
    experiments: Experiment | Sequence[Experiment],
    folder: str | Path,
    *,
    store: str | Path | None = None,
    engine: str = "local",
    workers: int | None = None,
    scheduler: str | None = None,
    watch: Watch | None = None,
) -> Results:
    """Run what is not yet finished in ``folder``, write the tables, and load them.

    Parameters
    ----------
    experiments
        One experiment, or several that belong to one figure.
    folder
        Where the results are written.
    store
        Where finished runs are kept, and found again; by default, in ``folder``. Experiments that
        share a store share the runs that they have in common.
    engine, workers, scheduler
        As in :func:`stoic.parallel.executor`.
    watch
        Called with a :class:`Status` at the beginning and after each run.
    """
    parts = [experiments] if isinstance(experiments, Experiment) else list(experiments)
    folder = Path(folder)
    arrow()  # what is missing must show before hours of work, not after
    used = versions()
    runs = [one for part in parts for one in part.runs(used)]
    if len({one.key for one in runs}) < len(runs):
        raise InvalidInput(
            "expected runs that differ, got some twice; give labels or names to them"
        )
    kept = _Store(folder / "runs" if store is None else Path(store))
    folder.mkdir(parents=True, exist_ok=True)
    missing = [one for one in runs if not kept.has(one)]
    sweep = _Sweep(kept, len(runs), len(runs) - len(missing), watch)
    try:
        sweep.finish(missing, engine, workers, scheduler)
    finally:
        done = [one for one in runs if kept.has(one)]
        if done:
            write_tables(folder, ((one, kept.read(one)) for one in done))
            _write_json(folder / "manifest.json", _manifest(parts, used, len(done), len(runs)))
    sweep.complain()
    return Results.load(folder)


class _Sweep:
    """The work still to be done, and its count."""

    def __init__(self, store: _Store, total: int, found: int, watch: Watch | None) -> None:
        self.store, self.total, self.found, self.watch = store, total, found, watch
        self.done = found
        self.failures: list[tuple[Run, BaseException]] = []
        self.start = time.monotonic()

    def finish(
        self, missing: list[Run], engine: str, workers: int | None, scheduler: str | None
    ) -> None:
        self._tell(None)
        deaths = 0
        while missing:
            with executor(engine, workers=workers, scheduler=scheduler) as pool:
                try:
                    self._collect(pool, missing)
                except BrokenProcessPool:  # a worker was killed; its run has not been stored
                    deaths += 1
                    if deaths > _DEATHS:
                        raise
            failed = {one.key for one, _ in self.failures}
            missing = [m for m in missing if not self.store.has(m) and m.key not in failed]

    def _collect(self, pool: Executor, missing: Iterable[Run]) -> None:
        waiting: dict[Future[Any], Run] = {pool.submit(play, one): one for one in missing}
        for future in as_completed(list(waiting)):
            one = waiting.pop(future)
            try:
                records = future.result()
            except BrokenProcessPool:
                raise
            except Exception as failure:  # one run's error must not end the others
                self.failures.append((one, failure))
                continue
            self.store.write(one, records)
            self.done += 1
            self._tell(one)

    def _tell(self, latest: Run | None) -> None:
        if self.watch is not None:
            spent = time.monotonic() - self.start
            self.watch(Status(self.done, self.total, self.found, spent, latest))

    def complain(self) -> None:
        if self.failures:
            one, failure = self.failures[0]
            raise RunsFailed(
                f"expected all {self.total} runs to end well, got an error in "
                f"{len(self.failures)}; the first, {one.case.policy} on trial {one.trial} of "
                f"{one.case.experiment}: {failure}; mend it and run again, finished runs are kept"
            ) from failure


class _Store:
    """Finished runs, one file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, one: Run) -> Path:
        return self.folder / f"{one.key}.json"

    def has(self, one: Run) -> bool:
        return self._path(one).exists()

    def read(self, one: Run) -> dict[str, Any]:
        path = self._path(one)
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as cause:
            raise InvalidInput(
                f"expected a finished run in {path}, got a damaged file; delete it and run again"
            ) from cause
        return found

    def write(self, one: Run, records: Mapping[str, Any]) -> None:
        _write_json(self._path(one), records)


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    """A file that appears whole or not at all, and outlives a power cut."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    with partial.open("w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1 if path.stem == "manifest" else None)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _manifest(
    parts: list[Experiment], used: Mapping[str, str], done: int, total: int
) -> dict[str, Any]:
    pa, _ = arrow()
    return {
        "experiments": [to_table(part) for part in parts],
        "runs": {"done": done, "total": total},
        "versions": {**used, "pyarrow": pa.__version__},
        "platform": platform.platform(),
    }
