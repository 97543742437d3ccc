"""What the page shows of a study, as data for JSON: the figures and words are the report's.

The answer, the suspects and all lists are of the whole log each time. What takes longer (the
importance of parameters, slices, what another measurement could gain, and earlier estimates) is
computed when there is time, and says what it is from.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from stoic.numbers import with_interval
from stoic.optimize import Optimizer
from stoic.optimize.finals.settling import Room
from stoic.report import Result
from stoic.report.coverage import coverage
from stoic.report.html import parts, tables
from stoic.report.html.chart import legend, progress
from stoic.report.html.confidence import Case
from stoic.report.html.coverage import covered
from stoic.report.html.markup import figure, percent, printable
from stoic.report.html.phrases import count
from stoic.report.html.verdict import finals
from stoic.report.importance import Importance
from stoic.report.views import Slice, View, around
from stoic.server.page import listed
from stoic.server.page.charted import charted
from stoic.server.page.course import Course
from stoic.server.page.listed import Marks
from stoic.server.page.present import lists
from stoic.study import Study
from stoic.study.advisers import Adviser
from stoic.study.trials import Records

__all__ = ["Snapshots", "snapshot"]

_LEASES_SECONDS = 5.0  # after which leases are read again, though nothing else is new
_QUICK = 0.3  # of the time of a snapshot: faster conclusions leave time for slower parts
_OLD_SECONDS = 5.0  # after which a slower part is computed, though the conclusions are new


def snapshot(study: Study) -> dict[str, Any]:
    """The whole snapshot of a study as it is now."""
    return Snapshots(study).take(math.inf)


class Snapshots:
    """Snapshots of one study that grows; what is known is not computed again."""

    def __init__(self, study: Study) -> None:
        self.study, self._course, self._step = study, Course(), 0
        self._at: tuple[int, int] | None = None  # entries and trials of the main part
        self._told: tuple[int, tuple[int, int] | None] | None = None  # outcomes, and finals
        self._adviser: Adviser | None = None  # another one where something was excluded
        self._result: Result | None = None
        self._records: Records | None = None
        self._around: tuple[list[Importance], list[Slice]] = ([], [])
        self._room: Room | None = None
        self._known: dict[str, Result] = {}  # what each of the slower parts was computed from
        self._read = -math.inf  # when the trials were read
        self._went_on = -math.inf  # when a slower part was last computed
        self._doubts = ""  # how much the suspects count, as markup
        self._lists: dict[str, Any] = {}
        self._fixed_markup: dict[str, str] = {}
        self._kept: dict[str, Any] = {}  # markup that takes long, and what it was made from

    def take(self, seconds: float = 0.5) -> dict[str, Any]:
        """A snapshot; after so many seconds, slower parts stay as they were before.

        New conclusions come without slower parts first, unless these have long been old.
        ``unfinished`` names the parts that are not of the whole log; a further call goes on.
        """
        began, before = time.monotonic(), self._result
        adviser = self.study.informed()
        result = self._main(adviser)
        known = result is before or time.monotonic() < began + _QUICK * seconds
        if known or time.monotonic() > self._went_on + _OLD_SECONDS:
            self._go_on(adviser, result, began + seconds)
            self._went_on = time.monotonic()
        self._step += 1
        return self._shown(adviser, result)

    def _go_on(self, adviser: Adviser, result: Result, ends: float) -> None:
        """Compute slower parts, one at least, as long as there is time."""
        for name, compute in self._slower(adviser, result):
            if self._known.get(name) is not result:
                compute()
                self._known[name] = result
                if time.monotonic() >= ends:
                    return
        if self._optimizer(adviser) is not None:
            self._course.advance(result, lambda: time.monotonic() >= ends)

    def _main(self, adviser: Adviser) -> Result:
        """All conclusions and lists, if anything is new."""
        at, now = (len(adviser.trials), self.study.asked), time.monotonic()
        told = (len(adviser.trials), adviser.finals)
        same = adviser is self._adviser and told == self._told  # asks change no conclusion
        new = not same or at != self._at
        if self._result is not None and not new and now < self._read + _LEASES_SECONDS:
            return self._result
        self._records, self._read = self.study.records(), now
        if self._result is None or not same:
            self._result, self._told, self._adviser = adviser.result(), told, adviser
            self._course.take(self._result)
        self._at = at
        self._lists = self._listed(self._result, self._records)
        return self._result

    @staticmethod
    def _optimizer(adviser: Adviser) -> Optimizer | None:
        found = getattr(adviser, "optimizer", None)
        return found if isinstance(found, Optimizer) else None

    def _slower(self, adviser: Adviser, result: Result) -> list[tuple[str, Callable[[], None]]]:
        """The parts that take longer, the one that is most out of date first."""
        optimizer = self._optimizer(adviser)

        def doubts() -> None:
            self._doubts = tables.doubts(result, listed.MAX_SUSPECTS)

        if optimizer is None:
            return [("doubts", doubts)]

        def room() -> None:
            self._room = adviser.room()

        def parameters() -> None:
            self._around = around(optimizer, result)

        order = [("doubts", doubts), ("room", room), ("parameters", parameters)]
        return sorted(order, key=lambda item: self._age(item[0], result), reverse=True)

    def _age(self, name: str, result: Result) -> float:
        """How many trials a part does not account for."""
        known = self._known.get(name)
        return math.inf if known is None else len(result.trials) - len(known.trials)

    # -- the data -----------------------------------------------------------------------------

    def _listed(self, result: Result, records: Records) -> dict[str, Any]:
        """What the log, the trials and the answer tell."""
        marks = Marks.of(result)
        self._fixed_markup = {
            "finals": finals(result),
            "legend": legend(result),
            "fluke": tables.fluke(result),
            "failures": tables.failures(result),
            "terms": parts.terms(result),
        }
        return lists(self.study, records, marks) | {
            "marks": {"suspects": sorted(marks.suspects), "luckiest": marks.luckiest},
            "behind": 0,
            "headline": _headline(result),
            "baseline": None if result.baseline is None else dict(result.baseline),
            "best": None if result.best is None else result.best.to_dict(),
            "verdict": None if result.verdict is None else result.verdict.to_dict(),
            "luckiest": _luckiest(result, records),
            "suspects": listed.suspects(result, records),
            "excluded": listed.excluded(result, records),
        }

    def _shown(self, adviser: Adviser, result: Result) -> dict[str, Any]:
        """The lists, and what the slower parts have found."""
        estimates, optimizer = self._course.estimates, self._optimizer(adviser)
        shares, slices = self._around if "parameters" in self._known else ([], [])
        seen = None if optimizer is None else View(optimizer, estimates, shares, slices)
        unfinished = self._unfinished(result, optimizer)
        return self._lists | {
            "version": [*(self._at or ()), self._step],
            "unfinished": unfinished,
            "room": self._room_shown(result),
            "chart": charted(result, estimates, self._lists["excluded"]),
            "markup": self._fixed_markup | self._markup(result, seen, not unfinished),
        }

    def _unfinished(self, result: Result, optimizer: Optimizer | None) -> list[str]:
        slower = ("doubts",) if optimizer is None else ("doubts", "room", "parameters")
        old = [name for name in slower if self._known.get(name) is not result]
        return old + ["estimates"] * (optimizer is not None and bool(self._course.open()))

    def _markup(self, result: Result, seen: View | None, last: bool) -> dict[str, str]:
        """The sections of the report that use the slower parts."""
        best, kept = result.best, self._kept
        answer = parts.nothing(result)
        if best is not None:
            sure = seen is not None and self._course.settled
            case = Case.of(result, best, seen) if sure and seen is not None else None
            answer = parts.answer(result, best, case)
        made = {"answer": answer, "parameters_of": self._of("parameters", result)}
        known = self._known.get("parameters")
        if kept.get("parameters") is not known or "coverage" not in kept:
            shares = [] if seen is None else seen.shares
            chart = covered(result, coverage(result, [share.name for share in shares]))
            drawn = "" if seen is None else parts.parameters(known or result, seen)
            self._kept = kept = kept | {"parameters": known, "drawn": drawn, "coverage": chart}
        if last or "course" not in kept:  # of those without scripts, who load the page again
            course = ""
            if seen is not None and seen.estimates:
                both = (progress(result, seen.estimates, wide=wide) for wide in (True, False))
                course = "".join(both)
            self._kept = kept = kept | {"course": course}
        return made | {
            "parameters": kept["drawn"],
            "coverage": kept["coverage"],
            "course": kept["course"],
            "doubts": self._doubts,
        }

    def _of(self, name: str, result: Result) -> str:
        """What a part was computed from, where that is not all."""
        known = self._known.get(name)
        if known is None or known is result:
            return ""
        return f"From the first {count(len(known.trials), 'evaluation', 'evaluations')}."

    def _room_shown(self, result: Result) -> dict[str, Any]:
        room, best = self._room, result.best
        if "room" not in self._known or room is None or best is None:
            words = "Not known before the first design is measured."
            return {"known": False, "words": words, "more": "", "of": ""}
        gain, std = figure(room.gain), figure(room.std)
        share = f", {percent(room.gain / best.value)} of the estimate" if best.value else ""
        words = f"The best next measurement is expected to improve the answer by {gain}{share}."
        if room.settled:
            words = (
                "Another measurement would hardly improve the answer: by "
                f"{gain} is expected{share}."
            )
        return {
            "known": True,
            "settled": room.settled,
            "gain": gain,
            "std": std,
            "words": words,
            "more": f"The estimate's own standard deviation is {std}.",
            "of": self._of("room", result),
        }


def _headline(result: Result) -> dict[str, Any]:
    """The answer on one line."""
    best, found = result.best, result.verdict
    if best is None:
        return {"verdict": "", "value": "", "interval": "", "params": ""}
    value, low, high = with_interval(best.value, best.interval)
    return {
        "verdict": "" if found is None or not found.has_baseline else found.headline,
        "value": value,
        "interval": f"{low} to {high}" if best.bounded else "",
        "params": listed.shown(best.params),
    }


def _luckiest(result: Result, records: Records) -> dict[str, Any] | None:
    if result.luckiest is None:
        return None
    trial = result.luckiest.trial
    return {
        "trial": trial.number,
        "measurement": listed.measurement_of(records, trial.number, trial.value or 0.0),
        "value": figure(trial.value or 0.0),
        "params": listed.shown(trial.params),
        "why": printable(result.luckiest.why),
    }
