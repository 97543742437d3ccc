"""A kernel given as a covariance matrix of the arms."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, finite_array
from stoic.errors import InvalidInput
from stoic.kernels.base import Kernel

__all__ = ["MatrixKernel"]


class MatrixKernel(Kernel):
    """A given covariance matrix; the points are arm numbers 0 … A − 1.

    For arms without coordinates (stocks, sensors). Use it with ``stoic.Arms.matrix(K)``, which
    also works without a separate kernel.

    Parameters
    ----------
    K
        A symmetric positive semi-definite (A, A) matrix.

    >>> MatrixKernel([[2.0, 1.0], [1.0, 2.0]])(np.array([[0.0]]), np.array([[1.0]]))
    array([[1.]])
    """

    def __init__(self, K: Array | list[list[float]]) -> None:
        matrix = finite_array(K, "K", ndim=2)
        if matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
            raise InvalidInput(f"expected K as a square matrix, got shape {matrix.shape}")
        size = np.abs(matrix).max()
        if not size < 1e150:
            raise InvalidInput(f"expected entries of K below 1e150, got {size:g}; rescale K")
        if np.abs(matrix - matrix.T).max() > 1e-8 * size:
            raise InvalidInput("expected K to be symmetric; pass (K + K.T) / 2 if this is intended")
        matrix = (matrix + matrix.T) / 2
        smallest = np.linalg.eigvalsh(matrix / size)[0] if size > 0 else 0.0
        if smallest < -1e-8 * len(matrix):
            raise InvalidInput(
                "expected K to be positive semi-definite, got an eigenvalue of "
                f"{smallest * size:g}; clip its negative eigenvalues first"
            )
        if smallest < 0.0:  # negative by rounding only: clip it
            values, vectors = np.linalg.eigh(matrix)
            matrix = (vectors * np.maximum(values, 0.0)) @ vectors.T
            matrix = (matrix + matrix.T) / 2
        matrix.setflags(write=False)
        self.K = matrix

    def __call__(self, X: Array, Z: Array) -> Array:
        return self.K[np.ix_(X[:, 0].astype(np.intp), Z[:, 0].astype(np.intp))]

    def diag(self, X: Array) -> Array:
        index = X[:, 0].astype(np.intp)
        values: Array = np.maximum(self.K[index, index], 0.0)
        return values

    def check(self, X: Array) -> None:
        index = X[:, 0]
        if X.shape[1] != 1 or (index != np.floor(index)).any():
            raise InvalidInput(
                "expected arm numbers as the points of a MatrixKernel; use stoic.Arms.matrix(K)"
            )
        if index.min() < 0 or index.max() >= len(self.K):
            raise InvalidInput(
                f"expected arm numbers from 0 to {len(self.K) - 1}, got {index.min():g} to "
                f"{index.max():g}; use stoic.Arms.matrix(K)"
            )

    def parameters(self) -> dict[str, Any]:
        return {"K": self.K}

    def __repr__(self) -> str:
        return f"MatrixKernel(<{len(self.K)} arms>)"
