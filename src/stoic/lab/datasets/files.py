"""Data files that users download themselves: how they are found and read."""

from __future__ import annotations

import csv
import gzip
import math
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stoic.checks import Array, describe
from stoic.errors import InvalidInput, MissingData

__all__ = ["ROOT", "PathArgument", "Source", "Table", "read_table"]

ROOT = "STOIC_DATA"
"""The environment variable that names the folder of the data folders."""

PathArgument = str | os.PathLike[str] | None
"""A file, a folder, or None for the folder that ``STOIC_DATA`` names."""


@dataclass(frozen=True)
class Source:
    """The files of a data set and their origin.

    Attributes
    ----------
    folder
        Name of the data set's folder under ``STOIC_DATA``.
    expected
        The files and their format, for messages.
    origin
        Who publishes them, for messages.
    """

    folder: str
    expected: str
    origin: str

    def find(self, path: PathArgument) -> Path | None:
        """The file or folder to read; None if neither a path nor ``STOIC_DATA`` leads to one."""
        if path is None:
            root = os.environ.get(ROOT)
            location = Path(root).expanduser() / self.folder if root else None
            return location if location is not None and location.exists() else None
        if not isinstance(path, str | os.PathLike):
            raise InvalidInput(f"expected path as text or a Path, got {describe(path)}")
        location = Path(path).expanduser()
        if not location.exists():
            raise self.missing(location)
        return location / self.folder if (location / self.folder).is_dir() else location

    def require(self, path: PathArgument) -> Path:
        """The file or folder to read, or an error that names the source of the data."""
        location = self.find(path)
        if location is None:
            raise self.missing(None)
        return location

    def missing(self, location: Path | None) -> MissingData:
        """The error that names what was expected, what was found and the source of the data."""
        if location is None:
            root = os.environ.get(ROOT)
            found = f"no path, and {ROOT} " + (f"is {root!r}, without it" if root else "is not set")
        elif location.is_dir():
            names = sorted(entry.name for entry in location.iterdir())
            listed = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
            found = f"{location} with {listed or 'nothing in it'}"
        else:
            found = f"file {location}" if location.exists() else f"nothing at {location}"
        return MissingData(
            f"expected {self.expected}, got {found}; get the data from {self.origin} and pass its "
            f"path, or set {ROOT} to the folder that holds {self.folder}/"
        )


@dataclass(frozen=True, eq=False)
class Table:
    """A CSV file of numbers, possibly with columns of text before them.

    Attributes
    ----------
    path
        The file.
    names
        Of the columns of numbers.
    labels
        The columns of text, row by row.
    lines
        Line number of each row in the file.
    values
        The numbers, finite everywhere.
    """

    path: Path
    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    values: Array

    def wrong(self, row: int, column: str, expected: str, got: object) -> InvalidInput:
        """The error about one cell."""
        return _wrong(self.path, self.lines[row], column, expected, got)


def _wrong(path: Path, line: int, column: str, expected: str, got: object) -> InvalidInput:
    return InvalidInput(
        f"expected {expected} in {path}, line {line}, column {column}, got {got!r}; "
        "repair the file or fetch it again"
    )


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """The rows of a CSV file (``.gz`` or not) with their line numbers, without empty lines."""
    try:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            return [(reader.line_num, row) for row in reader if row]
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as cause:
        raise InvalidInput(
            f"expected {path} to be a readable CSV file, got {type(cause).__name__}: {cause}; "
            "fetch it again"
        ) from cause


def read_table(path: Path, *, labels: int = 0, columns: tuple[str, ...] | None = None) -> Table:
    """A CSV file with a header; the first ``labels`` columns are text and all others numbers.

    Parameters
    ----------
    path
        The file.
    labels
        How many columns of text come first.
    columns
        The header that the file must have; None for any.
    """
    rows = read_rows(path)
    header = rows[0][1] if rows else []
    if len(rows) < 2 or len(header) <= labels or (columns and tuple(header) != columns):
        wanted = ", ".join(columns) if columns else f"{labels + 1} or more columns"
        raise InvalidInput(
            f"expected {path} with a header ({wanted}) and rows below it, "
            f"got {len(rows)} rows and header {describe(header)}; fetch it again"
        )
    values = np.empty((len(rows) - 1, len(header) - labels))
    for i, (line, row) in enumerate(rows[1:]):
        if len(row) != len(header):
            raise _wrong(path, line, f"{len(row)}", f"{len(header)} columns", ",".join(row)[:60])
        values[i] = _numbers(path, line, header[labels:], row[labels:])
    return Table(
        path=path,
        names=tuple(header[labels:]),
        labels=tuple(tuple(row[:labels]) for _, row in rows[1:]),
        lines=tuple(line for line, _ in rows[1:]),
        values=values,
    )


def _numbers(path: Path, line: int, names: list[str], cells: list[str]) -> list[float]:
    found = []
    for name, cell in zip(names, cells, strict=True):
        try:
            x = float(cell)
        except ValueError:
            x = math.nan
        if not math.isfinite(x):
            raise _wrong(path, line, repr(name), "a finite number", cell)
        found.append(x)
    return found
