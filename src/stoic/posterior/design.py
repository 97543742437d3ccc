"""Designs that reduce the uncertainty of all points: which of them to measure."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stoic.posterior.exact import ExactPosterior

__all__ = ["rare_switching_design"]


def rare_switching_design(
    posterior: ExactPosterior, active: NDArray[np.bool_], length: int, eta: float
) -> dict[int, int]:
    """How often each active point is selected, in order of first selection.

    bogunovic2022, Algorithm 1, lines 3–10: select the point of the largest σ_{t'}, ``length``
    times, and refresh σ only when the determinant has grown by more than η. k plays of one point
    multiply the determinant by 1 + kσ²/λ, so the plays between two refreshes are found at once.
    ``posterior`` must be fresh, and ends with all selections in it. Ties go to the lowest index.
    """
    selected: dict[int, int] = {}
    growth = math.expm1(math.log(eta) + 1e-9)  # an exact tie with η is not growth
    left = length
    while left:
        x = int(np.argmax(np.where(active, posterior.var, -1.0)))  # line 4
        var = float(posterior.var[x])
        enough = growth * posterior.lam / var if var > 0 else math.inf
        times = left if enough >= left else int(enough) + 1  # line 6
        selected[x] = selected.get(x, 0) + times  # line 5
        posterior.observe(x, times)  # lines 7–8
        left -= times
    return selected
