"""Checks of how well the run supports the answer, and the grade that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stoic.optimize.answers import Answer
from stoic.report.html.markup import figure, percent
from stoic.report.html.phrases import FIRST_TRIES, better, count, start
from stoic.report.replay import Estimate
from stoic.report.result import Result
from stoic.report.views import View, scatter, suspected

__all__ = ["DEFINITIONS", "Case"]

_MIN_MEASUREMENTS = 3  # of the answer itself, without suspects: two outvote a third
_MAX_RELATIVE_WIDTH = 0.5  # of the interval, in ranges of the measurements

DEFINITIONS = {
    "Well supported": "all checks passed. The checks: the finals show the answer to be better than "
    "the baseline (without a baseline: the whole 90% interval is better than a typical first try); "
    "the estimates of the last third of the run are within the 90% interval; it is at most half as "
    "wide as the range of the measurements; the configuration was measured "
    f"{_MIN_MEASUREMENTS} times or more, suspects apart; and without the suspects, if there are "
    "any, the estimate would still be within it",
    "Fairly supported": "one check failed, but not the first",
    "Weak": "more checks failed, but not the first",
    "Keep the baseline": "the finals don't show any other configuration to be better than it",
    "Not shown to be better": "the first check failed",
    "Too early to tell": "there are too few measurements for the first two checks",
}


@dataclass(frozen=True)
class Case:
    """The grade and its reasons: checks that passed or failed, and other facts (None)."""

    grade: str
    reasons: list[tuple[bool | None, str]]

    @classmethod
    def of(cls, result: Result, best: Answer, view: View) -> Case:
        """Check the answer against the first trials, earlier estimates and the measurements."""
        proven, settled = _proven(result, best), _settled(best, view.estimates)
        found = (proven, settled, _narrow(result, best), _measured(result, best), _depends(result))
        checks = [reason for reason in found if reason is not None]
        failed = sum(not good for good, _ in checks)
        reasons = [*checks, (None, _scatter(best, scatter(view.optimizer, best.value)))]
        if result.verdict is not None and result.verdict.kept:
            grade = "Keep the baseline"
        elif proven is None or settled is None:
            grade = "Too early to tell"
        elif not proven[0]:
            grade = "Not shown to be better"
        else:
            grade = ("Well supported", "Fairly supported")[failed] if failed < 2 else "Weak"
        return cls(grade, reasons)


def _proven(result: Result, best: Answer) -> tuple[bool, str] | None:
    found = result.verdict
    if found is not None and found.has_baseline:
        return found.better, f"The verdict of the finals: {found.headline}."
    first = start(result)
    if first is None or not best.bounded:
        return None
    side, other = ("above", "below") if result.direction == "maximize" else ("below", "above")
    near, far = best.interval if result.direction == "maximize" else best.interval[::-1]
    typical = f"a typical first try ({figure(first)})"
    if better(result, near, first):
        return True, f"The whole 90% interval is {side} {typical}."
    if better(result, far, first):
        return False, f"The 90% interval holds {typical}: it is not shown to be better."
    return False, f"The whole 90% interval is {other} {typical}, or ends there: it is no better."


def _settled(best: Answer, estimates: Sequence[Estimate]) -> tuple[bool, str] | None:
    late = [e.value for e in estimates[:-1] if e.position >= 2 * estimates[-1].position / 3]
    if estimates[-1].position < FIRST_TRIES or not late or not best.bounded:
        return None
    low, high = best.interval
    when = f"In the last third of the run, checked {count(len(late), 'time', 'times')},"
    if all(low <= value <= high for value in late):
        return True, f"{when} the estimate was always within this interval."
    ends = figure(min(late)), figure(max(late))
    return False, (
        f"{when} the estimate was not always within this interval: "
        f"it went from {ends[0]} to {ends[1]}."
    )


def _narrow(result: Result, best: Answer) -> tuple[bool, str] | None:
    suspects = suspected(result)
    kept = [
        t.value for i, t in enumerate(result.trials) if t.value is not None and i not in suspects
    ]
    if len(kept) <= FIRST_TRIES or not best.bounded:
        return None
    low, high = (2.0 * float(end) for end in np.quantile(np.array(kept) / 2.0, (0.1, 0.9)))
    if not high > low:
        return None
    share = (best.interval[1] / 2 - best.interval[0] / 2) / (high / 2 - low / 2)
    text = (
        f"The interval is {percent(share)} as wide as the range of the measurements "
        f"({figure(low)} to {figure(high)}; suspects and a tenth at either end left out)"
    )
    return (
        share <= _MAX_RELATIVE_WIDTH,
        f"{text}{'' if share <= _MAX_RELATIVE_WIDTH else ': still wide'}.",
    )


def _measured(result: Result, best: Answer) -> tuple[bool, str]:
    suspects = suspected(result)
    wrong = sum(result.trials[i].params == best.params for i in suspects)
    own = best.measured - wrong
    times = {0: "not", 1: "once", 2: "twice"}.get(own, f"{own} times")
    also = f", and {count(wrong, 'time', 'times')} with a result that is a suspect" * (wrong > 0)
    text = f"This very configuration was {f'measured {times}' if own else 'not measured'}{also}"
    if own >= _MIN_MEASUREMENTS:
        return True, f"{text}."
    return False, f"{text}: measure it {_MIN_MEASUREMENTS} times or more before you rely on it."


def _depends(result: Result) -> tuple[bool, str] | None:
    without = result.without_suspects
    if without is None:
        return None
    text = str(without)
    return without.inside, f"{text[:1].upper()}{text[1:]}."


def _scatter(best: Answer, noise: float) -> str:
    share = f", {percent(noise / best.value)} of the estimate" if best.value else ""
    return (
        f"An ordinary measurement, not a suspect, scatters by {figure(noise)}{share} "
        "(standard deviation)."
    )
