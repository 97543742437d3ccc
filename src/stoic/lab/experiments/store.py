"""Finished runs, one file each, written completely or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stoic.files import write
from stoic.lab.experiments.spec import Run

__all__ = ["Store", "write_json"]


class Store:
    """A folder of finished runs, named by their keys.

    A damaged file counts as missing: it is renamed to ``….damaged`` and the run is done again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def read(self, run: Run) -> dict[str, Any] | None:
        """The records of a run, or None if it has not been finished."""
        path = self._path(run)
        try:
            records = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            records = None
        if not _complete(records):
            path.replace(path.with_suffix(".damaged"))
            return None
        found: dict[str, Any] = records
        return found

    def write(self, run: Run, records: Mapping[str, Any]) -> None:
        """Keep the records of a run."""
        write_json(self._path(run), records)

    def _path(self, run: Run) -> Path:
        return self.folder / f"{run.key}.json"


def _complete(records: Any) -> bool:
    """Whether records have all columns of a run, with equal lengths."""
    if not isinstance(records, dict) or not isinstance(records.get("curve"), dict):
        return False
    tables = [records["curve"], *(records.get(name, {}) for name in ("epochs", "beliefs"))]
    consistent = all(
        isinstance(table, dict) and len({len(column) for column in table.values()}) <= 1
        for table in tables
    )
    times = records["curve"].get("t", ())
    return consistent and len(times) > 0 and len(records.get("seconds", ())) == len(times)


def write_json(path: Path, value: Mapping[str, Any], *, indent: int | None = None) -> None:
    """Write a file completely or not at all; it survives a power failure."""
    write(path, json.dumps(value, ensure_ascii=False, indent=indent))
