"""Stoic: Gaussian-process bandits that keep their head when measurements lie."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stoic.errors import StoicError
from stoic.kernels import Linear, Matern, MatrixKernel, SquaredExponential
from stoic.optimize import Optimizer, Result, maximize, minimize
from stoic.spaces import Arms, Box, Categorical, Float, Grid, Int, Space

if TYPE_CHECKING:
    from stoic import policies as policies
    from stoic.diagnostics import diagnose
    from stoic.schedules import Assumptions
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

# Imported when they are used: policies take as long as all the rest, and studies need a package
# of the extra ``study``.
_LATER = {
    "Assumptions": "stoic.schedules",
    "Study": "stoic.study",
    "diagnose": "stoic.diagnostics",
}
_PARTS = {
    "diagnostics", "estimators", "features", "policies", "posterior", "schedules", "study",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"stoic.{name}")
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'stoic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_PARTS})
