"""Scrambled Sobol points, the very ones of `scipy.stats.qmc.Sobol`, without its half second.

SciPy's statistics take as long to import as all the rest of Stoic. The direction numbers are
read from SciPy's own file; where it is not in its place, SciPy draws the points.

References: S. Joe, F. Y. Kuo (2008), Constructing Sobol sequences with better two-dimensional
projections, SIAM J. Sci. Comput. 30; J. Matoušek (1998), On the L2-discrepancy for anchored
boxes, J. Complexity 14 (the scrambling).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray

from stoic.checks import Array
from stoic.forks import importing

__all__ = ["sobol"]

_BITS = 30
_Words = NDArray[np.uint32]


def sobol(dimension: int, n: int, seed: int, skip: int = 0) -> Array:
    """Points ``skip`` … ``skip + n − 1`` of the sequence, (n, dimension), in [0, 1).

    >>> sobol(2, 4, seed=0).shape
    (4, 2)
    """
    directions = _directions(dimension)
    if directions is None:
        return _by_scipy(dimension, n, seed, skip)
    rng = np.random.default_rng(seed).spawn(1)[0]  # as SciPy does
    weights = 2 ** np.arange(_BITS, dtype=np.uint32)
    shift = np.dot(rng.integers(2, size=(dimension, _BITS), dtype=np.uint32), weights)
    lower = np.tril(rng.integers(2, size=(dimension, _BITS, _BITS), dtype=np.uint32))
    scrambled = _scrambled(directions, lower)
    index = np.arange(skip, skip + n, dtype=np.int64)
    gray = index ^ (index >> 1)
    words = np.broadcast_to(shift.astype(np.uint32), (n, dimension)).copy()
    for bit in range(int(gray.max(initial=0)).bit_length()):
        words ^= np.where((gray >> bit & 1)[:, None] == 1, scrambled[:, bit], np.uint32(0))
    points: Array = words * (1.0 / 2**_BITS)
    return points


def _scrambled(directions: _Words, lower: _Words) -> _Words:
    """Each direction number times its dimension's lower triangular matrix, modulo 2."""
    places = np.arange(_BITS - 1, -1, -1, dtype=np.uint32)
    digits = (directions[:, :, None] >> places) & 1  # (d, direction, digit), the highest first
    unit = lower | np.eye(_BITS, dtype=np.uint32)
    products = np.einsum("dij,dkj->dki", unit, digits) & 1
    result: _Words = (products.astype(np.uint32) << places).sum(axis=2, dtype=np.uint32)
    return result


@cache
def _directions(dimension: int) -> _Words | None:
    """Direction numbers of the first dimensions, (dimension, 30)."""
    file = Path(scipy.__file__).parent / "stats" / "_sobol_direction_numbers.npz"
    try:
        with np.load(file) as data:
            polynomials = data["poly"][:dimension].tolist()
            begun = data["vinit"][:dimension].tolist()
    except (OSError, KeyError, ValueError):
        return None
    table = [[1] * _BITS]
    for polynomial, first in zip(polynomials[1:], begun[1:], strict=True):
        degree = polynomial.bit_length() - 1
        row = [int(v) for v in first[:degree]]
        for j in range(degree, _BITS):
            value = row[j - degree]
            for k in range(degree):
                if polynomial >> (degree - 1 - k) & 1:
                    value ^= row[j - k - 1] << (k + 1)
            row.append(value)
        table.append(row)
    shifts = np.arange(_BITS - 1, -1, -1, dtype=np.uint32)
    return np.array(table, dtype=np.uint32) << shifts


def _by_scipy(dimension: int, n: int, seed: int, skip: int) -> Array:
    with importing:
        from scipy.stats import qmc

    made = qmc.Sobol(dimension, scramble=True, rng=np.random.default_rng(seed))
    if skip:
        points: Array = made.fast_forward(skip).random(n)
    else:  # a full power of two first: SciPy warns about anything else
        points = made.random_base2(max(n - 1, 0).bit_length())[:n]
    return points
