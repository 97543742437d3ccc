"""One number out of what a program printed, or the reason why there is none."""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from typing import Any

from stoic.cli.tuning.captured import plain_text
from stoic.errors import InvalidInput

__all__ = ["JsonMetric", "LastNumber", "Metric", "NoValue", "NotFinite", "RegexMetric", "metric_of"]

_NUMBER = re.compile(
    r"(?<![\w.])[+-]?(?:"
    r"[0-9][0-9.]*_[0-9][0-9_.]*(?:[eE][+-]?[0-9]+)?"  # 12_345: refused, it may be a name
    r"|"
    r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]*)?"  # 12,345: refused, it may be two numbers
    r"|(?<!,)[0-9]+(?:\.[0-9]{3})*,[0-9]+(?:[eE][+-]?[0-9]+)?(?![0-9]|[.,][0-9])"  # 12,5: the same
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|(?:nan|inf(?:inity)?)\b)",
    re.IGNORECASE,
)


class NoValue(Exception):
    """The output holds no usable number; the message says why, in words."""


class NotFinite(NoValue):
    """The metric found the value, but the run gave NaN or infinity: it failed."""


class Metric(ABC):
    """How the value is found in what a program printed on its standard output."""

    name: str = "value"
    """What is measured, as far as the metric tells."""

    @abstractmethod
    def read(self, output: str) -> float:
        """The value, or `NoValue`."""

    @abstractmethod
    def __str__(self) -> str: ...


class LastNumber(Metric):
    """The last number printed; a unit may be glued to it.

    >>> LastNumber().read("warm-up 3 s, p99: 12.3ms")
    12.3
    """

    def read(self, output: str) -> float:
        found = None
        for found in _NUMBER.finditer(plain_text(output)):  # noqa: B007 - only the last one counts
            pass
        if found is None:
            raise NoValue("no number in the output" if output.strip() else "nothing was printed")
        return _finite(found.group())

    def __str__(self) -> str:
        return "the last number printed"


class RegexMetric(Metric):
    r"""The first group (or the named one) of the last match of a regular expression.

    >>> RegexMetric(r"p99=(\S+)").read("p50=1.5 p99=7.25 p99=8.5ms")
    8.5
    """

    def __init__(self, pattern: str) -> None:
        try:
            self._pattern = re.compile(pattern, re.MULTILINE)
        except re.error as error:
            raise InvalidInput(
                f"expected --metric to be a regular expression, got {pattern!r} ({error})"
            ) from error
        named = list(self._pattern.groupindex)
        self._group: int | str = named[0] if named else min(1, self._pattern.groups)
        self.name = named[0] if named else "value"

    def read(self, output: str) -> float:
        found = None
        for found in self._pattern.finditer(output):  # noqa: B007 - only the last one counts
            pass
        if found is None:
            raise NoValue(f"{self._pattern.pattern!r} matches nothing in the output")
        text = plain_text(found.group(self._group) or "").strip()
        number = _NUMBER.match(text)
        if number is None:
            raise NoValue(f"{self._pattern.pattern!r} matches {text[:40]!r}, which is no number")
        return _finite(number.group())

    def __str__(self) -> str:
        return f"--metric {self._pattern.pattern}"


class JsonMetric(Metric):
    r"""The value at a dotted path of the output as JSON: the whole, or its last line of an object.

    >>> JsonMetric("latency.p99").read('ready\n{"latency": {"p99": 8.5}}\ndone')
    8.5
    """

    def __init__(self, path: str) -> None:
        self._path = path.split(".")
        if not all(self._path):
            raise InvalidInput(f"expected --json as KEY or OUTER.INNER, got {path!r}")
        self.name = self._path[-1]

    def read(self, output: str) -> float:
        value = _document(output)
        for depth, key in enumerate(self._path):
            if isinstance(value, list) and re.fullmatch(r"-?[0-9]{1,9}", key):
                inside = -len(value) <= int(key) < len(value)
                value = value[int(key)] if inside else None
            else:
                value = value.get(key) if isinstance(value, dict) else None
            if value is None:
                raise NoValue(f"no {'.'.join(self._path[: depth + 1])} in the JSON output")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NoValue(f"{'.'.join(self._path)} is {str(value)[:40]!r}, not a number")
        return _finite(value)

    def __str__(self) -> str:
        return f"--json {'.'.join(self._path)}"


def metric_of(regex: str | None, path: str | None) -> Metric:
    """The metric that was asked for."""
    if regex is not None and path is not None:
        raise InvalidInput("expected --metric or --json, got both; drop one")
    if regex is not None:
        return RegexMetric(regex)
    return LastNumber() if path is None else JsonMetric(path)


def _document(output: str) -> Any:
    """The JSON of the whole output, or of the last line that is an object."""
    texts = [output, *(line for line in reversed(output.splitlines()) if line.strip()[:1] == "{")]
    for text in texts:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            continue
    raise NoValue("no JSON in the output")


def _finite(text: str | float) -> float:
    if isinstance(text, str) and "," in text:
        raise NoValue(f"{text!r} may be one number or several; print it without commas")
    if isinstance(text, str) and "_" in text:
        raise NoValue(f"{text!r} may be a number or a name; print it without underscores")
    try:
        value = float(text)
    except OverflowError:  # an int of JSON that no float can hold
        value = math.inf
    if not math.isfinite(value):
        raise NotFinite(f"the value is {str(text)[:40]}, not a finite number")
    return value
