"""The outcome of a comparison in words."""

from __future__ import annotations

import math

from stoic.comparison import Comparison
from stoic.numbers import rounded

__all__ = ["change_in_words", "interval_in_words", "verdict_of"]

_TIMES = 1.0  # a relative change from which on it is said as a factor: 100 % more is "2 times"
_MIN_HALF_WIDTH = 1e-3  # of a value, for its digits


def change_in_words(found: Comparison) -> str:
    """The typical change.

    >>> from stoic.comparison import compare
    >>> found = compare([10.0] * 9, [8.0] * 9, direction="minimize")
    >>> change_in_words(found), interval_in_words(found)
    ('20 % lower', '20 % to 20 % lower')
    """
    if not math.isfinite(found.change):
        return "unknown"
    if found.relative and found.change >= _TIMES:
        return f"{_times(found.change, found)} times as high"
    return f"{_size(found.change, found)} {_side(found.change)}" if found.change else "no change"


def interval_in_words(found: Comparison) -> str:
    """The interval of the change; too little is known where it has no end."""
    low, high = found.interval
    if math.isinf(low) and math.isinf(high):
        return "still unknown"
    if found.relative and found.change >= _TIMES and math.isfinite(low) and math.isfinite(high):
        return f"{_times(low, found)} to {_times(high, found)} times"
    if math.isinf(low):
        return f"at most {_one(high, found)}"
    if math.isinf(high):
        return f"at least {_one(low, found)}"
    if low * high >= 0.0 and (low or high):
        near, far = sorted((low, high), key=abs)
        return f"{_size(near, found)} to {_size(far, found)} {_side(far)}"
    return f"{_one(low, found)} to {_one(high, found)}" if low or high else "no change"


def verdict_of(name: str, baseline: str, found: Comparison, objective: str) -> str:
    """The decision about a challenger as one sentence."""
    change, level = change_in_words(found), f"{100.0 * found.confidence:g} %"
    details = f"{objective} {change} ({level} interval: {interval_in_words(found)})"
    margin = _size(found.margin, found, exact=True)
    if found.decision == "equal":
        return f"{name} equals {baseline} within {margin}: {details}"
    if found.decision in ("better", "worse"):
        low, high = found.interval
        small = found.decision == "better" and max(abs(low), abs(high)) < found.margin
        note = f", by less than the margin of {margin}" if small else ""
        return f"{name} is {found.decision} than {baseline}{note}: {details}"
    if not found.blocks:
        return f"{name} against {baseline} is undecided: no block was finished"
    return f"{name} against {baseline} is undecided: {details}"


def _side(change: float) -> str:
    return "lower" if change < 0.0 else "higher"


def _one(change: float, found: Comparison) -> str:
    return f"{_size(change, found)} {_side(change)}" if change else "no change"


def _size(change: float, found: Comparison, *, exact: bool = False) -> str:
    factor = 100.0 if found.relative else 1.0
    text = rounded(factor * abs(change)) if exact else _digits(factor * abs(change), found, factor)
    return f"{text} %" if found.relative else text


def _times(change: float, found: Comparison) -> str:
    return _digits(1.0 + change, found)


def _digits(value: float, found: Comparison, factor: float = 1.0) -> str:
    """A value with the digits that its interval allows, about four at most; three without one."""
    width = _half_width(found)
    if width is None:
        return f"{value:.3g}"
    exact = factor * width < _MIN_HALF_WIDTH * abs(value)
    return f"{value:.4g}" if exact else rounded(value, factor * width)


def _half_width(found: Comparison) -> float | None:
    low, high = found.interval
    half = high / 2.0 - low / 2.0
    return half if 0.0 < half < math.inf else None
