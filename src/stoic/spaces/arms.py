"""Finite sets of arms."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array, integer, points
from stoic.errors import InvalidArm
from stoic.kernels import Kernel, MatrixKernel

__all__ = ["Arms"]


class Arms:
    """A finite set of arms, the rows of an (A, d) array; arms are named by row number.

    >>> arms = Arms([[0.0], [0.5], [1.0]])
    >>> len(arms), arms.dimension
    (3, 1)
    """

    def __init__(self, X: Any) -> None:
        self.X: Array = points(X, "the arms")
        self.X.setflags(write=False)
        self.kernel: Kernel | None = None

    @classmethod
    def matrix(cls, K: Any) -> Arms:
        """Arms without coordinates, described by their covariance matrix ``K``."""
        kernel = K if isinstance(K, MatrixKernel) else MatrixKernel(K)
        arms = cls(np.arange(len(kernel.K), dtype=float)[:, None])
        arms.kernel = kernel
        return arms

    def __len__(self) -> int:
        return len(self.X)

    @property
    def dimension(self) -> int:
        """The number of coordinates of an arm."""
        return int(self.X.shape[1])

    def index(self, arm: object) -> int:
        """``arm`` as a row number, or a typed error."""
        if type(arm) is int and 0 <= arm < len(self.X):  # the usual case
            return arm
        number = integer(arm, "arm", at_least=0, error=InvalidArm)
        if number >= len(self):
            raise InvalidArm(f"expected an arm from 0 to {len(self) - 1}, got {number}")
        return number

    def __repr__(self) -> str:
        return f"Arms({len(self)} arms in {self.dimension} dimensions)"
