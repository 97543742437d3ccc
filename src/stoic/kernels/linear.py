"""The linear kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, number
from stoic.errors import InvalidInput
from stoic.kernels.base import Kernel

__all__ = ["Linear"]


class Linear(Kernel):
    """The linear kernel xᵀz + bias, for functions that are linear in the coordinates.

    Parameters
    ----------
    bias
        Prior variance of the constant term, ≥ 0.

    >>> Linear()(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[11.]])
    """

    def __init__(self, bias: float = 0.0) -> None:
        self.bias = number(bias, "bias", at_least=0.0)

    def __call__(self, X: Array, Z: Array) -> Array:
        matrix: Array = X @ Z.T + self.bias
        return matrix

    def diag(self, X: Array) -> Array:
        values: Array = np.einsum("ij,ij->i", X, X) + self.bias
        return values

    def check(self, X: Array) -> None:
        if not np.abs(X).max(initial=0.0) < 1e100:
            raise InvalidInput("expected coordinates below 1e100 for a linear kernel; rescale them")

    def parameters(self) -> dict[str, Any]:
        return {"bias": self.bias}
