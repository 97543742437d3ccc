"""The estimate of the best over time, for a study that grows: each estimate is computed once.

An estimate after a trial depends on that trial and the earlier ones alone, so it stays true as the
study grows. What was recommended while somebody watched is kept as it was; earlier estimates are
replayed in pieces, those of the last third first: the checks of the answer need them.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable

from stoic.optimize.answers import Trial
from stoic.report import Result
from stoic.report.replay import Estimate, Replay, stops

__all__ = ["Course"]

_MAX_KEPT = 160  # estimates; of more, every second one is forgotten
_LATE = 2 / 3  # of the trials: the checks of the answer ask for estimates from there on
_NEAR = 0.02  # of the trials: a stop that is so near to a known estimate is not replayed


class Course:
    """Estimates after earlier trials of one study."""

    def __init__(self) -> None:
        self._trials: tuple[Trial, ...] = ()
        self._found: list[Estimate] = []
        self._tried: set[int] = set()  # positions after which there is no estimate, or a known one
        self._replays: dict[bool, Replay] = {}  # of the late stops, and of the others

    def take(self, result: Result) -> None:
        """Take in the answer after all trials so far.

        Where trials were excluded or taken back, what was known from there on is forgotten.
        """
        same = _common(self._trials, result.trials)
        if same < len(self._trials):
            self._found = [e for e in self._found if e.position < same]
            self._tried = {position for position in self._tried if position < same}
            self._replays = {}
        self._trials = result.trials
        if result.best is not None:
            last = len(result.trials) - 1
            self._found = [e for e in self._found if e.position != last]
            insort(self._found, Estimate(last, result.best.value, *result.best.interval),
                   key=lambda e: e.position)  # fmt: skip
        while len(self._found) > _MAX_KEPT:
            self._found = [*self._found[:-1:2], self._found[-1]]

    @property
    def estimates(self) -> list[Estimate]:
        """All that are known, in order; the last is the answer's."""
        return list(self._found)

    def open(self) -> list[int]:
        """Positions after which an estimate is still to be computed, the late ones first."""
        last = len(self._trials) - 1
        known = [e.position for e in self._found]
        near = max(1.0, _NEAR * last)
        wanted = [
            stop for stop in stops(last + 1)
            if stop < last and stop not in self._tried
            and not any(abs(stop - position) < near for position in known)
        ]  # fmt: skip
        late = [stop for stop in wanted if stop >= _LATE * last]
        return late + [stop for stop in wanted if stop < _LATE * last]

    @property
    def settled(self) -> bool:
        """Whether all estimates are known that the checks of the answer ask for."""
        last = len(self._trials) - 1
        return not any(stop >= _LATE * last for stop in self.open())

    def advance(self, result: Result, enough: Callable[[], bool]) -> None:
        """Compute what is still open, until it is enough."""
        while not enough() and (left := self.open()):
            stop = left[0]
            late = stop >= _LATE * (len(self._trials) - 1)
            replay = self._replays.get(late)
            if replay is None or len(replay.optimizer.history) > stop + 1:
                replay = self._replays[late] = Replay(result)
            estimate = replay.estimate(self._trials, stop)
            self._tried.add(stop)
            if estimate is not None:
                insort(self._found, estimate, key=lambda e: e.position)


def _common(old: tuple[Trial, ...], new: tuple[Trial, ...]) -> int:
    """How many trials at the start are the same."""
    for i, (a, b) in enumerate(zip(old, new, strict=False)):
        if a.number != b.number or a.value != b.value:
            return i
    return min(len(old), len(new))
