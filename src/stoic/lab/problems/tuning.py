"""Tuning of servers whose runs are noisy and sometimes fail."""

from __future__ import annotations

import numpy as np

from stoic.checks import choice
from stoic.kernels import Matern
from stoic.lab.datasets import tuna as load
from stoic.lab.datasets.files import PathArgument
from stoic.lab.noise import Cells
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.tables import median_distance, spread
from stoic.spaces import Arms

__all__ = ["tuna"]


@problems.register("tuna")
def tuna(
    *, path: PathArgument = None, workload: str = "azure/postgres/tpcc", failures: str = "worst"
) -> Problem:
    """The best configuration of a PostgreSQL or NGINX server among about 200.

    A payoff is one of a configuration's ten or more measurements, drawn at random, and negated if
    small values are good. The kernel is Matérn 5/2 on the standardised settings; its length-scale
    is the median distance between configurations. A regret of 1 is the regret of the median
    configuration.

    A failed run has no performance; f counts it as the worst performance of any run of the
    workload that did not fail. With ``failures="worst"`` this is also its payoff. With
    ``failures="raw"`` the payoff is the code in the record (0 throughput, a run time of 10¹⁰, a
    latency of 10⁶), as in real logs; payoffs are then not centred at f.

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
