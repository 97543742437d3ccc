"""Choose the form of a loop: compiled where Numba is installed, NumPy elsewhere.

>>> def total_numpy(values):
...     return float(values.sum())
>>> @compiled_form(total_numpy)
... def total(values):
...     result = 0.0
...     for i in range(len(values)):
...         result += values[i]
...     return result

From then on ``total`` is the compiled loop, or ``total_numpy`` where there is no Numba. NumPy forms
call NumPy forms, compiled forms call compiled ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from stoic.forks import ForkAware

try:
    from numba import njit
    from numba.core.compiler_lock import global_compiler_lock

    COMPILES = True
    _NUMBAS_LOCK: Any = global_compiler_lock
except ImportError:  # it is not installed, or does not support this NumPy
    COMPILES = False

__all__ = ["COMPILES", "NUMPY_FORMS", "compiled", "compiled_form", "exact"]

Form = TypeVar("Form", bound=Callable[..., Any])

NUMPY_FORMS: dict[str, Callable[..., Any]] = {}  # of each loop, by the loop's name
# Sums in any order allow vector instructions; NaN and ∞ are kept.
_ANY_ORDER = {"reassoc", "contract", "nsz"}


def compiled(function: Callable[..., Any]) -> Any:
    """A part of compiled loops that may sum in any order."""
    return _compiled(function, fastmath=_ANY_ORDER)


def exact(function: Callable[..., Any]) -> Any:
    """A part of compiled loops where the order of operations matters.

    Functions that it calls are compiled with the same options.
    """
    return _compiled(function)


def compiled_form(
    numpy_form: Form, manner: Callable[[Callable[..., Any]], Any] = compiled
) -> Callable[[Callable[..., Any]], Form]:
    """Compile a function, to be used instead of its NumPy form where Numba is installed."""

    def decorate(function: Callable[..., Any]) -> Form:
        NUMPY_FORMS[function.__name__] = numpy_form
        loop: Form = manner(function) if COMPILES else numpy_form
        return loop

    return decorate


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    if not COMPILES:
        return function
    try:
        return njit(cache=True, error_model="numpy", **options)(function)
    except RuntimeError:  # there is no folder to keep the code in
        return njit(error_model="numpy", **options)(function)


class _Compiler(ForkAware):
    """Forks wait while a thread compiles: in the child, no thread would release Numba's lock."""

    def __init__(self) -> None:
        self._held = False
        self.join_forks()

    def before_fork(self, patience: float) -> None:
        del patience  # Numba's lock can't be waited for with a limit
        _NUMBAS_LOCK.acquire()
        self._held = True

    def after_fork_in_parent(self) -> None:
        if self._held:
            self._held = False
            _NUMBAS_LOCK.release()

    def after_fork_in_child(self) -> None:
        self.after_fork_in_parent()


if COMPILES:
    _COMPILER = _Compiler()
