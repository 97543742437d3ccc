"""What an optimisation says: trials, the answer, the luckiest fluke, the suspects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stoic.numbers import shown, with_interval
from stoic.printable import visible

__all__ = ["Answer", "Luckiest", "Suspect", "Trial", "assignments"]

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
        value, low, high = with_interval(self.value, self.interval)
        return f"{assignments(self.params)}: {value} (90%: {low} to {high})"


@dataclass(frozen=True)
class Luckiest:
    """The best single measurement, and why it is, or is not, the answer."""

    trial: Trial
    why: str

    def __str__(self) -> str:
        return f"trial {self.trial.number}, {shown(self.trial.value)}: {self.why}"


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


def assignments(params: Mapping[str, Any], between: str = ", ") -> str:
    """A configuration in a line, for people.

    >>> assignments({"threads": 8, "rate": 0.0123456789, "gc": "zgc"})
    'threads=8, rate=0.0123457, gc=zgc'
    """
    return visible(between.join(f"{name}={shown(value)}" for name, value in params.items()))
