"""What an optimisation says: trials, the answer, the luckiest fluke, the suspects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median_high, median_low
from typing import Any

__all__ = ["UNKNOWN", "Answer", "Luckiest", "Suspect", "Trial", "middle", "rounded"]

Params = dict[str, Any]

UNKNOWN = "interval unknown: too few different values"


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
    """The configuration to stand by: its estimated value, with a 90% interval.

    The interval is (−∞, ∞) while the spread of the values is unknown: before there are three
    values, and as long as all are equal. A width would then come from nothing.
    """

    params: Params
    value: float
    interval: tuple[float, float]
    measured: int  # how often this very configuration was evaluated with success

    def __str__(self) -> str:
        low, high = self.interval
        ends = f"90%: {low:.6g} to {high:.6g}" if self.bounded else UNKNOWN
        return f"{_show(self.params)}: {self.value:.6g} ({ends})"

    @property
    def bounded(self) -> bool:
        """Whether the interval is known."""
        return all(map(math.isfinite, self.interval))

    def shown(self, label: str = "90%: ") -> str:
        """The value and its interval, or that it is unknown, with the digits they deserve.

        >>> Answer({"x": 1}, 12.4117, (11.93, 13.02), measured=3).shown()
        '12.4 (90%: 11.9 to 13.0)'
        >>> Answer({"x": 1}, 2e-4, (-math.inf, math.inf), measured=1).shown()
        '0.0002 (interval unknown: too few different values)'
        """
        low, high = self.interval
        value, a, b = (rounded(v, high - low) for v in (self.value, low, high))
        return f"{value} ({label}{a} to {b})" if self.bounded else f"{value} ({UNKNOWN})"

    def to_dict(self) -> dict[str, Any]:
        """The answer as data that JSON can hold; an unknown interval is None."""
        return asdict(self) | {"interval": list(self.interval) if self.bounded else None}


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
    return ", ".join(parts)


def rounded(value: float, spread: float) -> str:
    """A value with as many digits as its uncertainty deserves.

    >>> rounded(41.23367, 2.3), rounded(0.0012345, 1e-5), rounded(1e300, 1.0)
    ('41.2', '0.001234', '1e+300')
    """
    if not (0.0 < spread < math.inf) or not 1e-5 <= max(abs(value), spread) < 1e7:
        return f"{value:.4g}"
    decimals = min(1 - math.floor(math.log10(spread)), 12)
    return f"{round(value, decimals):.{max(decimals, 0)}f}"


def middle(values: Sequence[float]) -> float:
    """The median, finite also where the sum of two values is not.

    >>> middle([3.0, 1.0, 2.0]), middle([1.5e308, 1.7e308]), middle([5e-324, 1e-323])
    (2.0, 1.6e+308, 1e-323)
    """
    low, high = median_low(values), median_high(values)
    half = low / 2.0 + high / 2.0
    return half if abs(half) > 1.0 else (low + high) / 2.0  # the halves of tiny values vanish
