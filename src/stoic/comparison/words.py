"""A change and its interval in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from stoic.numbers import rounded

__all__ = ["Change", "Said", "change_in_words", "interval_in_words", "size_in_words"]

_TIMES = 1.0  # a relative change from which on it is said as a factor: 100 % more is "2 times"
_LOPSIDED = 0.25  # of half an interval: a side that is narrower sets the digits
_MIN_HALF_WIDTH = 1e-3  # of a value, for its digits


class Change(Protocol):
    """A change of a value, with an interval."""

    @property
    def change(self) -> float:
        """Relative (−0.12: 12 % lower) if ``relative``, else in units of the value."""

    @property
    def interval(self) -> tuple[float, float]:
        """Of the change; infinite ends are unknown."""

    @property
    def relative(self) -> bool:
        """Whether the change is a share of the value."""


@dataclass(frozen=True)
class Said:
    """A change as it is said."""

    change: float
    interval: tuple[float, float]
    relative: bool


def change_in_words(found: Change) -> str:
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
    return (
        f"{size_in_words(found.change, found)} {_side(found.change)}"
        if found.change
        else "no change"
    )


def interval_in_words(found: Change) -> str:
    """The interval of the change; too little is known where it has no end.

    An end that is open is said by the other one:

    >>> for ends in (-math.inf, -0.1), (-0.3, math.inf), (-math.inf, 0.3), (0.1, math.inf):
    ...     print(interval_in_words(Said(0.0, ends, relative=True)))
    10 % lower or more
    at most 30 % lower, or higher
    at most 30 % higher, or lower
    10 % higher or more
    """
    low, high = found.interval
    if math.isinf(low) and math.isinf(high):
        return "still unknown"
    if found.relative and found.change >= _TIMES and math.isfinite(low) and math.isfinite(high):
        return f"{_times(low, found)} to {_times(high, found)} times"
    if math.isinf(low) or math.isinf(high):
        known, side = (high, -1.0) if math.isinf(low) else (low, 1.0)
        text = _one(known, found)
        if known * side > 0.0:
            return f"{text} or more"
        return f"at most {text}, or {_side(side)}" if known else _side(side)
    if low * high >= 0.0 and (low or high):
        near, far = sorted((low, high), key=abs)
        return f"{size_in_words(near, found)} to {size_in_words(far, found)} {_side(far)}"
    return f"{_one(low, found)} to {_one(high, found)}" if low or high else "no change"


def size_in_words(change: float, found: Change, *, exact: bool = False) -> str:
    """The size of a change, without its side, with the digits that the interval allows."""
    factor = 100.0 if found.relative else 1.0
    text = rounded(factor * abs(change)) if exact else _digits(factor * abs(change), found, factor)
    return f"{text} %" if found.relative else text


def _side(change: float) -> str:
    return "lower" if change < 0.0 else "higher"


def _one(change: float, found: Change) -> str:
    return f"{size_in_words(change, found)} {_side(change)}" if change else "no change"


def _times(change: float, found: Change) -> str:
    return _digits(1.0 + change, found)


def _digits(value: float, found: Change, factor: float = 1.0) -> str:
    """A value with the digits that its interval allows, about four at most; three without one."""
    width = _half_width(found)
    if width is None:
        return f"{value:.3g}"
    exact = factor * width < _MIN_HALF_WIDTH * abs(value)
    return f"{value:.4g}" if exact else rounded(value, factor * width)


def _half_width(found: Change) -> float | None:
    """Half of the interval; where one side is far wider, the width of the other one."""
    low, high = found.interval
    half = high / 2.0 - low / 2.0
    nearer = min(found.change - low, high - found.change)
    half = nearer if 0.0 < nearer < _LOPSIDED * half else half
    return half if 0.0 < half < math.inf else None
