"""Contenders of a duel: each can be run once, and gives a value or the reason why there is none."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from stoic.checks import number
from stoic.errors import InvalidInput, InvalidPayoff

__all__ = ["Contender", "ContenderFailed", "FunctionContender", "Run"]

_MAX_REASON_CHARACTERS = 200
_CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}


class ContenderFailed(InvalidInput):
    """A contender that never gave a value; ``output`` is what it printed as its error."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output


@dataclass(frozen=True)
class Run:
    """The outcome of one run of a contender."""

    value: float | None
    reason: str = ""
    """Why there is no value."""
    output: str = ""
    """The end of what a failed program printed as its error."""
    note: str = ""
    """A remark on how the value was read."""
    stopped: bool = False
    """Whether the user stopped the duel during the run, which then does not count."""
    started: bool = True
    """False where the program could not be started at all."""


class Contender(Protocol):
    """One side of a duel."""

    @property
    def name(self) -> str:
        """Its name in results."""

    def run(self, block: int, seed: int) -> Run:
        """Run it once; all contenders of a block get the same seed."""


class FunctionContender:
    """A function without arguments whose result, or whose time, is the value.

    >>> FunctionContender("old", lambda: 1.5).run(0, 0).value
    1.5
    """

    def __init__(self, name: str, fn: Callable[[], object], measure: str | None = None) -> None:
        if measure is not None and measure not in _CLOCKS:
            raise InvalidInput(
                f"expected measure to be 'wall' or 'cpu' for a function, got {measure!r}; "
                "compare commands, or return the value"
            )
        self.name, self._fn = name, fn
        self._clock = None if measure is None else _CLOCKS[measure]

    def run(self, block: int, seed: int) -> Run:  # noqa: ARG002 - a function has no environment
        begun = self._clock() if self._clock is not None else 0.0
        try:
            found = self._fn()
        except Exception as error:
            text = " ".join(str(error).split())
            return Run(None, f"{type(error).__name__}: {text}"[:_MAX_REASON_CHARACTERS])
        if self._clock is not None:
            return Run(self._clock() - begun)
        if found is None:
            return Run(None, "returned None; return the value, or pass measure='wall'")
        if isinstance(found, float) and not math.isfinite(found):
            return Run(None, f"returned {found!r}")
        return Run(number(found, "the function's value", error=InvalidPayoff))
