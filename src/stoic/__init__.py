"""Stoic: Gaussian-process bandits that keep their head when measurements lie."""

from stoic import policies
from stoic.diagnostics import diagnose
from stoic.errors import StoicError
from stoic.kernels import Linear, Matern, MatrixKernel, SquaredExponential
from stoic.optimize import Optimizer, Result, maximize, minimize
from stoic.schedules import Assumptions
from stoic.spaces import Arms, Box, Categorical, Float, Grid, Int, Space

__version__ = "0.2.0"

__all__ = [
    "Arms",
    "Assumptions",
    "Box",
    "Categorical",
    "Float",
    "Grid",
    "Int",
    "Linear",
    "Matern",
    "MatrixKernel",
    "Optimizer",
    "Result",
    "Space",
    "SquaredExponential",
    "StoicError",
    "diagnose",
    "maximize",
    "minimize",
    "policies",
]
