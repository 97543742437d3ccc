"""Changes, intervals, counts and times of a result as text without markup."""

from __future__ import annotations

from stoic.numbers import with_interval
from stoic.optimize.answers import Answer, middle
from stoic.report.html.markup import figure, percent
from stoic.report.result import Result

__all__ = ["FIRST_TRIES", "better", "between", "change", "clock", "count", "spans", "start"]

FIRST_TRIES = 8  # first configurations, spread over the space before anything was learned


def start(result: Result) -> float | None:
    """A typical first try: the median of the first measurements, one of each configuration.

    None until there are more than eight measurements.
    """
    values = [t.value for t in result.trials if t.value is not None]
    if len(values) <= FIRST_TRIES:
        return None
    firsts: dict[str, float] = {}
    for trial in result.trials:
        if trial.value is not None:
            firsts.setdefault(repr(sorted(trial.params.items())), trial.value)
    return middle(list(firsts.values())[:FIRST_TRIES])


def better(result: Result, a: float, b: float) -> bool:
    """Whether value a is better than b."""
    return a > b if result.direction == "maximize" else a < b


def change(new: float, old: float) -> str:
    """How much lower or higher, as a percentage where possible.

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
    """Value, lower and upper end of the answer, with digits that fit the interval's width."""
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
