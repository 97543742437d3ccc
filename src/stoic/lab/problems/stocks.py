"""Stocks: find the stock of the highest mean price, or of the highest mean return."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.kernels import MatrixKernel
from stoic.lab.datasets import stocks as load
from stoic.lab.datasets.files import PathArgument
from stoic.lab.noise import Rows
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.tables import covariance
from stoic.spaces import Arms

__all__ = ["stock_means", "stock_returns", "stocks"]


@problems.register("stocks")
def stocks(*, path: PathArgument = None) -> Problem:
    """The stock experiment of Chowdhury & Gopalan, NeurIPS 2019, §6 (their Fig. 1d).

    A payoff is the price of the stock on a random day, f the mean price, K the covariance of the
    standardised prices. B = max f and v = mean squared price in dollars; regret is reported in
    units of max f, as the authors' script does. Prices are *not* heavy-tailed (their median
    excess kurtosis is −1); returns are, see :func:`stock_returns`.

    Parameters
    ----------
    path
        The authors' ``fin.csv``; without it, see :func:`stoic.lab.datasets.stocks`.
    """
    prices = load(path).prices
    return _chowdhury2019(prices, unit=float(prices.mean(axis=0).max()))


@problems.register("stock-returns")
def stock_returns(*, path: PathArgument = None) -> Problem:
    """Daily returns of the same stocks, in percent: the same experiment on heavy-tailed payoffs.

    Excess kurtosis is 2.4 to 18.5 in all of the 29 stocks, and noise is far larger than the
    differences between the arms. Regret is in percentage points.

    Parameters
    ----------
    path
        As in :func:`stocks`.
    """
    return _chowdhury2019(load(path).returns, unit=1.0)


@problems.register("stock-means")
def stock_means(*, path: PathArgument = None) -> Problem:
    """Mean prices divided by the highest, with no noise of their own.

    Our reading of Table 2 of Park et al. (2024), whose setting is not printed: the experiment
    adds symmetrised Pareto noise. B = 1.

    Parameters
    ----------
    path
        As in :func:`stocks`.
    """
    prices = load(path).prices
    f = prices.mean(axis=0)
    kernel = MatrixKernel(covariance(prices))
    return Problem(domain=Arms.matrix(kernel), kernel=kernel, f=f / f.max(), norm_bound=1.0)


def _chowdhury2019(table: Array, unit: float) -> Problem:
    kernel = MatrixKernel(covariance(table))
    f = table.mean(axis=0)
    return Problem(
        domain=Arms.matrix(kernel),
        kernel=kernel,
        f=f,
        norm_bound=float(np.abs(f).max()),
        noise=Rows(table),
        constants={"moment_order": 1.0, "raw_moment": float(np.mean(table**2))},
        unit=unit,
    )
