"""SciPy's compiled routines, without the packages around them.

To import ``scipy.linalg``, ``scipy.spatial`` or ``scipy.special`` takes a third of a second, most
of it for what nobody asked for, NumPy's Fortran translator and test tools among it. The very same
functions are loaded here from SciPy's own files in milliseconds; where a file is not in its
place, the packages give them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import scipy

from stoic.checks import Array

__all__ = ["dpotrf", "dpotri", "dpotrs", "dtrtri", "dtrtrs", "ndtr", "squared_distances"]


def extension(name: str) -> Any:
    """An extension module of SciPy by its full name, or None where it is not to be had alone."""
    if name in sys.modules:
        return sys.modules[name]
    folder = Path(scipy.__file__).parent.joinpath(*name.split(".")[1:-1])
    spec = PathFinder.find_spec(name, [str(folder)])
    if spec is None or spec.loader is None:
        return None
    try:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        return None
    finally:
        sys.modules.pop(name, None)  # its package, should it be imported, wants to do so itself
    return module


def _routines(name: str, public: str, *wanted: str) -> list[Any]:
    """Routines of an extension module, or of the public module that shows them."""
    module = extension(name)
    if not all(hasattr(module, routine) for routine in wanted):
        module = import_module(public)
    return [getattr(module, routine) for routine in wanted]


dpotrf, dpotri, dpotrs, dtrtri, dtrtrs = _routines(
    "scipy.linalg._flapack",
    "scipy.linalg.lapack",
    *("dpotrf", "dpotri", "dpotrs", "dtrtri", "dtrtrs"),
)
(ndtr,) = _routines("scipy.special._special_ufuncs", "scipy.special", "ndtr")
_sqeuclidean = getattr(extension("scipy.spatial._distance_pybind"), "cdist_sqeuclidean", None)


def squared_distances(X: Array, Z: Array, weights: Array | None = None) -> Array:
    """‖x − z‖² for all rows of X and Z; with weights, Σ w (x − z)²."""
    if _sqeuclidean is None:
        from scipy.spatial.distance import cdist  # the package: see above

        found: Array = cdist(X, Z, "sqeuclidean", w=weights)
        return found
    r2: Array = _sqeuclidean(X, Z, weights)
    return r2
