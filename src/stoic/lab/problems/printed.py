"""The function of a printed figure, as it was read off."""

from __future__ import annotations

import numpy as np

from stoic.kernels import SquaredExponential
from stoic.lab.datasets.files import PathArgument
from stoic.lab.datasets.printed import printed_bands
from stoic.lab.problems.base import Problem, problems
from stoic.spaces import Arms

__all__ = ["printed_chowdhury2019"]


@problems.register("printed-chowdhury2019")
def printed_chowdhury2019(*, path: PathArgument = None, lengthscale: float = 0.2) -> Problem:
    """The function of Figure 1f of Chowdhury & Gopalan, NeurIPS 2019, read off to ±0.01.

    Parameters
    ----------
    path
        As in :func:`stoic.lab.datasets.printed.printed_bands`.
    lengthscale
        Of the squared exponential kernel; as printed for Figures 1a to 1c.
    """
    data = printed_bands(path)
    return Problem(
        Arms(data.x[:, None]),
        SquaredExponential(lengthscale),
        data.f,
        norm_bound=float(np.abs(data.f).max()),
    )
