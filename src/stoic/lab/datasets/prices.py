"""Daily prices of stocks: the 29 of Chowdhury & Gopalan, or 20 from the package skfolio."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array
from stoic.errors import InvalidInput, MissingExtra
from stoic.lab.datasets.files import ROOT, PathArgument, Source, Table, read_table

__all__ = ["Stocks", "stocks"]

FIRST, LAST = "2016-01-04", "2019-04-10"  # the window of the 29 stocks
SOURCE = Source(
    folder="stocks29_chowdhury2019",
    expected="fin.csv (Date and one column of prices for each stock)",
    origin="sayakrc/Bayesian-Optimization-under-Heavy-tailed-Payoffs on GitHub, file fin.csv",
)


@dataclass(frozen=True, eq=False)
class Stocks:
    """Adjusted closing prices.

    Attributes
    ----------
    dates
        The days, increasing.
    names
        The tickers.
    prices
        (days, stocks), in dollars.
    origin
        The file, or ``"skfolio"`` for the stand-in.
    """

    dates: NDArray[np.datetime64]
    names: tuple[str, ...]
    prices: Array
    origin: str

    @property
    def returns(self) -> Array:
        """Simple daily returns in percent, (days − 1, stocks)."""
        return 100.0 * (self.prices[1:] / self.prices[:-1] - 1.0)


def stocks(path: PathArgument = None) -> Stocks:
    """The 29 stocks of chowdhury2019 (823 days), or without them 20 stocks of the same days.

    The authors' file has no licence, so it can't be distributed. Without a path and without a
    folder ``stocks29_chowdhury2019`` under ``STOIC_DATA``, the loader reads the 20 stocks of the
    package skfolio instead; ``origin`` names the source.

    Parameters
    ----------
    path
        ``fin.csv`` or its folder.

    References
    ----------
    S. R. Chowdhury, A. Gopalan. Bayesian Optimization under Heavy-tailed Payoffs. NeurIPS 2019.
    """
    location = SOURCE.find(path)
    if location is None:
        return _of_table(read_table(_skfolio(), labels=1), "skfolio", FIRST, LAST)
    file = location / "fin.csv" if location.is_dir() else location
    if not file.is_file():
        raise SOURCE.missing(location)
    return _of_table(read_table(file, labels=1), str(file))


def _of_table(table: Table, origin: str, first: str = "", last: str = "9999") -> Stocks:
    days = [row for row, (day,) in enumerate(table.labels) if first <= day <= last]
    dates = np.array([_date(table, row) for row in days], dtype="datetime64[D]")
    prices = table.values[days]
    for i, row in enumerate(days):
        if i and not dates[i] > dates[i - 1]:
            raise table.wrong(row, "'Date'", "increasing days", table.labels[row][0])
        if not (prices[i] > 0.0).all():
            worst = int(np.argmin(prices[i]))
            raise table.wrong(row, repr(table.names[worst]), "a price above 0", prices[i, worst])
    if len(days) < 3:
        raise InvalidInput(
            f"expected at least three days of prices in {table.path}, got {len(days)}; "
            "fetch it again"
        )
    return Stocks(dates, table.names, prices, origin)


def _date(table: Table, row: int) -> np.datetime64:
    text = table.labels[row][0]
    try:
        return np.datetime64(date.fromisoformat(text), "D")
    except ValueError as cause:
        raise table.wrong(row, "'Date'", "a day such as 2016-01-04", text) from cause


def _skfolio() -> Path:
    """The file of prices inside the package, found without importing the package (slow)."""
    spec = importlib.util.find_spec("skfolio")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        file = Path(folder) / "datasets" / "data" / "sp500_dataset.csv.gz"
        if file.is_file():
            return file
    purpose = (
        f"20 stocks in place of {SOURCE.expected}, which a path or {ROOT} may name and which is "
        f"at {SOURCE.origin}"
    )
    raise MissingExtra.of("skfolio", purpose, "data")
