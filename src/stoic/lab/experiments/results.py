"""Results: tidy tables in Parquet, a manifest in JSON, and curves for figures.

A folder of results holds

    runs/…json          one finished run each; the tables are made from them
    curves.parquet      case, trial, t, regret, …       one row for each checkpoint
    epochs.parquet      case, trial, epoch, t, active   if epochs were recorded
    beliefs.parquet     case, trial, arm, f, mean, …    if beliefs were recorded
    seconds.parquet     case, trial, t, seconds         CPU time; the only table that differs
                                                        between two runs
    manifest.json       every setting and version
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from stoic.checks import Array, IntArray
from stoic.errors import InvalidInput, MissingExtra, StoicError
from stoic.files import replacing
from stoic.lab.experiments.spec import Case, Run
from stoic.streams import read_bytes

__all__ = ["Curve", "NotRun", "Results", "write_tables"]

CASE = tuple(item.name for item in fields(Case))
COUNTS = ("horizon", "trial", "t", "corrupted", "features", "active", "epoch", "arm")
TABLES = ("curves", "epochs", "beliefs", "seconds")


def arrow() -> tuple[Any, Any]:
    """``pyarrow`` and ``pyarrow.parquet``, or an error that names the extra that installs them."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as missing:
        raise MissingExtra.of("pyarrow", "tables of results", "lab") from missing
    return pa, pq


def write_tables(folder: Path, runs: Iterable[tuple[Run, Mapping[str, Any]]]) -> None:
    """Write the Parquet files of finished runs, sorted by case and trial."""
    pa, pq = arrow()
    ordered = sorted(runs, key=lambda pair: (*asdict(pair[0].case).values(), pair[0].trial))
    for name in TABLES:
        parts = [_part(pa, run, _columns(name, records)) for run, records in ordered]
        parts = [part for part in parts if part is not None]
        path = folder / f"{name}.parquet"
        if not parts:
            path.unlink(missing_ok=True)
            continue
        table = pa.concat_tables(parts, promote_options="default")
        with replacing(path) as file:
            pq.write_table(table, file, compression="zstd")


def _columns(name: str, records: Mapping[str, Any]) -> Mapping[str, list[Any]] | None:
    if name == "seconds":
        return {"t": records["curve"]["t"], "seconds": records["seconds"]}
    found: Mapping[str, list[Any]] | None = records.get("curve" if name == "curves" else name)
    return found


def _part(pa: Any, run: Run, columns: Mapping[str, list[Any]] | None) -> Any:
    if columns is None:
        return None
    rows = len(next(iter(columns.values())))
    labels = {**asdict(run.case), "trial": run.trial}
    full = {**{name: [value] * rows for name, value in labels.items()}, **columns}
    return pa.table({name: pa.array(values, _type(pa, name)) for name, values in full.items()})


def _type(pa: Any, column: str) -> Any:
    if column in COUNTS:
        return pa.int64()
    return pa.string() if column in CASE else pa.float64()


class NotRun(StoicError, LookupError):
    """A case that is not in the results, e.g. because only some schedules were run."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One case: a column over checkpoints, one row for each trial."""

    case: Case
    trials: IntArray
    t: IntArray
    values: Array  # (trials, checkpoints)

    @property
    def end(self) -> Array:
        """The last value of each trial."""
        return self.values[:, -1]


class Results:
    """The tables of a folder, case by case."""

    def __init__(self, tables: Mapping[str, Mapping[str, Any]], manifest: Mapping[str, Any]):
        self.tables = tables  # name → column → NumPy array
        self.manifest = manifest

    @classmethod
    def load(cls, folder: str | Path) -> Results:
        """The results of a folder that a runner wrote."""
        folder = Path(folder)
        _, pq = arrow()
        if not (folder / "curves.parquet").exists():
            raise InvalidInput(f"expected results in {folder}, got no curves.parquet; run it first")
        paths = {name: folder / f"{name}.parquet" for name in TABLES}
        manifest = folder / "manifest.json"
        try:
            tables = {n: _numpy(pq.read_table(path)) for n, path in paths.items() if path.exists()}
            text = manifest.read_text(encoding="utf-8") if manifest.exists() else "{}"
            return cls(tables, json.loads(text))
        except (OSError, ValueError) as cause:
            raise InvalidInput(
                f"expected results in {folder}, got a damaged file: {cause}; run it again"
            ) from cause

    @classmethod
    def read(cls, path: str | Path) -> Results:
        """The results in one Parquet file of curves; ``-`` is standard input."""
        pa, pq = arrow()
        data = read_bytes(path)
        try:
            table = pq.read_table(pa.BufferReader(data))
        except (OSError, ValueError) as cause:
            raise InvalidInput(
                f"expected a Parquet file of curves at {path}, got {cause}"
            ) from cause
        missing = [
            name for name in (*CASE, "trial", "t", "regret") if name not in table.column_names
        ]
        if missing:
            raise InvalidInput(
                f"expected curves of an experiment in {path}, got no column {', '.join(missing)}"
            )
        return cls({"curves": _numpy(table)}, {})

    def cases(self, table: str = "curves", **where: Any) -> list[Case]:
        """The cases, in order of appearance, that match ``where``, e.g. ``policy="BKB"``."""
        found: dict[Case, None] = {}
        columns = self.tables.get(table, {})
        if not columns:
            return []
        starts = np.flatnonzero(
            np.any([np.r_[True, columns[c][1:] != columns[c][:-1]] for c in CASE], axis=0)
        )
        for row in starts.tolist():
            found[Case(**{c: _scalar(columns[c][row]) for c in CASE})] = None
        return [case for case in found if _matches(case, where)]

    def some(self, table: str = "curves", **where: Any) -> list[Case]:
        """As :meth:`cases`, but at least one, or an error that names what is missing."""
        found = self.cases(table, **where)
        if not found:
            wanted = ", ".join(f"{name} {value!r}" for name, value in where.items())
            raise NotRun(f"expected a case with {wanted or 'any setting'} in the {table}, got none")
        return found

    def curve(self, case: Case, column: str = "regret", table: str = "curves") -> Curve:
        """One column of a case, trial by trial."""
        columns = self.tables[table]
        rows = np.all([columns[c] == getattr(case, c) for c in CASE], axis=0)
        trial, t, value = (columns[c][rows] for c in ("trial", "t", column))
        trials, times = np.unique(trial), np.unique(t)
        values = np.full((len(trials), len(times)), np.nan)
        values[np.searchsorted(trials, trial), np.searchsorted(times, t)] = value.astype(float)
        return Curve(case, trials, times, values)

    def curves(self, column: str = "regret", table: str = "curves", **where: Any) -> list[Curve]:
        """One column of every case that matches ``where``."""
        return [self.curve(case, column, table) for case in self.cases(table, **where)]

    def rows(self, table: str, case: Case) -> dict[str, Any]:
        """The columns of a further table that belong to a case."""
        columns = self.tables[table]
        rows = np.all([columns[c] == getattr(case, c) for c in CASE], axis=0)
        return {name: values[rows] for name, values in columns.items()}


def _numpy(table: Any) -> dict[str, Any]:
    return {name: table[name].to_numpy() for name in table.column_names}


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _matches(case: Case, where: Mapping[str, Any]) -> bool:
    return all(getattr(case, name) == value for name, value in where.items())
