"""Kernels and units that problems on measured tables share."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array, finite_array
from stoic.errors import InvalidInput

__all__ = ["covariance", "median_distance", "spread"]


def covariance(table: Array) -> Array:
    """The covariance of a table's standardised columns, the kernel of chowdhury2019 for arms.

    Its diagonal is 1, as both the std and the covariance are divided by n − 1.

    >>> covariance(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])).round(12)
    array([[1., 1.],
           [1., 1.]])
    """
    table = finite_array(table, "the table", ndim=2)
    if len(table) < 2 or not (np.ptp(table, axis=0) > 0.0).all():
        raise InvalidInput(
            f"expected a table whose columns all vary, got shape {table.shape} with "
            f"{int((np.ptp(table, axis=0) == 0.0).sum())} constant columns; drop them"
        )
    Z = (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)
    K: Array = Z.T @ Z / (len(Z) - 1.0)
    return K


def median_distance(X: Array, sample: int = 500) -> float:
    """The median distance between different points, of a fixed random sample: a length-scale.

    >>> median_distance(np.array([[0.0], [1.0], [2.0]]))
    1.0
    """
    from scipy.spatial.distance import pdist

    if len(X) > sample:
        X = X[np.random.default_rng(0).choice(len(X), sample, replace=False)]
    distances = pdist(X)
    positive = distances[distances > 0.0]
    return float(np.median(positive)) if positive.size else 1.0


def spread(f: Array) -> float:
    """The lead of the best arm over the median arm, as the unit of regret.

    >>> spread(np.array([0.0, 1.0, 5.0]))
    4.0
    """
    return float(f.max() - np.median(f)) or 1.0
