"""Feature maps that stay as they are, whatever is played."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from stoic.checks import Array
from stoic.features.base import Features
from stoic.features.parts import in_parts
from stoic.kernels import Kernel, Scaled

__all__ = ["FixedMap", "unscaled"]

_MAX_POINTS_IN_PARTS = 50_000  # beyond it, the search for parts delays the first round
_ROUNDING = 4e-15  # of the largest coordinate


class FixedMap(ABC):
    """x → φ(x) with m coordinates, of which the points of a domain may span fewer directions.

    A subclass calls ``super().__init__(m)`` and has :meth:`full`.
    """

    def __init__(self, count: int) -> None:
        self._reduction: Array = np.eye(count)

    @abstractmethod
    def full(self, X: Array) -> Array:
        """φ at points, all m coordinates."""

    def reduce(self, X: Array) -> None:
        """Keep only the directions that the points ``X`` span, up to rounding."""
        _, size, directions = np.linalg.svd(self.full(X), full_matrices=False)
        kept = size > np.finfo(float).eps * max(self._reduction.shape) * size[0]
        self._reduction = directions[kept].T

    def __call__(self, X: Array) -> Array:
        """The coordinates ψ = Pᵀφ at points, (n, r)."""
        psi: Array = self.full(X) @ self._reduction
        return psi

    def features(self, X: Array) -> Features:
        """The features of the tracked points."""
        psi = self(X)
        if not 0 < len(X) <= _MAX_POINTS_IN_PARTS:
            return Features(psi, self._reduction)
        # θ may be as large in one coordinate as in any other, since payoffs are cut in each
        rounding = _ROUNDING * float(np.abs(psi).max())
        return Features(psi, self._reduction, in_parts(psi, X, rounding, np.ones(psi.shape[1])))


def unscaled(kernel: Kernel) -> tuple[float, Kernel]:
    """The factor v of a kernel v·k, and k."""
    variance = 1.0
    while isinstance(kernel, Scaled):
        variance, kernel = variance * kernel.variance, kernel.kernel
    return variance, kernel
