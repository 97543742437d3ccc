"""How loops are compiled, where Numba is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stoic.forks import Unforked

try:
    from numba import njit
    from numba.core.compiler_lock import global_compiler_lock

    COMPILES = True
    _COMPILING = Unforked(getattr(global_compiler_lock, "_lock", None))  # a fork waits for it
except ImportError:  # it is not there, or does not suit this NumPy
    COMPILES = False

__all__ = ["COMPILES", "compiled", "exact"]


def _compiling(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    def decorate(function: Callable[..., Any]) -> Any:
        if not COMPILES:
            return function
        try:
            return njit(cache=True, error_model="numpy", **options)(function)
        except RuntimeError:  # there is no folder to keep the code in
            return njit(error_model="numpy", **options)(function)

    return decorate


# Sums in any order, so that they can be made of several at a time; NaN and ∞ stay what they are.
compiled = _compiling(fastmath={"reassoc", "contract", "nsz"})
# Where the order matters. (What a function calls is compiled in its caller's manner.)
exact = _compiling()
