"""Read numbers from text, and round numbers for display."""

from __future__ import annotations

import math
import re

__all__ = ["MINUS_SIGNS", "parse", "rounded", "shown", "with_interval"]

MINUS_SIGNS = "-\u2212\ufe63\uff0d"  # hyphen-minus; minus sign; small and full-width hyphen-minus
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|nan|inf(?:inity)?)",
    re.IGNORECASE | re.ASCII,
)
_MAX_INT_CHARACTERS = 300  # so that every integer is also a float; Python refuses very long ones
_SIGNIFICANT_DIGITS = 6  # of a number without an interval
_MAX_DIGITS = 15  # that a float holds for certain


def parse(text: str) -> int | float | None:
    r"""The number that a text is, or None where it is anything else.

    ASCII digits in decimal or scientific notation, ``nan`` and ``inf``; one sign, where U+2212 is a
    minus as well. Unlike Python, this does not read ``1_000`` or the digits of other scripts;
    ``0x1F``, ``1,000`` and ``12ms`` are not numbers either.

    >>> parse("12"), parse("-1.5e3"), parse("\u22125.5"), parse("1.2.3"), parse("1_000")
    (12, -1500.0, -5.5, None, None)
    """
    text = text.strip()
    if text and text[0] in MINUS_SIGNS:
        text = "-" + text[1:]
    if _INTEGER.fullmatch(text) and len(text) <= _MAX_INT_CHARACTERS:
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else None


def rounded(value: float, half_width: float | None = None) -> str:
    """A value rounded to two digits of its interval's half-width, or to six digits in all.

    >>> rounded(41.23367, 1.15), rounded(0.0012345, 5e-6), rounded(12345678.9, 340.0)
    ('41.2', '0.0012345', '12345680')
    >>> rounded(0.46276693071853076), rounded(1e300, 1.0), rounded(1.23456e9, 1.4e7)
    ('0.462767', '1e+300', '1.235e+09')
    """
    if half_width is None or not 0.0 < half_width < math.inf or not math.isfinite(value):
        return f"{value:.{_SIGNIFICANT_DIGITS}g}"
    decimals = 1 - math.floor(math.log10(half_width))
    exponent = math.floor(math.log10(max(abs(value), half_width)))
    if exponent + decimals >= _MAX_DIGITS:
        return f"{value:.{_MAX_DIGITS}g}"
    if not -5 <= exponent < (7 if decimals < -1 else _MAX_DIGITS):
        return f"{value:.{max(exponent + decimals, 1)}e}"
    return f"{round(value, decimals) + 0.0:.{max(decimals, 0)}f}"  # + 0.0: no minus before zero


def with_interval(value: float, interval: tuple[float, float]) -> tuple[str, str, str]:
    """A value and the two ends of its interval, all with the same digits.

    >>> with_interval(12.4117, (11.93, 13.02))
    ('12.41', '11.93', '13.02')
    """
    low, high = interval
    half_width = high / 2 - low / 2  # each halved first: the difference may be too large
    value_, low_, high_ = (rounded(each, half_width) for each in (value, low, high))
    return value_, low_, high_


def shown(value: object) -> str:
    """A parameter's value for display: floats rounded, anything else as it is.

    >>> shown(0.0123456789), shown(8), shown("zgc"), shown(True)
    ('0.0123457', '8', 'zgc', 'True')
    """
    return rounded(value) if isinstance(value, float) else str(value)
