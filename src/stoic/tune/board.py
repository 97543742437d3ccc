"""How a run stands, for whoever shows it."""

from __future__ import annotations

import re
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stoic.numbers import rounded
from stoic.optimize.answers import Answer, Suspect, assignments

__all__ = ["Board", "Finished", "Running", "alike", "clock", "estimate", "shown", "times"]

_RECENT = 50  # trials whose times tell how long the rest will take


@dataclass(frozen=True)
class Running:
    """A trial under way."""

    number: int
    params: Mapping[str, Any]
    since: float  # on the clock of time.monotonic


@dataclass(frozen=True)
class Finished:
    """A trial that ended in this session: its values, or why there are none."""

    number: int
    params: Mapping[str, Any]
    values: tuple[float, ...]
    reason: str | None
    seconds: float

    @property
    def outcome(self) -> str:
        """The values, or the failure, in a word or a line."""
        if not self.values:
            return f"failed: {self.reason}"
        return " ".join(map(rounded, self.values))


class Board:
    """The state of a run: what runs, what came, what is believed."""

    def __init__(self, budget: int, slots: int, finished: int, failures: Mapping[str, int]) -> None:
        self.slots = slots  # trials at a time
        self.budget, self.finished, self.found = budget, finished, finished
        self.running: dict[int, Running] = {}
        self.recent: deque[Finished] = deque(maxlen=_RECENT)
        self.failures: Counter[str] = Counter(failures)
        self.best: Answer | None = None
        self.suspects: Sequence[Suspect] = ()
        self.note = ""
        self.started = time.monotonic()
        self._ends: deque[float] = deque([self.started], maxlen=_RECENT)

    def begin(self, number: int, params: Mapping[str, Any]) -> None:
        """A trial has begun."""
        self.running[number] = Running(number, params, time.monotonic())

    def end(self, done: Finished, finished: int) -> None:
        """A trial has ended; ``finished`` counts all of the study."""
        self.running.pop(done.number, None)
        self.recent.append(done)
        self.finished = finished
        self._ends.append(time.monotonic())
        if done.reason is not None and not done.values:
            self.failures[done.reason] += 1

    @property
    def elapsed(self) -> float:
        """Seconds of this session."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float | None:
        """Seconds to the end at the pace of the last trials; None where there is no pace yet."""
        fresh = len(self._ends) - 1
        if fresh < 1:
            return None
        pace = (self._ends[-1] - self._ends[0]) / fresh
        since = time.monotonic() - self._ends[-1]
        return max(pace * (self.budget - self.finished) - since, 0.0)


def estimate(best: Answer) -> str:
    """An estimate with its interval.

    >>> estimate(Answer({"x": 1}, 12.4117, (11.93, 13.02), measured=3))
    '12.41 (90%: 11.93 to 13.02)'
    """
    return best.shown()


def times(measured: int) -> str:
    """How often something was measured.

    >>> times(0), times(2), times(5)
    ('not measured itself', 'measured twice', 'measured 5 times')
    """
    few = {0: "not measured itself", 1: "measured once", 2: "measured twice"}
    return few.get(measured, f"measured {measured} times")


def alike(reasons: Mapping[str, int]) -> list[tuple[str, int]]:
    """Failures by reason, those that differ by numbers only taken together, most frequent first.

    >>> alike({"exit code 3: need 512 MB": 2, "exit code 3: need 700 MB": 1, "exit code 1": 2})
    [('exit code 3: need 512 MB', 3), ('exit code 1', 2)]
    """
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for reason, count in reasons.items():
        name = names.setdefault(re.sub(r"(?<!code )\b[0-9][0-9.]*", "#", reason), reason)
        counts[name] += count
    return counts.most_common()


def clock(seconds: float) -> str:
    """A time as a person reads it.

    >>> clock(7.2), clock(125), clock(7322)
    ('0:07', '2:05', '2:02:02')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def shown(params: Mapping[str, Any]) -> str:
    """Parameters in a line.

    >>> shown({"threads": 8, "rate": 0.0123456, "gc": "zgc"})
    'threads=8 rate=0.0123456 gc=zgc'
    """
    return assignments(params, " ")
