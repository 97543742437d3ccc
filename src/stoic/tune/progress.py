"""The progress of a tuning run, for displays, and the observer that keeps it up to date."""

from __future__ import annotations

import re
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stoic.optimize import Answer, FinalsRecord, Suspect
from stoic.runs.evaluation import Finished, Observer, Ticket
from stoic.runs.limits import UNLIMITED, Limits
from stoic.runs.patience import patiently
from stoic.study.protocol import StudyVerbs

__all__ = ["Display", "Progress", "ProgressObserver", "Running", "alike", "clock", "times"]

_RECENT_TRIALS = 50  # whose pace predicts the time that is left
_SLOW_ESTIMATE_SECONDS = 1.0  # an estimate that takes longer is not made after every trial
_MAX_ESTIMATE_SHARE = 0.2  # of the time that slow estimates may take


@dataclass(frozen=True)
class Running:
    """A trial under evaluation."""

    number: int
    params: Mapping[str, Any]
    since: float  # on the clock of time.monotonic


class Progress:
    """Running trials, finished trials, and the best estimate."""

    def __init__(
        self, limits: Limits, slots: int, finished: int, failures: Mapping[str, int]
    ) -> None:
        self.slots = slots  # trials at a time
        self.limits, self.finished = limits, finished
        self.baseline: Mapping[str, Any] | None = None
        self.baseline_values: Sequence[float] = ()
        self.finals: FinalsRecord | None = None
        self.running: dict[int, Running] = {}
        self.recent: deque[Finished] = deque(maxlen=_RECENT_TRIALS)
        self.failures: Counter[str] = Counter(failures)
        self.best: Answer | None = None
        self.suspects: Sequence[Suspect] = ()
        self.note = ""
        self.started = time.monotonic()
        self._ends: deque[float] = deque([self.started], maxlen=_RECENT_TRIALS)

    def begin(self, number: int, params: Mapping[str, Any]) -> None:
        """A trial has begun."""
        self.running[number] = Running(number, params, time.monotonic())

    def end(self, done: Finished, finished: int) -> None:
        """A trial has ended; ``finished`` counts all of the study."""
        self.running.pop(done.number, None)
        self.recent.append(done)
        self.finished = finished
        self._ends.append(time.monotonic())
        if done.outcome.reason is not None:
            self.failures[done.outcome.reason] += 1

    @property
    def elapsed(self) -> float:
        """Seconds of this run."""
        return time.monotonic() - self.started

    @property
    def budget(self) -> int | None:
        """Trials in all; None where time alone ends the run."""
        return self.limits.budget if self.limits.budget < UNLIMITED else None

    @property
    def count(self) -> str:
        """Finished trials, and how many there will be, if that is known."""
        return f"{self.finished}" + (f"/{self.budget}" if self.budget else "")

    @property
    def share(self) -> float:
        """How much of the run is done, by trials or by time, whichever is more."""
        seconds = self.limits.seconds
        shares = [self.finished / self.budget] if self.budget else []
        shares += [self.elapsed / seconds] if seconds else []
        return min(max(shares), 1.0)

    @property
    def left(self) -> float | None:
        """Seconds to the end at the pace of the last trials; None where there is no pace yet."""
        seconds = self.limits.seconds
        ends = [] if seconds is None else [max(seconds - self.elapsed, 0.0)]
        fresh = len(self._ends) - 1
        if fresh >= 1 and self.budget:
            pace = (self._ends[-1] - self._ends[0]) / fresh
            since = time.monotonic() - self._ends[-1]
            ends.append(max(pace * (self.budget - self.finished) - since, 0.0))
        return min(ends, default=None)

    @property
    def stage(self) -> str:
        """The stage of the run: the search, or the finals with their block."""
        return "search" if self.finals is None else str(self.finals)

    @property
    def ends(self) -> str:
        """What ends the run."""
        limits = self.limits
        ends = [f"{self.budget} trials"] if self.budget else []
        ends += [clock(limits.seconds)] if limits.seconds else []
        text = f"after {' or '.join(ends)}"
        return f"{text}, or when settled" if limits.stop else text


class Display(Protocol):
    """Shows a run to the user."""

    def ended(self, done: Finished) -> None:
        """A trial ended, and the progress includes it."""

    def note(self, words: str) -> None:
        """Show a message for the moment."""

    def keep(self, words: str) -> None:
        """Show a message that stays readable."""


class ProgressObserver(Observer):
    """Keeps the progress of a run up to date, and shows it."""

    def __init__(self, study: StudyVerbs, progress: Progress, display: Display) -> None:
        self._study, self._progress, self._display = study, progress, display
        self._valued = any(trial.values for trial in study.trials)
        self._estimated = (0.0, 0.0)  # when the best was last estimated, and how long that took
        self._noted = False  # whether the user knows which of several numbers is the value

    def began(self, ticket: Ticket) -> None:
        self._progress.begin(ticket.number, ticket.params)

    def ended(self, finished: Finished) -> None:
        outcome = finished.outcome
        self._valued = self._valued or bool(outcome.values)
        if finished.by_another:
            self._display.note(f"trial {finished.number} was finished by another worker")
        self._progress.end(finished, patiently(lambda: self._study.finished))
        patiently(self._estimate)
        self._progress.finals = patiently(lambda: self._study.informed().finals_record())
        self._display.ended(finished)
        if outcome.note and not self._noted:
            self._noted = True
            self._display.keep(outcome.note)

    def waiting(self) -> None:
        self._display.note("waiting for the trials that other workers hold …")

    def stopping(self) -> None:
        self._display.note("stopping …")

    def _of_baseline(self) -> list[float]:
        """The values of the baseline so far."""
        baseline, trials = self._progress.baseline, self._study.informed().trials
        return [t.value for t in trials if t.value is not None and t.params == baseline]

    def _estimate(self) -> None:
        """Estimate the best again, unless that would take a large part of the time."""
        at, took = self._estimated
        now = time.monotonic()
        slow = took > _SLOW_ESTIMATE_SECONDS and took > _MAX_ESTIMATE_SHARE * (now - at)
        if not self._valued or slow:
            return
        self._progress.best = self._study.recommend()
        self._progress.suspects = self._study.suspects()
        self._progress.baseline_values = self._of_baseline()
        self._estimated = (time.monotonic(), time.monotonic() - now)


def times(measured: int) -> str:
    """How often something was measured.

    >>> times(0), times(2), times(5)
    ('not measured itself', 'measured twice', 'measured 5 times')
    """
    few = {0: "not measured itself", 1: "measured once", 2: "measured twice"}
    return few.get(measured, f"measured {measured} times")


def alike(reasons: Mapping[str, int]) -> list[tuple[str, int]]:
    """Failures by reason, most frequent first; reasons that differ only in numbers are joined.

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
    """A time as hours, minutes and seconds.

    >>> clock(7.2), clock(125), clock(7322)
    ('0:07', '2:05', '2:02:02')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
