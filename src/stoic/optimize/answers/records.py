"""The records of an optimisation: trials, the answer, the luckiest measurement, suspects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median_high, median_low
from typing import TYPE_CHECKING, Any

from stoic.numbers import shown, with_interval
from stoic.spaces.wording import assignments

if TYPE_CHECKING:
    from stoic.optimize.finals import Verdict

__all__ = ["UNKNOWN", "Answer", "Conclusion", "Luckiest", "Suspect", "Trial", "middle"]

Params = dict[str, Any]

UNKNOWN = "interval unknown: too few different values"


@dataclass(frozen=True)
class Trial:
    """One evaluation: its number, parameters and outcome; a failure has no value."""

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
    """The recommended configuration: its estimated value, with a 90% interval.

    The interval is (−∞, ∞) while the spread of the values is unknown: before there are three
    values, and as long as all are equal.
    """

    params: Params
    value: float
    interval: tuple[float, float]
    measured: int  # how often this configuration was evaluated with success

    def __str__(self) -> str:
        return f"{assignments(self.params)}: {self.shown()}"

    @property
    def bounded(self) -> bool:
        """Whether the interval is known."""
        return all(map(math.isfinite, self.interval))

    def shown(self, label: str = "90%: ") -> str:
        """The value and its interval, or that it is unknown, with significant digits only.

        >>> Answer({"x": 1}, 12.4117, (11.93, 13.02), measured=3).shown()
        '12.41 (90%: 11.93 to 13.02)'
        >>> Answer({"x": 1}, 2e-4, (-math.inf, math.inf), measured=1).shown()
        '0.0002 (interval unknown: too few different values)'
        """
        value, low, high = with_interval(self.value, self.interval)
        return f"{value} ({label}{low} to {high})" if self.bounded else f"{value} ({UNKNOWN})"

    def to_dict(self) -> dict[str, Any]:
        """The answer as data that JSON can hold; an unknown interval is None."""
        return asdict(self) | {"interval": list(self.interval) if self.bounded else None}


@dataclass(frozen=True)
class Luckiest:
    """The best single measurement, and why it is, or is not, the answer."""

    trial: Trial
    why: str

    def __str__(self) -> str:
        return f"trial {self.trial.number}, {shown(self.trial.value)}: {self.why}"


@dataclass(frozen=True)
class Suspect:
    """A measurement called corrupt: its trial's number, what it should have been, and why."""

    trial: int
    params: Mapping[str, Any]
    value: float
    expected: float
    reason: str

    def __str__(self) -> str:
        return f"trial {self.trial}: {self.reason}"


@dataclass(frozen=True)
class Conclusion:
    """The answer, the luckiest measurement and the suspects, all from one surrogate."""

    answer: Answer
    luckiest: Luckiest
    suspects: tuple[Suspect, ...]
    verdict: Verdict | None = None  # of the finals


def middle(values: Sequence[float]) -> float:
    """The median, finite also where the sum of two values is not.

    >>> middle([3.0, 1.0, 2.0]), middle([1.5e308, 1.7e308]), middle([5e-324, 1e-323])
    (2.0, 1.6e+308, 1e-323)
    """
    low, high = median_low(values), median_high(values)
    half = low / 2.0 + high / 2.0
    return half if abs(half) > 1.0 else (low + high) / 2.0  # the halves of tiny values vanish
