"""The exact features of the linear kernel: the coordinates."""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.features.fixed import FixedMap, unscaled
from stoic.kernels import Kernel, Linear

__all__ = ["LinearMap"]


class LinearMap(FixedMap):
    """φ(x) = √v·x, with one more coordinate √(v·bias) where the kernel has a bias.

    Parameters
    ----------
    kernel
        A linear kernel, with a factor v or not.
    dimension
        d, of the points.

    >>> LinearMap(Linear(bias=4.0), 2).full(np.array([[1.0, 3.0]]))
    array([[1., 3., 2.]])
    """

    def __init__(self, kernel: Kernel, dimension: int) -> None:
        variance, linear = unscaled(kernel)
        if not isinstance(linear, Linear):
            raise InvalidInput(
                f"expected a Linear kernel for linear features, got {kernel!r}; "
                "use features='nystrom' for any other kernel"
            )
        self._bias = linear.bias
        self._root = float(np.sqrt(variance))
        super().__init__(dimension + (self._bias > 0.0))

    def full(self, X: Array) -> Array:
        """φ at points, all coordinates."""
        constant = np.full((len(X), int(self._bias > 0.0)), np.sqrt(self._bias))
        return self._root * np.hstack([X, constant])
