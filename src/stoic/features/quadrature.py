"""Quadrature Fourier features of the squared exponential kernel.

Mutný & Krause, *Efficient high dimensional Bayesian optimization with additivity and
quadrature Fourier features*, NeurIPS 2018; as in chowdhury2019 §5.1 (a), eq. (1).
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import product

import numpy as np

from stoic.checks import Array, integer
from stoic.errors import InvalidInput, TooManyFeatures
from stoic.features.fixed import FixedMap, unscaled
from stoic.kernels import Kernel, SquaredExponential

__all__ = ["QuadratureMap"]

_MAX_KERNEL_ERROR = 1e-9  # of the approximated kernel on the domain
_MAX_FEATURES = 4096
_MAX_NODES = 300  # beyond it the smallest Gauss–Hermite weights underflow


class QuadratureMap(FixedMap):
    """φ(x) = √v·[√w_i cos(√2 ω_iᵀx/ℓ), √w_i sin(√2 ω_iᵀx/ℓ)] on a Gauss–Hermite grid.

    The domain is scaled to [0, 1]^d. The grid has m̄ nodes per dimension, m = 2m̄^d
    features; m̄ is the smallest number for which the kernel's error on the domain is
    below 1e-9, and a number of features above 4096 is refused.

    Parameters
    ----------
    kernel
        A squared exponential kernel, with a factor v or not.
    low, high
        Corners of the domain.
    nodes
        m̄, to fix it; its error is then not checked.
    instead
        The features that an error names where these don't suit.

    >>> QuadratureMap(SquaredExponential(0.2), np.zeros(1), np.ones(1)).nodes
    29
    """

    def __init__(
        self,
        kernel: Kernel,
        low: Array,
        high: Array,
        nodes: int | None = None,
        instead: str = "nystrom",
    ) -> None:
        variance, lengthscale = _squared_exponential(kernel, instead)
        side = _sides(low, high)
        self._low, self._side = low, side
        self._scale = np.broadcast_to(lengthscale, low.shape) / side
        self.nodes = (
            _enough_nodes(self._scale, instead)
            if nodes is None
            else integer(nodes, "the number of quadrature nodes", at_least=1)
        )
        count = 2 * self.nodes ** len(low)
        if count > _MAX_FEATURES:
            raise TooManyFeatures(
                f"expected at most {_MAX_FEATURES} quadrature features, got "
                f"2·{self.nodes}^{len(low)} = {count} for length-scales "
                f"{np.round(self._scale, 4).tolist()} of the domain's sides; "
                f"use features={instead!r}"
            )
        super().__init__(count)
        # A grid point's weight is the product of its 1-D weights
        omega, weight = np.polynomial.hermite.hermgauss(self.nodes)
        grid = list(product(range(self.nodes), repeat=len(low)))
        self._omega: Array = omega[np.array(grid)]
        self._root_weight: Array = np.sqrt(
            variance * np.prod(weight[np.array(grid)] / np.sqrt(np.pi), axis=1)
        )

    @staticmethod
    def size_for(kernel: Kernel, low: Array, high: Array) -> int:
        """How many features, 2m̄^d, a kernel needs on a domain; or a typed error."""
        _, lengthscale = _squared_exponential(kernel, "nystrom")
        scale = np.broadcast_to(lengthscale, low.shape) / _sides(low, high)
        return int(2 * _enough_nodes(scale, "nystrom") ** len(low))

    def full(self, X: Array) -> Array:
        """φ at points, all m coordinates."""
        unit = (X - self._low) / self._side
        angle = np.sqrt(2.0) * (unit / self._scale) @ self._omega.T
        return np.hstack([np.cos(angle) * self._root_weight, np.sin(angle) * self._root_weight])


def _sides(low: Array, high: Array) -> Array:
    """The lengths that are scaled to one."""
    return np.where(high > low, high - low, 1.0)


def _squared_exponential(kernel: Kernel, instead: str) -> tuple[float, float | Array]:
    variance, kernel = unscaled(kernel)
    if not isinstance(kernel, SquaredExponential):
        raise InvalidInput(
            "expected a SquaredExponential kernel for quadrature features, "
            f"got {kernel!r}; use features={instead!r} for any other kernel"
        )
    return variance, kernel.lengthscale


def _enough_nodes(scale: Array, instead: str) -> int:
    """The smallest m̄ whose worst error over differences in [0, 1]^d is below the tolerance."""
    delta = np.linspace(0.0, 1.0, 257)[:, None] / scale  # differences in length-scales, (257, d)
    exact = np.exp(-0.5 * delta**2)

    def enough(nodes: int) -> bool:
        omega, weight = np.polynomial.hermite.hermgauss(nodes)
        cosines = np.cos(np.sqrt(2.0) * delta[:, :, None] * omega)
        error = np.abs(cosines @ (weight / np.sqrt(np.pi)) - exact).max(axis=0)
        return bool(error.sum() < _MAX_KERNEL_ERROR)

    nodes = range(2, _MAX_NODES + 1)  # bisection: more nodes, less error
    first = bisect_left(nodes, True, key=enough)
    if first == len(nodes):
        raise TooManyFeatures(
            f"expected length-scales that {_MAX_NODES} quadrature nodes per dimension can "
            f"resolve, got {np.round(scale, 4).tolist()} of the domain's sides; "
            f"use features={instead!r}"
        )
    return nodes[first]
