"""What an optimisation says: trials, the answer, the luckiest fluke, the suspects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stoic.printable import visible

__all__ = ["Answer", "Luckiest", "Suspect", "Trial", "rounded"]

Params = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """One evaluation: its number, what was tried and what came; a failure has no value."""

    number: int
    params: Mapping[str, Any]
    value: float | None
    reason: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the evaluation gave no value."""
        return self.value is None


@dataclass(frozen=True)
class Answer:
    """The configuration to stand by: its estimated value, with a 90% interval."""

    params: Params
    value: float
    interval: tuple[float, float]
    measured: int  # how often this very configuration was evaluated with success

    def __str__(self) -> str:
        low, high = self.interval
        return f"{_show(self.params)}: {self.value:.6g} (90%: {low:.6g} to {high:.6g})"


@dataclass(frozen=True)
class Luckiest:
    """The best single measurement, and why it is, or is not, the answer."""

    trial: Trial
    why: str

    def __str__(self) -> str:
        return f"trial {self.trial.number}, {self.trial.value:.6g}: {self.why}"


@dataclass(frozen=True)
class Suspect:
    """A measurement judged corrupt: its trial's number, what it should have been, and why."""

    trial: int
    params: Mapping[str, Any]
    value: float
    expected: float
    reason: str

    def __str__(self) -> str:
        return f"trial {self.trial}: {self.reason}"


def _show(params: Mapping[str, Any]) -> str:
    parts = []
    for name, value in params.items():
        shown = f"{value:.6g}" if isinstance(value, float) else str(value)
        parts.append(f"{name}={shown}")
    return visible(", ".join(parts))


def rounded(value: float, spread: float) -> str:
    """A value with as many digits as its uncertainty deserves.

    >>> rounded(41.23367, 2.3), rounded(0.0012345, 1e-5), rounded(1e300, 1.0)
    ('41.2', '0.001234', '1e+300')
    """
    if not (0.0 < spread < math.inf) or not 1e-5 <= max(abs(value), spread) < 1e7:
        return f"{value:.4g}"
    decimals = min(1 - math.floor(math.log10(spread)), 12)
    return f"{round(value, decimals):.{max(decimals, 0)}f}"
