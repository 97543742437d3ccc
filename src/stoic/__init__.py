"""Stoic: Gaussian-process bandits that keep their head when measurements lie."""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stoic import policies as policies
    from stoic.diagnostics import diagnose
    from stoic.duels import DuelResult, duel
    from stoic.errors import StoicError
    from stoic.kernels import Linear, Matern, MatrixKernel, SquaredExponential
    from stoic.optimize import Optimizer
    from stoic.remote import connect
    from stoic.report import Result
    from stoic.runs import maximize, minimize
    from stoic.schedules import Assumptions
    from stoic.spaces import Arms, Box, Categorical, Float, Grid, Int, Space
    from stoic.study import Study as Study

__version__ = "0.2.0"

__all__ = [
    "Arms",
    "Assumptions",
    "Box",
    "Categorical",
    "DuelResult",
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
    "connect",
    "diagnose",
    "duel",
    "maximize",
    "minimize",
    "policies",
]

logging.getLogger("stoic").addHandler(logging.NullHandler())  # silent unless the user wants it

# Everything is imported on first use: the command line must handle Ctrl-C before NumPy is loaded,
# and importing the policies takes as long as all the rest.
_HOMES = {
    "diagnostics": ("diagnose",),
    "duels": ("DuelResult", "duel"),
    "errors": ("StoicError",),
    "kernels": ("Linear", "Matern", "MatrixKernel", "SquaredExponential"),
    "optimize": ("Optimizer",),
    "remote": ("connect",),
    "report": ("Result",),
    "runs": ("maximize", "minimize"),
    "schedules": ("Assumptions",),
    "spaces": ("Arms", "Box", "Categorical", "Float", "Grid", "Int", "Space"),
    "study": ("Study",),
}
_LATER = {name: f"stoic.{home}" for home, names in _HOMES.items() for name in names}
_PARTS = {
    "diagnostics", "errors", "estimators", "features", "kernels", "optimize", "policies",
    "posterior", "schedules", "spaces", "study",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"stoic.{name}")
    if name in _LATER:
        found = getattr(import_module(_LATER[name]), name)
        globals()[name] = found  # next time without __getattr__
        return found
    raise AttributeError(f"module 'stoic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_PARTS})
