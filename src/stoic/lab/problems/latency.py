"""Network latency: find the node that answers fastest."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.kernels import MatrixKernel
from stoic.lab.datasets import seattle_rtt as load
from stoic.lab.datasets.files import Place
from stoic.lab.noise import Rows
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.tables import covariance, spread
from stoic.spaces import Arms

__all__ = ["seattle_rtt"]


@problems.register("seattle-rtt")
def seattle_rtt(*, path: Place = None, source: int = 28) -> Problem:
    """The destination of the shortest mean round-trip time from a node of the Seattle network.

    A payoff is minus the round-trip time of a random time slice: heavy-tailed towards the bad
    side, so that mean and median disagree on the best arm for most sources. Slices are drawn
    independently, although the record is a time series.

    What a policy knows comes before what it is tested on: K is the covariance of the standardised
    ln(1 + time) in the first half of the record (logarithms, or a few long delays would decide
    it), and payoffs and f are of the second half. Regret of 1 is that of the median destination.

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
