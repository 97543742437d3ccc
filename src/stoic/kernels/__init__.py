"""Kernels: covariance functions k(x, z) of two points."""

from stoic.kernels.base import Kernel, Product, Scaled, Sum
from stoic.kernels.linear import Linear
from stoic.kernels.matrix import MatrixKernel
from stoic.kernels.stationary import Matern, SquaredExponential

__all__ = [
    "Kernel",
    "Linear",
    "Matern",
    "MatrixKernel",
    "Product",
    "Scaled",
    "SquaredExponential",
    "Sum",
]
