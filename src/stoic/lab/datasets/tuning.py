"""Repeated measurements of tuned PostgreSQL and NGINX servers, with failed runs."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, choice, integer
from stoic.errors import InvalidInput
from stoic.lab.datasets.encoding import encode
from stoic.lab.datasets.files import PathArgument, Source, read_rows, read_table

__all__ = ["WORKLOADS", "Tuning", "tuna"]

# Whether larger is better, and the code of a failed run. The publisher's files do not document the
# code; it is the only value of its size, and it is the same in all failed runs.
_MEASURES: Mapping[str, tuple[bool, float]] = {
    "azure/nginx/wikipedia": (False, 1e6),  # 95th percentile of latency
    "azure/postgres/epinions": (True, 0.0),  # throughput
    "azure/postgres/mssales": (False, 1e10),  # run time
    "azure/postgres/tpcc": (True, 0.0),  # throughput
    "azure/postgres/tpch": (False, 1e10),  # run time
    "azure_centralus/postgres/tpcc": (True, 0.0),
    "cloudlab/postgres/tpcc": (True, 0.0),
}
WORKLOADS = tuple(_MEASURES)
"""Platform, system and benchmark of the seven sets of measurements."""

_NUMBER = re.compile(r'"config_id": *(\d+)')
SOURCE = Source(
    folder="tuna_db_tuning",
    expected="the folder sample_configs with <workload>/TUNA_run_*.csv (columns Suggestion, "
    "Config, Worker, Performance), or measurements.csv.gz (workload, run, config_id, worker, "
    "performance) with configs.jsonl.gz (config, config_id)",
    origin="uw-mad-dash/TUNA on GitHub",
)


@dataclass(frozen=True, eq=False)
class Tuning:
    """Configurations of a server, each measured many times on different machines.

    Attributes
    ----------
    workload
        Platform, system and benchmark.
    larger_is_better
        True for throughput, False for run time and latency.
    configurations
        The settings, by name.
    names, X
        Coordinates of the configurations: see :func:`~stoic.lab.datasets.encoding.encode`.
    values
        Measured performance, one array for each configuration.
    failed
        Which runs failed; their values are a code, not a measurement.
    worst
        The worst performance of all runs of the workload that did not fail.
    """

    workload: str
    larger_is_better: bool
    configurations: tuple[Mapping[str, Any], ...]
    names: tuple[str, ...]
    X: Array
    values: tuple[Array, ...]
    failed: tuple[NDArray[np.bool_], ...]
    worst: float


def tuna(
    path: PathArgument = None, workload: str = "azure/postgres/tpcc", repeats: int = 10
) -> Tuning:
    """The configurations that were measured at least ``repeats`` times, about 200 of a workload.

    Runs of equal configurations are pooled (every tuning run starts at the default one). The
    configurations were selected by a tuner; they are not a random sample.

    Parameters
    ----------
    path
        The folder; None for the folder ``tuna_db_tuning`` under ``STOIC_DATA``.
    workload
        One of :data:`WORKLOADS`.
    repeats
        Least number of measurements, ≥ 1.

    References
    ----------
    J. Freischuetz et al. TUNA: Tuning Unstable and Noisy Cloud Applications. EuroSys 2025.
    """
    choice(workload, "workload", WORKLOADS)
    integer(repeats, "repeats", at_least=1)
    location = SOURCE.require(path)
    by_configuration: dict[str, list[float]] = defaultdict(list)
    for configuration, performance in _measured(location, workload):
        by_configuration[configuration].append(performance)
    larger, code = _MEASURES[workload]
    runs = np.array([value for values in by_configuration.values() for value in values])
    good = runs[~_failed(runs, larger, code)]
    kept = {text: np.array(v) for text, v in by_configuration.items() if len(v) >= repeats}
    if not kept or not good.size:
        raise InvalidInput(
            f"expected {workload} in {location} with configurations measured {repeats} times and "
            f"runs that did not fail, got {len(kept)} and {good.size}; fetch it again"
        )
    configurations = tuple(json.loads(text) for text in kept)
    names, X = encode(configurations)
    return Tuning(
        workload=workload,
        larger_is_better=larger,
        configurations=configurations,
        names=names,
        X=X,
        values=tuple(kept.values()),
        failed=tuple(_failed(values, larger, code) for values in kept.values()),
        worst=float(good.min() if larger else good.max()),
    )


def _failed(values: Array, larger: bool, code: float) -> NDArray[np.bool_]:
    return values <= code if larger else values >= code


def _measured(location: Path, workload: str) -> Iterator[tuple[str, float]]:
    """The measurements of a workload: configuration as JSON with sorted keys, performance."""
    runs = [
        file
        for folder in (location / "sample_configs" / workload, location / workload)
        for file in sorted(folder.glob("TUNA_run_*.csv"))
    ]
    measurements, configurations = location / "measurements.csv.gz", location / "configs.jsonl.gz"
    if runs:
        for file in runs:
            yield from _of_run(file)
    elif measurements.is_file() and configurations.is_file():
        yield from _of_pair(measurements, configurations, workload)
    else:
        raise SOURCE.missing(location)


def _of_run(file: Path) -> Iterator[tuple[str, float]]:
    rows = read_rows(file)
    if not rows or rows[0][1][1:] != ["Suggestion", "Config", "Worker", "Performance"]:
        raise InvalidInput(
            f"expected columns Suggestion, Config, Worker, Performance in {file}, "
            f"got {rows[0][1] if rows else 'nothing'}; fetch it again"
        )
    for line, row in rows[1:]:
        try:
            # a Python dict of words and numbers: only its quotes differ from JSON
            configuration = _canonical(json.loads(row[2].replace("'", '"')))
            yield configuration, _finite(float(row[4]))
        except (ValueError, IndexError, AttributeError) as cause:
            raise InvalidInput(
                f"expected a configuration and a finite performance in {file}, line {line}, "
                f"got {cause}; fetch it again"
            ) from cause


def _of_pair(measurements: Path, file: Path, workload: str) -> Iterator[tuple[str, float]]:
    columns = ("workload", "run", "config_id", "worker", "performance")
    table = read_table(measurements, labels=1, columns=columns)
    rows = [row for row, (own,) in enumerate(table.labels) if own == workload]
    numbers: list[int] = table.values[rows, 1].astype(np.int64).tolist()
    configurations = _configurations(file, set(numbers))
    for row, number in zip(rows, numbers, strict=True):
        if number not in configurations:
            raise table.wrong(row, "'config_id'", f"a config_id of {file}", number)
        yield configurations[number], float(table.values[row, 3])


def _configurations(file: Path, wanted: set[int]) -> dict[int, str]:
    try:
        with gzip.open(file, "rt", encoding="utf-8") as opened:
            lines = opened.readlines()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as cause:
        raise InvalidInput(
            f"expected {file} to be a readable gzip file, got {type(cause).__name__}: {cause}; "
            "fetch it again"
        ) from cause
    found = {}
    for line, text in enumerate(lines, start=1):
        number = _NUMBER.search(text)
        if number is not None and int(number[1]) not in wanted:
            continue  # most lines belong to other workloads, and parsing JSON is slow
        try:
            entry = json.loads(text)
            found[int(entry["config_id"])] = _canonical(entry["config"])
        except (ValueError, KeyError, TypeError, AttributeError) as cause:
            raise InvalidInput(
                f"expected config and config_id as JSON in {file}, line {line}, got "
                f"{type(cause).__name__}: {cause}; fetch it again"
            ) from cause
    return found


def _canonical(configuration: dict[str, Any]) -> str:
    return json.dumps(dict(sorted(configuration.items())))


def _finite(x: float) -> float:
    if not np.isfinite(x):
        raise ValueError(f"performance {x}")
    return x
