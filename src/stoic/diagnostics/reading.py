"""Reads columns of numbers from text: CSV with or without a header, or one number per line."""

from __future__ import annotations

import csv
import math
from collections import Counter
from dataclasses import dataclass

from stoic.errors import InvalidInput
from stoic.numbers import parse

__all__ = ["Column", "TextTable", "read_text_table"]

_DELIMITERS = "\t;, "
_DELIMITER_LINES = 50  # lines that determine the delimiter
_MAX_CELL_CHARACTERS = 30  # of a bad cell in a message
_MAX_NAMES = 12  # of columns in a message


@dataclass(frozen=True)
class Column:
    """The numbers of a column, and how many of its cells were skipped."""

    name: str
    values: list[float]
    skipped: int


@dataclass(frozen=True)
class TextTable:
    """A file's cells as text; ``lines`` are the line numbers of its rows in the file."""

    source: str
    names: list[str]
    rows: list[list[str]]
    lines: list[int]
    decimal_comma: bool

    def columns(self, wanted: str | None = None, *, skip_bad: bool = False) -> list[Column]:
        """The column with a name or number (from 1), or all columns that are mostly numbers."""
        if wanted is not None:
            return [self._read(self._find(wanted), skip_bad)]
        numeric = [at for at in range(len(self.names)) if self._mostly_numbers(at)]
        if not numeric:
            raise InvalidInput(
                f"expected a column of numbers in {self.source}, got columns {self._listed()} "
                "without; name one with --column to see what is wrong with it"
            )
        return [self._read(at, skip_bad) for at in numeric]

    def _find(self, wanted: str) -> int:
        if wanted in self.names:
            return self.names.index(wanted)
        if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(self.names):
            return int(wanted) - 1
        raise InvalidInput(
            f"expected a column of {self.source}, {self._listed()}, or its number from 1, "
            f"got {wanted!r}"
        )

    def _listed(self) -> str:
        names = [repr(name) for name in self.names]
        more = len(names) - _MAX_NAMES
        return ", ".join(names[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")

    def _mostly_numbers(self, at: int) -> bool:
        cells = [cell for row in self.rows if (cell := _cell(row, at))]
        return 2 * sum(self._number(cell) is not None for cell in cells) > len(cells)

    def _read(self, at: int, skip_bad: bool) -> Column:
        values, skipped = [], 0
        for row, line in zip(self.rows, self.lines, strict=True):
            value = self._number(_cell(row, at))
            if value is not None:
                values.append(value)
            elif skip_bad:
                skipped += 1
            else:
                cell = _cell(row, at)
                shown = repr(cell[:_MAX_CELL_CHARACTERS]) if cell else "an empty cell"
                raise InvalidInput(
                    f"expected a finite number in line {line}, column {self.names[at]!r} of "
                    f"{self.source}, got {shown}; repair it, or pass --skip-bad"
                )
        if not values:
            raise InvalidInput(
                f"expected numbers in column {self.names[at]!r} of {self.source}, got none; "
                "choose another with --column"
            )
        return Column(self.names[at], values, skipped)

    def _number(self, cell: str) -> float | None:
        return _number(cell, self.decimal_comma)


def read_text_table(data: bytes, source: str) -> TextTable:
    r"""The cells of a text, without blank lines and lines that start with #.

    The delimiter (tab, semicolon, comma or spaces) is the one that splits most lines into the same
    number of cells. With semicolons, 1,5 means 1.5. The first line is a header if none of its
    cells is a number.

    >>> table = read_text_table(b"ms;host\n1,5;a\n2,5;b\n", "x.csv")
    >>> [(column.name, column.values) for column in table.columns()]
    [('ms', [1.5, 2.5])]
    """
    kept = [
        (number, line.strip(" \r\n"))
        for number, line in enumerate(_text(data, source).split("\n"), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not kept:
        raise InvalidInput(f"expected numbers in {source}, got an empty file; check the path")
    lines = [number for number, _ in kept]
    texts = [text for _, text in kept]
    delimiter = _delimiter(texts[:_DELIMITER_LINES])
    rows = _split(texts, delimiter)
    comma = delimiter == ";"
    width = max(Counter(len(row) for row in rows).items(), key=lambda item: (item[1], item[0]))[0]
    width = max(width, len(rows[0]))
    header = len(rows) > 1 and not any(_number(cell, comma) is not None for cell in rows[0])
    names = [f"column {at + 1}" for at in range(width)]
    if header:
        names = [name or names[at] for at, name in enumerate(rows.pop(0))]
        names += [f"column {at + 1}" for at in range(len(names), width)]
        lines.pop(0)
    return TextTable(source, names, rows, lines, comma)


def _text(data: bytes, source: str) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
        if "\0" in text:
            raise UnicodeError
    except UnicodeError:
        raise InvalidInput(
            f"expected {source} to be text in UTF-8, got other bytes; export it as CSV"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _delimiter(texts: list[str]) -> str:
    """The delimiter that splits most lines into the same number of cells; a comma if none."""
    best, agreed = ",", len(texts) // 2
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for row in _split(texts, delimiter) if len(row) > 1)
        agreeing = max(widths.values(), default=0)
        if agreeing > agreed:
            best, agreed = delimiter, agreeing
    return best


def _split(texts: list[str], delimiter: str) -> list[list[str]]:
    """The cells of each line; every line is a row, since a number never spans lines."""
    rows = []
    for text in texts:
        try:
            row = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:  # a cell longer than the limit of csv is not a number
            row = [text]
        rows.append([cell.strip() for cell in row])
    return rows


def _cell(row: list[str], at: int) -> str:
    return row[at] if at < len(row) else ""


def _number(cell: str, decimal_comma: bool) -> float | None:
    """A cell's finite number, or None."""
    if decimal_comma and cell.count(",") == 1 and "." not in cell:
        cell = cell.replace(",", ".")
    value = parse(cell)
    return None if value is None or not math.isfinite(value) else float(value)
