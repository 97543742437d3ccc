"""The posterior on a dictionary, to the letter and in 100 digits.

Nystrom features are z(x) = L^-1 k_D(x) with K_D = L L^T: any root of K_D gives the same mean and
variance (calandriello2019, Eq. (4)). Rounding plays no part, so nothing has to count as zero; the
dictionary must not hold the same point twice.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import Array

Exact = NDArray[Any]  # of Decimal
DIGITS = 100


def squared_exponential(X: Array, lengthscale: float) -> Exact:
    """exp(-|x - z|^2 / (2 l^2)) of all pairs of rows, (A, A)."""
    with localcontext(prec=DIGITS):
        rows = np.array([[Decimal(float(value)) for value in row] for row in X])
        scale = 2 * Decimal(lengthscale) ** 2
        squares = ((rows[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2)
        return np.array([[(-square / scale).exp() for square in row] for row in squares])


def literal_sketch(
    K: Exact, dictionary: Sequence[int], counts: Sequence[int], sums: Array, lam: float
) -> tuple[Array, Array]:
    """Mean and std of every arm, for the plays and the payoff sums of each arm, (A,) and (A,)."""
    with localcontext(prec=DIGITS):
        D = np.array(dictionary, dtype=np.intp)
        z = _solved(_root(K[np.ix_(D, D)]), K[D])  # (m, A)
        plays = np.array([Decimal(int(count)) for count in counts])
        ridge: Exact = np.array([[Decimal(lam * (i == j)) for j in D] for i in D])
        V = (z * plays) @ z.T + ridge
        white = _solved(_root(V), z)  # V^-1/2 z
        mean = white.T @ (white @ np.array([Decimal(float(value)) for value in sums]))
        residual = np.diag(K) - (z * z).sum(axis=0)
        variance = residual + Decimal(lam) * (white * white).sum(axis=0)
        return mean.astype(float), np.sqrt(variance.astype(float))


def _root(A: Exact) -> Exact:
    """The lower triangular L with A = L L^T."""
    L = np.full(A.shape, Decimal(0))
    for j in range(len(A)):
        below = A[j:, j] - L[j:, :j] @ L[j, :j] if j else A[:, 0]
        L[j:, j] = below / below[0].sqrt()
    return L


def _solved(L: Exact, B: Exact) -> Exact:
    """L^-1 B."""
    X = B.copy()
    for i in range(len(L)):
        left = X[i] - L[i, :i] @ X[:i] if i else X[i]
        X[i] = left / L[i, i]
    return X
