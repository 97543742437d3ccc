"""Are the payoffs of chowdhury2019's data sets Gaussian? The Kolmogorov–Smirnov tests of its §6.

"We conduct Kolmogorov–Smirnov (KS) test to find out that the null hypothesis of stock prices
following a Gaussian distribution is rejected against the favor of a heavy-tailed distribution", and
the same "for each sensor". The paper prints no statistic. A rejection only says that the values are
not Gaussian; whether their tails are heavy the excess kurtosis shows, which is zero for a Gaussian.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stoic.checks import Array, finite_array
from stoic.errors import InvalidInput
from stoic.lab.datasets.files import PathArgument
from stoic.lab.datasets.prices import stocks
from stoic.lab.datasets.sensors import light_sensors

__all__ = ["TailRow", "kolmogorov_smirnov", "tail_table"]

_LEVEL = 0.05  # of a test


@dataclass(frozen=True)
class TailRow:
    """The tests of one data set, one test for each of its columns (stocks, sensors).

    Attributes
    ----------
    data
        Its name.
    columns
        How many tests.
    rejected
        In how many of them the Gaussian is rejected at 5 %.
    statistic
        The median over columns of the Kolmogorov–Smirnov distance.
    p
        The largest p-value of all columns.
    kurtosis
        The least, median and largest excess kurtosis; below zero, tails are lighter than Gaussian.
    heavy
        How many columns have a positive excess kurtosis.
    """

    data: str
    columns: int
    rejected: int
    statistic: float
    p: float
    kurtosis: tuple[float, float, float]
    heavy: int


def kolmogorov_smirnov(values: Array) -> tuple[float, float]:
    """The largest distance between the empirical distribution of values and a Gaussian, and its p.

    The Gaussian has the mean and standard deviation of the values. The p-value is that of a
    Gaussian given in advance, as the plain test has it; since the Gaussian is fitted, it is too
    large (Lilliefors 1967), so a rejection stands.

    >>> quantiles = (np.arange(200) + 0.5) / 200
    >>> distance, p = kolmogorov_smirnov(-np.log(quantiles))  # exponential
    >>> round(distance, 2), p < 0.01
    (0.16, True)
    """
    from scipy.stats import kstest  # slow to import: only where it is used

    values = finite_array(values, "values", ndim=1)
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if not spread > 0.0:
        raise InvalidInput("expected at least two different values for a test, got none")
    found = kstest((values - values.mean()) / spread, "norm")
    return float(found.statistic), float(found.pvalue)


def tail_table(
    stock_path: PathArgument = None, sensor_path: PathArgument = None
) -> tuple[TailRow, ...]:
    """The tests on the stocks' prices and returns and on the sensors' training and test readings.

    The paper tests prices, and readings without saying which; returns are ours.

    Parameters
    ----------
    stock_path, sensor_path
        As in :func:`stoic.lab.datasets.stocks` and :func:`stoic.lab.datasets.light_sensors`.
    """
    prices, light = stocks(stock_path), light_sensors(sensor_path)
    return (
        _row("stock prices", prices.prices),
        _row("stock returns", prices.returns),
        _row("light sensors, training", light.train),
        _row("light sensors, test", light.test),
    )


def _row(data: str, table: Array) -> TailRow:
    from scipy.stats import kurtosis

    tests = np.array([kolmogorov_smirnov(column) for column in table.T])
    tails = np.asarray(kurtosis(table, axis=0), dtype=float)
    return TailRow(
        data,
        len(tests),
        int((tests[:, 1] < _LEVEL).sum()),
        float(np.median(tests[:, 0])),
        float(tests[:, 1].max()),
        (float(tails.min()), float(np.median(tails)), float(tails.max())),
        int((tails > 0.0).sum()),
    )
