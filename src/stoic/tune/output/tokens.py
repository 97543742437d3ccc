"""Find numbers in the output of programs, apart from words that only contain digits."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from stoic.numbers import MINUS_SIGNS, parse
from stoic.tune.output.captured import excerpt

__all__ = ["NoValue", "Quantity", "last", "matched"]

_UNITS = frozenset([
    "ns", "us", "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes",
    "m", "h", "hr", "hrs", "hour", "hours", "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB",
    "TiB", "bit", "kbit", "Mbit", "Gbit", "kb", "Mb", "Gb", "bps", "kbps", "Mbps", "Gbps", "Hz",
    "kHz", "MHz", "GHz", "rps", "qps", "tps", "fps", "ops", "op", "req", "it", "iter", "W", "mW",
    "kW", "J", "mJ", "kJ", "V", "mV", "A", "mA", "dB", "%", "x",
])  # fmt: skip
_SAME = {
    "us": "\u00b5s", "\u03bcs": "\u00b5s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "mins": "min", "minute": "min", "minutes": "min", "hr": "h", "hrs": "h", "hour": "h",
    "hours": "h",
}  # fmt: skip
_SPACES = "\u00a0\u2007\u2009\u202f"  # separate thousands in some outputs: 1 234
_DELIMITER = re.compile(rf"[=:,;|()\[\]{{}}\"'`*\u2192{_SPACES}]")
# Between two digits a delimiter may be part of a number, a time or a list: no split there.
_SEPARATOR = re.compile(rf"[^\S{_SPACES}]+|(?<!\d){_DELIMITER.pattern}|{_DELIMITER.pattern}(?!\d)")
_NO_WORD = re.compile(r"\S+://\S*|</?[A-Za-z][^<>]*>|[-=]+>")  # URLs, tags, arrows
_SIGN = f"[+{re.escape(MINUS_SIGNS)}]"
_QUANTITY = re.compile(
    rf"({_SIGN}?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf(?:inity)?))(.*)",
    re.IGNORECASE,
)
_PLUS_MINUS = ("±", "+/-", "+-", "+\u2212")
_HAS_DIGIT = re.compile(r"\d")
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015"  # not minus signs, but often used as such
_CUT_BEFORE = re.compile(rf"(?:[0-9]\.?|(?<![\w.])\.|(?<![^\W_])(?:{_SIGN}|[{_DASHES}]))$")
_CUT_AFTER = re.compile(r"\.?[0-9]|[eE][+-]?[0-9]|_[0-9]")
_SENTENCE_ENDS = ".!?\u2026"
_MAX_LINE_CHARACTERS = 200  # of a line that is shown
_NOTHING = (
    "nothing was printed; print the value, or measure the program itself with --measure wall, "
    "cpu or rss"
)


class NoValue(Exception):
    """The output holds no usable number; the message has the reason."""


class Quantity(NamedTuple):
    """A number as a program printed it, its unit where that is known, and its line."""

    text: str
    unit: str
    line: str
    others: bool = False  # whether the output holds further numbers

    @property
    def value(self) -> float:
        """The number; may be infinite or NaN."""
        found = parse(self.text)
        return math.nan if found is None else float(found)


def last(output: str) -> Quantity:
    """The last number of an output, or `NoValue` where a later word only contains one.

    >>> last("warm-up 3 s, p99: 12.3ms")[:2], last("[-5.5]")[:2]
    (('12.3', 'ms'), ('-5.5', ''))
    """
    lines = output.splitlines()
    named = ""  # the last line whose digits are all in names, such as host42
    for at in reversed(range(len(lines))):
        words = _words(lines[at])
        for i in reversed(range(len(words))):
            found = _quantity(words[i])
            if found is not None:
                _check_no_error_bar(words[:i], lines[at])
                after = words[i + 1] if i + 1 < len(words) else ""
                unit = found[1] or (after if _is_unit(after) else "")
                others = any(map(_quantity, words[:i])) or any(map(_holds_number, lines[:at]))
                return Quantity(found[0], _SAME.get(unit, unit), lines[at], others)
            if _contains_number(words[i]):
                raise _refused(words[i], lines[at])
        named = named or (lines[at] if _HAS_DIGIT.search(lines[at]) else "")
    if named:
        raise NoValue(
            f"no number stands alone; the last line with a digit is {_shown(named)}; "
            "name the value with --metric or --json"
        )
    raise NoValue("no number in the output" if output.strip() else _NOTHING)


def matched(line: str, group: tuple[int, int], whole: tuple[int, int]) -> Quantity:
    """The number in a group of a match, at these positions of a line, or `NoValue`.

    A pattern may match anything around its group, but the group must hold a whole number with its
    sign.

    >>> matched("p99=8.5ms", (4, 7), (0, 7))[:2]
    ('8.5', 'ms')
    """
    start, end = group
    words = _words(line[start:end])
    found = _quantity(words[0]) if words else None
    if found is None or len(words) > 2 or (len(words) == 2 and not _is_unit(words[1])):
        raise _refused(line[start:end].strip(), line)
    before, after = line[:start], line[end:]
    cut = bool(_CUT_BEFORE.search(before) or _CUT_AFTER.match(after))
    if whole[0] == start:
        cut = cut or _contains_number(_words(f"{before}0")[-1][:-1])
    rest = _SEPARATOR.split(f"0{after}", maxsplit=1)[0][1:].rstrip(_SENTENCE_ENDS)
    if cut or (whole[1] == end and rest and not _is_unit(rest)):
        raise NoValue(
            f"{_shown(found[0])} is only a part of a number or word; let the group hold the whole "
            f"number with its sign; the line is {_shown(line, line[start:end])}"
        )
    unit = found[1] or "".join(words[1:]) or (rest if _is_unit(rest) else "")
    return Quantity(found[0], _SAME.get(unit, unit), line)


def _words(line: str) -> list[str]:
    """The words of a line without delimiters and the end of a sentence."""
    words = []
    for word in _SEPARATOR.split(_NO_WORD.sub(" ", line)):
        while (delimiter := _DELIMITER.search(word)) and not _contains_number(word):
            words.append(word[: delimiter.start()])  # a name, as in p99=12.5
            word = word[delimiter.end() :]
        words.append(word)
    return [stripped for word in words if (stripped := word.rstrip(_SENTENCE_ENDS))]


def _quantity(word: str) -> tuple[str, str] | None:
    """Number and unit where the whole word is a number, or one with a known unit."""
    found = _QUANTITY.fullmatch(word)
    if found is None:
        return None
    text, unit = found.groups()
    if unit and not (_is_unit(unit) and _HAS_DIGIT.search(text)):
        return None
    return text, unit


def _is_unit(word: str) -> bool:
    """Whether a word is a known unit, or a quotient of known units: MB/s, /s."""
    word = word.replace("\u00b5", "u").replace("\u03bc", "u")
    above, slash, below = word.partition("/")
    return (above in _UNITS or (bool(slash) and not above)) and (not slash or below.isalpha())


def _contains_number(word: str) -> bool:
    """Whether a word that is not a number contains one; names such as host42 or /tmp/3 do not."""
    first = next((c for c in word if c.isalnum()), "")
    return bool(first) and not first.isalpha()


def _holds_number(line: str) -> bool:
    return bool(_HAS_DIGIT.search(line)) and any(_quantity(word) for word in _words(line))


def _check_no_error_bar(before: list[str], line: str) -> None:
    if before and before[-1] in _PLUS_MINUS:
        raise NoValue(
            f"the last number is an uncertainty, in the line {_shown(line)}; "
            "name the value with --metric or --json"
        )


def _refused(word: str, line: str) -> NoValue:
    if not word:
        return NoValue(f"an empty text is not a number, in the line {_shown(line)}")
    if re.search(r"[0-9],[0-9]", word):
        why = "may be one number or several; print it without commas"
    elif re.search(r"[0-9]_[0-9]", word):
        why = "may be a number or a name; print it without underscores"
    elif word[0] in _DASHES:
        why = "begins with a dash that is not a minus sign; print - or \u2212"
    else:
        why = "is not a whole number, nor one with a known unit; print it alone, or use --metric"
    return NoValue(f"{_shown(word)} {why}; the line is {_shown(line, word)}")


def _shown(text: str, word: str = "") -> str:
    """A line in quotes, shortened to the part about a word."""
    start = max(text.find(word) + len(word) - _MAX_LINE_CHARACTERS, 0) if word else 0
    return f"'{excerpt(text[start:], _MAX_LINE_CHARACTERS)}'"
