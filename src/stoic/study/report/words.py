"""What a result means, in plain words; nothing here is markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stoic.optimize.answers import Answer, Trial, middle
from stoic.optimize.past import Estimate
from stoic.optimize.result import Result, rounded
from stoic.optimize.views import View, scatter
from stoic.study.report.markup import config, figure, percent, plain

__all__ = ["Case", "better", "between", "change", "clock", "count", "spans", "start", "where"]

_FIRST = 8  # measurements spread over the space before anything was learned
_QUIET = 0.002  # scatter, as a share of the interval's size or the value, not worth a word
_SELECTIVE = 0.6  # a range that holds more of all trials says nothing about failures


@dataclass(frozen=True)
class Case:
    """How sure the answer is, and why: reasons for it, against it, and neither (None)."""

    verdict: str
    reasons: list[tuple[bool | None, str]]

    @classmethod
    def of(cls, result: Result, best: Answer, view: View) -> Case:
        """Judge the answer by the start, the course of the run and the measurements."""
        proven, settled = _proven(result, best), _settled(best, view.estimates)
        known = [reason for reason in (proven, settled, _measured(best)) if reason is not None]
        doubts = sum(not good for good, _ in known)
        reasons = [*known, (None, _scatter(best, scatter(view.optimizer)))]
        if proven is None or settled is None:
            verdict = "Too early to tell"
        else:
            verdict = ("Well supported", "Fairly supported")[doubts] if doubts < 2 else "Weak"
            verdict = "Not proven yet" if not proven[0] else verdict
        return cls(verdict, reasons)


def start(result: Result) -> float | None:
    """A typical first try: the median of the first measurements; None where there are no more."""
    values = [t.value for t in result.trials if t.value is not None]
    return middle(values[:_FIRST]) if len(values) > _FIRST else None


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
    low, high = best.interval
    value, a, b = (rounded(v, high - low) for v in (best.value, low, high))
    return value, a, b


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
    if first is None:
        return None
    if not best.bounded:
        return False, "There are too few different values for an interval: nothing is proven yet."
    end = best.interval[0] if result.direction == "maximize" else best.interval[1]
    side = "above" if result.direction == "maximize" else "below"
    if better(result, end, first):
        return True, (
            f"The whole 90% interval lies {side} a typical first try ({figure(first)}): "
            "the improvement is real."
        )
    return False, (
        f"The 90% interval does not lie {side} a typical first try ({figure(first)}): "
        "an improvement is not proven."
    )


def _settled(best: Answer, estimates: Sequence[Estimate]) -> tuple[bool, str] | None:
    late = [e.value for e in estimates[:-1] if e.position >= 2 * estimates[-1].position / 3]
    if estimates[-1].position < _FIRST or not late or not best.bounded:
        return None
    low, high = best.interval
    if all(low <= value <= high for value in late):
        return True, "In the last third of the run the estimate stayed within this interval."
    ends = figure(min(late)), figure(max(late))
    return False, (
        f"In the last third of the run the estimate still moved, between {ends[0]} and {ends[1]}: "
        "more evaluations would help."
    )


def _measured(best: Answer) -> tuple[bool, str]:
    if not best.measured:
        return False, (
            "This very configuration was not measured: it is inferred from similar ones. "
            "Measure it a few times before relying on it."
        )
    times = {1: "once", 2: "twice"}.get(best.measured, f"{best.measured} times")
    return True, (
        f"This very configuration was measured {times}; measurements of similar ones add to that."
    )


def _scatter(best: Answer, noise: float) -> str:
    if not best.bounded:
        return "How far single measurements are off is not known yet."
    if noise <= _QUIET * max(abs(best.value), best.interval[1] - best.interval[0]):
        return "Measurements hardly scatter, so that single ones can be trusted here."
    share = f", {percent(noise / best.value)} of the estimate" if best.value else ""
    return (
        f"A single measurement is typically off by {figure(noise)}{share}; "
        "the estimate weighs many of them together."
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
        return "all over the space"
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
