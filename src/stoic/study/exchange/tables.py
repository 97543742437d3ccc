"""Read and write tables of measurements as CSV, JSON or Parquet files."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from stoic.checks import describe
from stoic.errors import InvalidInput, MissingExtra
from stoic.streams import is_stream, read_bytes, source_name, write_out

__all__ = ["FORMATS", "Table", "cell", "format_of", "read_table", "write_table"]

FORMATS = ("csv", "json", "parquet")
_QUOTE = "'"  # put before a CSV cell that a spreadsheet would take for a formula
_FORMULA = re.compile("'*[=+\\-@\\t\\r\\n＝＋－＠]")  # full-width characters begin formulas, too
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_ABOUT = b"stoic.study"  # key of a Parquet file's description of its study


@dataclass(frozen=True)
class Table:
    """Rows of named values; ``about`` describes the study, where the file does."""

    rows: list[dict[str, Any]]
    labels: list[str]  # of the rows, for messages: "line 7"
    columns: list[str]
    about: dict[str, Any] = field(default_factory=dict)
    texts: bool = False  # whether all values are texts; an empty text is a missing value


def format_of(path: Path, given: str | None) -> str:
    """The given format, else that of the file's suffix; CSV for -.

    >>> format_of(Path("trials.json"), None), format_of(Path("-"), None)
    ('json', 'csv')
    """
    found = given or ("csv" if is_stream(path) else path.suffix.lstrip(".").lower())
    found = {"pq": "parquet"}.get(found, found)
    if found not in FORMATS:
        raise InvalidInput(
            f"expected a format among {', '.join(FORMATS)}, got {found!r}; give the file such a "
            "suffix, or use --format"
        )
    return found


def cell(value: object) -> str:
    """A value as text of a CSV file.

    >>> cell(0.1), cell(True), cell(None)
    ('0.1', 'true', '')
    """
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


# -- write -------------------------------------------------------------------------------------


def write_table(table: Table, path: Path, kind: str) -> None:
    """Write a file, whole or not at all; - is standard output."""
    data = {"csv": _csv, "json": _json, "parquet": _parquet}[kind](table)
    write_out(path, data)


class _Lines(io.StringIO):
    """Rows of CSV as lines that end with a newline alone."""

    def write(self, row: str) -> int:
        return super().write(row.removesuffix("\r\n") + "\n")


def _csv(table: Table) -> bytes:
    text = _Lines()
    writer = csv.writer(text, lineterminator="\r\n")  # quotes cells with either
    writer.writerow([_neutral(name) for name in table.columns])
    writer.writerows(
        [[_neutral(cell(row.get(name))) for name in table.columns] for row in table.rows]
    )
    return text.getvalue().encode("utf-8", "replace")  # lone surrogates can't be encoded


def _neutral(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: a text that begins like one gets a ``'``.

    Numbers stay numbers. A cell that begins with the quote already gets another, so that
    `_original` restores every text.

    >>> [_neutral(text) for text in ("=1+1", "-5", "-5 ms", "'=1", "it's")]
    ["'=1+1", '-5', "'-5 ms", "''=1", "it's"]
    """
    return _QUOTE + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _original(text: str) -> str:
    """The inverse of `_neutral`."""
    return text[1:] if text.startswith(_QUOTE) and _FORMULA.match(text) else text


def _json(table: Table) -> bytes:
    data = {"study": table.about, "trials": table.rows}
    return (json.dumps(data, indent=1, allow_nan=False) + "\n").encode("ascii")


def _parquet(made: Table) -> bytes:
    pa, pq = _arrow()
    columns = {name: [row.get(name) for row in made.rows] for name in made.columns}
    for name, values in columns.items():
        types = {type(v) for v in values if v is not None}
        if len(types) > 1 and not types <= {int, float}:
            columns[name] = [None if v is None else cell(v) for v in values]  # of several types
        columns[name] = [_whole(v) if isinstance(v, str) else v for v in columns[name]]
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    about = json.dumps(made.about, allow_nan=False).encode("ascii")
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({_ABOUT: about}), sink, compression="zstd")
    return bytes(sink.getvalue())


def _whole(text: str) -> str:
    """Text without lone surrogates, in which Python keeps bytes that are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _arrow() -> tuple[Any, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as missing:
        raise MissingExtra.of("pyarrow", "Parquet files", "lab") from missing
    return pyarrow, pyarrow.parquet


# -- read --------------------------------------------------------------------------------------


def read_table(path: Path, kind: str) -> Table:
    """The rows of a file, or a typed error that names the line or row."""
    data, source = read_bytes(path), source_name(path)
    table = {"csv": _from_csv, "json": _from_json, "parquet": _from_parquet}[kind](data, source)
    if not table.rows:
        raise InvalidInput(f"expected rows in {source}, got none")
    return table


def _from_csv(data: bytes, path: str) -> Table:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InvalidInput(f"expected UTF-8 in {path}, got other bytes in line {line}") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows, labels = [], []
    try:
        columns = [_original(name) for name in next(reader, [])]
        if len(set(columns)) < len(columns) or not all(columns):
            raise InvalidInput(f"expected a header of different names in {path}, got {columns}")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(columns):
                raise InvalidInput(
                    f"expected {len(columns)} cells as in the header, got {len(cells)} in line "
                    f"{reader.line_num} of {path}"
                )
            pairs = zip(columns, cells, strict=True)
            rows.append({name: _original(text) for name, text in pairs if text})
            labels.append(f"line {reader.line_num}")
    except csv.Error as error:
        raise InvalidInput(
            f"expected CSV in {path}, got a fault in line {reader.line_num}: {error}"
        ) from error
    return Table(rows, labels, columns, texts=True)


def _from_json(data: bytes, path: str) -> Table:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"expected JSON in {path}, got a fault: {error}") from error
    about: Any = found.get("study", {}) if isinstance(found, dict) else {}
    listed: Any = found.get("trials") if isinstance(found, dict) else found
    if not isinstance(listed, list) or not isinstance(about, dict):
        raise InvalidInput(
            f"expected a list of rows in {path}, or an object with such a list as 'trials', "
            f"got {describe(found)}"
        )
    for i, row in enumerate(listed, 1):
        if not isinstance(row, dict):
            raise InvalidInput(f"expected an object as row {i} of {path}, got {describe(row)}")
    return _typed(listed, about)


def _from_parquet(data: bytes, path: str) -> Table:
    pa, pq = _arrow()
    try:
        table = pq.read_table(pa.BufferReader(data))
        about = json.loads((table.schema.metadata or {}).get(_ABOUT, b"{}"))
        rows = table.to_pylist()
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"expected Parquet in {path}, got a fault: {error}") from error
    return _typed(rows, about if isinstance(about, dict) else {})


def _typed(listed: list[Mapping[str, Any]], about: dict[str, Any]) -> Table:
    rows = [{k: v for k, v in row.items() if v is not None and not _nan(v)} for row in listed]
    columns = list(dict.fromkeys(name for row in listed for name in row))
    return Table(rows, [f"row {i}" for i in range(1, len(rows) + 1)], columns, about)


def _nan(value: object) -> bool:
    """Whether a value is NaN, by which tables mean a missing value."""
    return isinstance(value, float) and math.isnan(value)
