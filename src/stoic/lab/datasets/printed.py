"""Points that were read off the curves of a printed figure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stoic.checks import Array
from stoic.lab.datasets.files import PathArgument, Source, Table, read_table

__all__ = ["Band", "Bands", "printed_bands", "printed_regret"]

SOURCE = Source(
    folder="chowdhury2019_fig1",
    expected="curves.csv with the columns figure, series, x and y,",
    origin="Figure 1 of Chowdhury & Gopalan, NeurIPS 2019, whose curves are vectors",
)
_COLUMNS = ("figure", "series", "x", "y")


class Band(NamedTuple):
    """A printed estimate and the confidence band about it, at the same x."""

    x: Array
    mean: Array
    lower: Array
    upper: Array


class Bands(NamedTuple):
    """Figure 1f: the printed function at x, and the bands by the name of their series."""

    x: Array
    f: Array
    bands: dict[str, Band]


def printed_regret(figure: str, path: PathArgument = None) -> dict[str, tuple[Array, Array]]:
    """The rounds t and the printed R_t/t of every series of one of Figures 1a to 1e.

    Parameters
    ----------
    figure
        Such as ``"fig1a"``.
    path
        ``curves.csv`` or its folder; None for the folder ``chowdhury2019_fig1`` under
        ``STOIC_DATA``.
    """
    table = _read(path)
    return {name: _curve(table, rows, whole=True) for name, rows in _series(table, figure).items()}


def printed_bands(path: PathArgument = None) -> Bands:
    """The function and the confidence bands of Figure 1f.

    A band's series has its lower edge first, then its upper edge, both at the x of the estimate.

    Parameters
    ----------
    path
        As in :func:`printed_regret`.
    """
    table = _read(path)
    series = _series(table, "fig1f")
    x, f = _curve(table, _rows(table, series, "f"))
    bands = {}
    for name in ("untruncated", "truncated"):
        at, mean = _curve(table, _rows(table, series, f"{name}-mean"))
        edges = _rows(table, series, f"{name}-band")
        both = table.values[edges]
        if not (np.array_equal(at, x) and np.array_equal(both[:, 0], np.r_[x, x])):
            raise table.wrong(edges[0], "'x'", f"the x of f, twice, for {name}-band", len(both))
        lower, upper = both[: len(x), 1], both[len(x) :, 1]
        if np.any(upper < lower):
            row = edges[int(np.argmax(upper < lower))]
            raise table.wrong(row, "'y'", f"a lower edge of {name}-band below its upper edge", "")
        bands[name] = Band(x, mean, lower, upper)
    return Bands(x, f, bands)


def _read(path: PathArgument) -> Table:
    location = SOURCE.require(path)
    file = location / "curves.csv" if location.is_dir() else location
    if not file.is_file():
        raise SOURCE.missing(location)
    return read_table(file, labels=2, columns=_COLUMNS)


def _series(table: Table, figure: str) -> dict[str, list[int]]:
    """The rows of a figure by their series."""
    found: dict[str, list[int]] = {}
    for row, (of, name) in enumerate(table.labels):
        if of == figure:
            found.setdefault(name, []).append(row)
    if not found:
        raise table.wrong(0, "'figure'", f"some rows of {figure}", table.labels[0][0])
    return found


def _rows(table: Table, series: dict[str, list[int]], name: str) -> list[int]:
    if name not in series:
        raise table.wrong(0, "'series'", f"some rows of {name}", ", ".join(sorted(series)))
    return series[name]


def _curve(table: Table, rows: list[int], *, whole: bool = False) -> tuple[Array, Array]:
    """The x and y of a series: x increases; if ``whole``, x is a number of rounds."""
    x, y = table.values[rows].T
    for i, row in enumerate(rows):
        if i and x[i] <= x[i - 1]:
            raise table.wrong(row, "'x'", f"more than {x[i - 1]:g}, the x before it", float(x[i]))
        if whole and (x[i] < 1 or x[i] != np.rint(x[i])):
            raise table.wrong(row, "'x'", "a whole number of rounds", float(x[i]))
    return x, y
