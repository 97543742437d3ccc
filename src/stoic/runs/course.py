"""The course of a run: search, finals, end. The same for one process and for a study."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Protocol

from stoic.optimize.finals.size import LEAST_EACH, finals_size
from stoic.runs.limits import SETTLED, UNLIMITED, Limits

__all__ = ["BUDGET", "SETTLED", "TIME", "Course", "Steered"]

BUDGET, TIME = "budget", "time"  # what ended a run; the third is SETTLED
_MIN_FINISHED = 3  # evaluations of this run, from which its pace is known


class Steered(Protocol):
    """What a run steers: an optimiser, or a study."""

    @property
    def has_baseline(self) -> bool:
        """Whether a baseline was given."""

    def measurements_needed(self, least: int, most: int) -> int:
        """How many of each contender the finals need to show that the answer is better."""

    def finals(self) -> tuple[int, int] | None:
        """Of the present finals: finished trials when they began, and planned evaluations."""

    def begin(self, evaluations: int) -> bool:
        """Begin finals; False where there is nothing to compare."""

    def end(self) -> None:
        """Go back to the search."""

    def settled(self) -> bool:
        """Whether another measurement would hardly improve the answer."""


class Course:
    """Decides when a run begins its finals, and when it ends.

    With a time limit, the total is what the pace so far allows; the finals begin when the rest of
    the time is what they need.
    """

    def __init__(
        self,
        limits: Limits,
        steered: Steered,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits, self._steered, self._clock = limits, steered, clock
        self._began = clock()
        self._first: int | None = None  # trials that were finished when this run began
        self._durations: list[float] = []
        self._running: dict[int, float] = {}
        self._settled, self._checked = False, -1  # and with how many finished trials
        self._end: int | None = None  # finished trials at which a settled run ends
        self.ended_by = ""

    # -- what the source reports --------------------------------------------------------------

    def asked(self, number: int) -> None:
        """The evaluation of a trial begins."""
        self._running[number] = self._clock()

    def recorded(self, number: int) -> None:
        """It has ended."""
        begun = self._running.pop(number, None)
        if begun is not None:
            self._durations.append(self._clock() - begun)

    # -- what it decides ----------------------------------------------------------------------

    def left(self, finished: int) -> int:
        """How many evaluations are left, those that run included; 0 where the run ends."""
        if self._first is None:
            self._first = finished
        if self._out_of_time():
            self.ended_by = TIME
            return 0
        end = self.limits.budget
        if self.limits.stop == SETTLED:
            settled = self._settled_end(finished)
            if settled is not None and settled < end:
                end, self.ended_by = settled, SETTLED
        if finished >= end and not self.ended_by:
            self.ended_by = BUDGET
        return end - finished

    def steer(self, finished: int, asked: int) -> None:
        """Begin or end the finals, if it is time; called before each trial is asked."""
        finals = self._steered.finals()
        total = self._total(finished)
        if finals is not None:
            over = finished >= sum(finals) and self.limits.seconds is None
            if over and asked < total - self._size(total, each=LEAST_EACH):
                self._steered.end()
            return
        if self._settled:
            size = self._needed(min(asked + asked // 4, total))
            size = min(size, max(total - asked, 0))
            begun = size > 0 and self._steered.begin(asked + size - finished)
            self._end = asked + size if begun else asked
        elif self._is_time(asked, total) and finished < total:
            self._steered.begin(total - finished)

    def _is_time(self, asked: int, total: int) -> bool:
        """Whether the rest of the evaluations is for the finals."""
        least = self._size(total, each=LEAST_EACH)
        if asked >= total - least:
            return least > 0
        return asked >= total - self._size(total) and asked >= total - self._needed(total)

    def _needed(self, total: int) -> int:
        """The size of finals that would show the gain."""
        least, most = self._size(total, each=LEAST_EACH), self._size(total)
        if self.limits.confirm != "auto" or most <= least:
            return most
        each = self._steered.measurements_needed(least // 2, most // 2)
        return self._size(total, each=each)

    def _settled_end(self, finished: int) -> int | None:
        """The finished trials at which a settled search ends; None while it is not settled.

        Finals that are over may be those of a run with a smaller budget.
        """
        finals = self._steered.finals()
        if finals is None:
            if self._end is None and finished != self._checked:
                self._checked, self._settled = finished, self._steered.settled()
                if self._settled and not self.limits.confirm:
                    self._end = finished
            return self._end
        over = finished >= sum(finals)
        return sum(finals) if not over or self._steered.settled() else None

    def _size(self, total: int, *, each: int | None = None) -> int:
        if total >= UNLIMITED:
            return 0
        confirm = self.limits.confirm
        has_baseline = self._steered.has_baseline
        return finals_size(confirm, total, has_baseline=has_baseline, each=each)

    def _total(self, finished: int) -> int:
        """All evaluations of the run, as far as it is known."""
        budget, seconds = self.limits.budget, self.limits.seconds
        done = finished - (finished if self._first is None else self._first)
        if seconds is None or done < _MIN_FINISHED:
            return budget
        elapsed = self._clock() - self._began
        rest = max(seconds - elapsed, 0.0)
        return min(budget, finished + int(rest * done / max(elapsed, 1e-9)))

    def _out_of_time(self) -> bool:
        """Whether another evaluation would probably end too late."""
        if self.limits.seconds is None:
            return False
        expected = median(self._durations) if self._durations else 0.0
        return self._clock() - self._began + expected > self.limits.seconds
