"""Stoic: Gaussian-process bandits that keep their head when measurements lie."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stoic import policies
from stoic.diagnostics import diagnose
from stoic.errors import StoicError
from stoic.kernels import Linear, Matern, MatrixKernel, SquaredExponential
from stoic.optimize import Optimizer, Result, maximize, minimize
from stoic.schedules import Assumptions
from stoic.spaces import Arms, Box, Categorical, Float, Grid, Int, Space

if TYPE_CHECKING:
    from stoic.study import Study as Study

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


def __getattr__(name: str) -> Any:
    """Studies are imported when they are used: they need a package of the extra ``study``."""
    if name in ("Study", "study"):
        study = import_module("stoic.study")
        return study if name == "study" else study.Study
    raise AttributeError(f"module 'stoic' has no attribute {name!r}")
