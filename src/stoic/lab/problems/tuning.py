"""Tuning of servers whose runs are noisy and sometimes fail."""

from __future__ import annotations

import numpy as np

from stoic.checks import choice
from stoic.kernels import Matern
from stoic.lab.datasets import tuna as load
from stoic.lab.datasets.files import Place
from stoic.lab.noise import Cells
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.tables import median_distance, spread
from stoic.spaces import Arms

__all__ = ["tuna"]


@problems.register("tuna")
def tuna(
    *, path: Place = None, workload: str = "azure/postgres/tpcc", failures: str = "worst"
) -> Problem:
    """The best configuration of a PostgreSQL or NGINX server among about 200.

    A payoff is a random one of a configuration's ten or more measurements, negated where small is
    good. The kernel is Matérn 5/2 on the standardised knobs; its length-scale is the median
    distance between configurations. Regret of 1 is that of the median configuration.

    A failed run has no performance, and f counts it as the worst performance of any run of the
    workload that did not fail. That is its payoff too with ``failures="worst"``; with
    ``failures="raw"`` the policy is told the record's code instead (0 throughput, a run time of
    10¹⁰, a latency of 10⁶), an absurd value such as one finds in logs, and payoffs are then not
    centred at f.

    Parameters
    ----------
    path, workload
        As in :func:`stoic.lab.datasets.tuna`.
    failures
        ``"worst"`` or ``"raw"``.
    """
    choice(failures, "failures", ("worst", "raw"))
    data = load(path, workload)
    sign = 1.0 if data.larger_is_better else -1.0
    recorded = [sign * values for values in data.values]
    counted = [
        np.where(failed, sign * data.worst, values)
        for values, failed in zip(recorded, data.failed, strict=True)
    ]
    f = np.array([values.mean() for values in counted])
    return Problem(
        domain=Arms(data.X),
        kernel=Matern(2.5, median_distance(data.X)),
        f=f,
        norm_bound=float(np.abs(f).max()),
        noise=Cells(counted if failures == "worst" else recorded),
        unit=spread(f),
    )
