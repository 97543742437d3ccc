"""What a result means, in plain words; nothing here is markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stoic.numbers import with_interval
from stoic.optimize.answers import Answer, Trial, middle
from stoic.report.markup import config, figure, percent, plain
from stoic.report.replay import Estimate
from stoic.report.result import Result
from stoic.report.views import View, scatter, suspected

__all__ = [
    "DEFINITIONS",
    "Case",
    "better",
    "between",
    "change",
    "clock",
    "count",
    "spans",
    "start",
    "where",
]

_FIRST = 8  # measurements spread over the space before anything was learned
_OWN = 3  # measurements of the answer itself, suspects apart: the fewest that outvote one
_NARROW = 0.5  # of the range of the measurements: the widest interval that says where in it
_SELECTIVE = 0.6  # a range that holds more of all trials says nothing about failures

DEFINITIONS = {
    "Well supported": "all checks passed. The checks: the whole 90% interval is better than a "
    "typical first try; the estimates of the last third of the run are within it; it is at most "
    "half as wide as the range of the measurements; the configuration was measured "
    f"{_OWN} times or more, suspects apart; and without the suspects, if there are any, the "
    "estimate would still be within it",
    "Fairly supported": "one check failed, but not the first",
    "Weak": "more checks failed, but not the first",
    "Not shown to be better": "the first check failed",
    "Too early to tell": "there are too few measurements for the first two checks",
}


@dataclass(frozen=True)
class Case:
    """How sure the answer is, and why: checks that passed or failed, and plain facts (None)."""

    verdict: str
    reasons: list[tuple[bool | None, str]]

    @classmethod
    def of(cls, result: Result, best: Answer, view: View) -> Case:
        """Check the answer by the start, the course of the run and the measurements."""
        proven, settled = _proven(result, best), _settled(best, view.estimates)
        found = (proven, settled, _narrow(result, best), _measured(result, best), _depends(result))
        checks = [reason for reason in found if reason is not None]
        failed = sum(not good for good, _ in checks)
        reasons = [*checks, (None, _scatter(best, scatter(view.optimizer, best.value)))]
        if proven is None or settled is None:
            verdict = "Too early to tell"
        elif not proven[0]:
            verdict = "Not shown to be better"
        else:
            verdict = ("Well supported", "Fairly supported")[failed] if failed < 2 else "Weak"
        return cls(verdict, reasons)


def start(result: Result) -> float | None:
    """A typical first try: the median of the first measurements, one of each configuration.

    None until there are more than eight measurements.
    """
    values = [t.value for t in result.trials if t.value is not None]
    if len(values) <= _FIRST:
        return None
    firsts: dict[str, float] = {}
    for trial in result.trials:
        if trial.value is not None:
            firsts.setdefault(repr(sorted(trial.params.items())), trial.value)
    return middle(list(firsts.values())[:_FIRST])


def better(result: Result, a: float, b: float) -> bool:
    """Whether value a is better than b."""
    return a > b if result.direction == "maximize" else a < b


def change(new: float, old: float) -> str:
    """How much lower or higher, as a share where that makes sense.

    >>> change(69.0, 100.0), change(5.0, 1.0), change(-1.0, 2.0), change(2.0, 2.0)
    ('31% lower', '5 times as high', '3 lower', 'the same')
    """
    if new == old:
        return "the same"
    way = "lower" if new < old else "higher"
    if not (old > 0.0 and new > 0.0) and not (old < 0.0 and new < 0.0):
        return f"{figure(abs(new / 2 - old / 2) * 2)} {way}"
    ratio = new / old
    if ratio > 3.0 and old > 0.0:
        return f"{figure(ratio)} times as high"
    return f"{percent(new / old - 1.0)} {way}"


def between(ends: tuple[float, float], old: float) -> str:
    """The changes to both ends of an interval, the smaller first.

    >>> between((60.0, 69.0), 100.0), between((90.0, 120.0), 100.0), between((-1.0, 10.0), 100.0)
    ('31% to 40%', '10% lower to 20% higher', 'at least 90% lower')
    """
    if ends[0] > old or ends[1] < old:
        low, high = sorted(ends, key=lambda end: abs(end / 2 - old / 2))
        near, far = change(low, old), change(high, old)
        if near.split()[1:] == far.split()[1:] and ("%" in near) is ("%" in far):
            return f"{near.split()[0]} to {far.split()[0]}"
        return f"at least {near}"
    return f"{change(ends[0], old)} to {change(ends[1], old)}"


def spans(best: Answer) -> tuple[str, str, str]:
    """Value, lower and upper end of the answer, with the digits that the interval deserves."""
    return with_interval(best.value, best.interval)


def count(n: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{n:,} {one if n == 1 else many}"


def clock(seconds: float) -> str:
    """A span of time.

    >>> clock(0.4), clock(75), clock(3 * 3600 + 125)
    ('0.4 s', '1 min 15 s', '3 h 2 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"


# -- reasons --------------------------------------------------------------------------------------


def _proven(result: Result, best: Answer) -> tuple[bool, str] | None:
    first = start(result)
    if first is None or not best.bounded:
        return None
    side, other = ("above", "below") if result.direction == "maximize" else ("below", "above")
    near, far = best.interval if result.direction == "maximize" else best.interval[::-1]
    typical = f"a typical first try ({figure(first)})"
    if better(result, near, first):
        return True, f"The whole 90% interval lies {side} {typical}."
    if better(result, far, first):
        return False, f"The 90% interval holds {typical}: it is not shown to be better."
    return False, f"The whole 90% interval lies {other} {typical}, or ends there: it is no better."


def _settled(best: Answer, estimates: Sequence[Estimate]) -> tuple[bool, str] | None:
    late = [e.value for e in estimates[:-1] if e.position >= 2 * estimates[-1].position / 3]
    if estimates[-1].position < _FIRST or not late or not best.bounded:
        return None
    low, high = best.interval
    when = f"In the last third of the run, looked at {count(len(late), 'time', 'times')},"
    if all(low <= value <= high for value in late):
        return True, f"{when} the estimate was always within this interval."
    ends = figure(min(late)), figure(max(late))
    return False, (
        f"{when} the estimate was not always within this interval: "
        f"it went from {ends[0]} to {ends[1]}."
    )


def _narrow(result: Result, best: Answer) -> tuple[bool, str] | None:
    doubted = suspected(result)
    kept = [
        t.value for i, t in enumerate(result.trials) if t.value is not None and i not in doubted
    ]
    if len(kept) <= _FIRST or not best.bounded:
        return None
    low, high = (2.0 * float(end) for end in np.quantile(np.array(kept) / 2.0, (0.1, 0.9)))
    if not high > low:
        return None
    share = (best.interval[1] / 2 - best.interval[0] / 2) / (high / 2 - low / 2)
    text = (
        f"The interval is {percent(share)} as wide as the range of the measurements "
        f"({figure(low)} to {figure(high)}; suspects and a tenth at either end left out)"
    )
    return share <= _NARROW, f"{text}{'' if share <= _NARROW else ': still wide'}."


def _measured(result: Result, best: Answer) -> tuple[bool, str]:
    doubted = suspected(result)
    wrong = sum(result.trials[i].params == best.params for i in doubted)
    own = best.measured - wrong
    times = {0: "not", 1: "once", 2: "twice"}.get(own, f"{own} times")
    also = f", and {count(wrong, 'time', 'times')} with a result that is a suspect" * (wrong > 0)
    text = f"This very configuration was {f'measured {times}' if own else 'not measured'}{also}"
    if own >= _OWN:
        return True, f"{text}."
    return False, f"{text}: measure it {_OWN} times or more before you rely on it."


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


# -- failures -------------------------------------------------------------------------------------


def where(result: Result, failed: Sequence[Trial]) -> str:
    """Where in the space evaluations failed, if in a part of it."""
    if len(failed) < 3:
        return " and ".join(f"at {config(trial.params)}" for trial in failed)
    found = []
    for name in result.space.parameters:
        if all(name in trial.params for trial in failed):
            values = [trial.params[name] for trial in failed]
            found.append(_range(name, values, result.trials))
    found = sorted(
        (f for f in found if f[0] <= _SELECTIVE * len(result.trials)), key=lambda f: f[0]
    )
    if not found:
        return "in no smaller range of a parameter"
    inside, text, members = found[0]
    also = f"; {found[1][1]}" if len(found) > 1 else ""
    lost = sum(trial.failed for trial in members)
    return f"{text}, where {lost} of {inside} evaluations failed{also}"


def _range(
    name: str, values: Sequence[object], trials: Sequence[Trial]
) -> tuple[int, str, list[Trial]]:
    """How many trials share the values' range, the range in words, and those trials."""
    label = plain(name, 30)
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        low, high = min(values), max(values)  # type: ignore[type-var]
        inside = [t for t in trials if name in t.params and low <= t.params[name] <= high]
        ends = (f"{v:.4g}" if isinstance(v, float) else str(v) for v in (low, high))
        return len(inside), f"{label} from {' to '.join(ends)}", inside
    kinds = {str(v) for v in values}
    inside = [t for t in trials if name in t.params and str(t.params[name]) in kinds]
    return len(inside), f"{label} = {' or '.join(plain(k, 20) for k in sorted(kinds))}", inside
