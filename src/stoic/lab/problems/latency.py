"""Network latency: find the node that answers fastest."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.kernels import MatrixKernel
from stoic.lab.datasets import seattle_rtt as load
from stoic.lab.datasets.files import PathArgument
from stoic.lab.noise import Rows
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.tables import covariance, spread
from stoic.spaces import Arms

__all__ = ["seattle_rtt"]


@problems.register("seattle-rtt")
def seattle_rtt(*, path: PathArgument = None, source: int = 28) -> Problem:
    """The destination of the shortest mean round-trip time from a node of the Seattle network.

    A payoff is minus the round-trip time of a random time slice. Its lower tail is heavy, so that
    mean and median have different best arms for most sources. Slices are drawn independently,
    although the record is a time series.

    The kernel and the payoffs come from different data: K is the covariance of the standardised
    ln(1 + time) in the first half of the record, payoffs and f come from the second half. Without
    the logarithm a few long delays would determine K. A regret of 1 is the regret of the median
    destination.

    Parameters
    ----------
    path, source
        As in :func:`stoic.lab.datasets.seattle_rtt`.
    """
    rtt = load(path, source).rtt
    half = len(rtt) // 2
    kernel = MatrixKernel(covariance(np.log1p(rtt[:half])))
    payoffs: Array = -rtt[half:]
    f = payoffs.mean(axis=0)
    return Problem(
        domain=Arms.matrix(kernel),
        kernel=kernel,
        f=f,
        norm_bound=float(np.abs(f).max()),
        noise=Rows(payoffs),
        unit=spread(f),
    )
