"""Quasi-random points in the unit cube: scrambled Sobol sequences, as SciPy draws them."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.forks import importing

__all__ = ["sobol"]


def sobol(dimension: int, n: int, seed: int, skip: int = 0) -> Array:
    """Points ``skip`` … ``skip + n − 1`` of the sequence, (n, dimension), in [0, 1).

    >>> sobol(2, 4, seed=0).shape
    (4, 2)
    """
    with importing:  # half a second: only where points are drawn
        from scipy.stats import qmc

    sequence = qmc.Sobol(dimension, scramble=True, rng=np.random.default_rng(seed))
    if skip:
        points: Array = sequence.fast_forward(skip).random(n)
    else:  # a full power of two first: SciPy warns about anything else
        points = sequence.random_base2(max(n - 1, 0).bit_length())[:n]
    return points
