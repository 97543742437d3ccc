"""The records of an optimisation: trials, the answer, the luckiest measurement, suspects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median_high, median_low
from typing import TYPE_CHECKING, Any

from stoic.notebook import block, table, words
from stoic.numbers import shown, with_interval
from stoic.optimize.aim import TARGETS
from stoic.optimize.answers.edges import Edge
from stoic.optimize.answers.explanation import Explanation
from stoic.spaces.wording import assignments

if TYPE_CHECKING:
    from stoic.optimize.finals import FinalsRecord, Verdict

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
    """The recommended configuration: the estimated value of its target, with a 90% interval.

    The target is the median of all runs of the configuration, or their average, suspects excluded.
    ``single_run`` is the range in which nine of ten single runs will be, suspects excluded. Both
    ranges are (−∞, ∞) while the spread of the values is unknown: before there are three values,
    and as long as all are equal.
    """

    params: Params
    value: float
    interval: tuple[float, float]
    measured: int  # how often this configuration was evaluated with success
    target: str = "median"  # or "mean": what value and interval are for
    single_run: tuple[float, float] = (-math.inf, math.inf)
    at_edge: tuple[Edge, ...] = ()  # parameters at an end of their ranges, where that matters

    def __str__(self) -> str:
        text = f"{assignments(self.params)}: {self.shown()}, {self.meaning}"
        return f"{text}; {self.runs}" if self.runs else text

    @property
    def bounded(self) -> bool:
        """Whether the interval is known."""
        return all(map(math.isfinite, self.interval))

    @property
    def meaning(self) -> str:
        """What was estimated, in words."""
        return TARGETS[self.target]

    @property
    def runs(self) -> str:
        """What single runs will show, in words; nothing where it is unknown.

        >>> Answer({}, 12.4, (11.9, 13.0), 3, single_run=(10.71, 15.26)).runs
        'nine of ten single runs show 10.7 to 15.3'
        """
        low, high = self.single_run
        if not (math.isfinite(low) and math.isfinite(high)):
            return ""
        _, low_, high_ = with_interval(self.value, self.single_run)
        return f"nine of ten single runs show {low_} to {high_}"

    def shown(self, label: str = "90%: ") -> str:
        """The value and its interval, or that it is unknown, with significant digits only.

        >>> Answer({"x": 1}, 12.4117, (11.93, 13.02), measured=3).shown()
        '12.41 (90%: 11.93 to 13.02)'
        >>> Answer({"x": 1}, 2e-4, (-math.inf, math.inf), measured=1).shown()
        '0.0002 (interval unknown: too few different values)'
        """
        value, low, high = with_interval(self.value, self.interval)
        return f"{value} ({label}{low} to {high})" if self.bounded else f"{value} ({UNKNOWN})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the parameters, and the estimate."""
        rows = [(name, shown(value)) for name, value in self.params.items()]
        lines = [f"estimated {self.shown('90% interval ')}", *map(str, self.at_edge)]
        return block(table(["parameter", "value"], rows), words("\n".join(lines)))

    def to_dict(self) -> dict[str, Any]:
        """The answer as data that JSON can hold; an unknown interval is None."""
        known = all(map(math.isfinite, self.single_run))
        return asdict(self) | {
            "interval": list(self.interval) if self.bounded else None,
            "single_run": list(self.single_run) if known else None,
        }


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
    """The answer, the luckiest measurement, the suspects and the explanation, of one surrogate."""

    answer: Answer
    luckiest: Luckiest
    suspects: tuple[Suspect, ...]
    explanation: Explanation
    verdict: Verdict | None = None  # of the finals
    finals: FinalsRecord | None = None


def middle(values: Sequence[float]) -> float:
    """The median, finite also where the sum of two values is not.

    >>> middle([3.0, 1.0, 2.0]), middle([1.5e308, 1.7e308]), middle([5e-324, 1e-323])
    (2.0, 1.6e+308, 1e-323)
    """
    low, high = median_low(values), median_high(values)
    half = low / 2.0 + high / 2.0
    return half if abs(half) > 1.0 else (low + high) / 2.0  # the halves of tiny values vanish
