"""Read one number from a program's output, or report why there is none."""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from typing import Any

from stoic.errors import InvalidInput
from stoic.printable import visible
from stoic.tune.captured import excerpt, plain_text
from stoic.tune.tokens import NoValue, Quantity, last, matched

__all__ = [
    "JsonMetric",
    "LastNumber",
    "Metric",
    "NoValue",
    "NotFinite",
    "RegexMetric",
    "finite",
    "metric_of",
]


class NotFinite(NoValue):
    """The value is NaN or infinite, so the run failed."""


class Metric(ABC):
    """Finds the value in the standard output of a program."""

    name: str = "value"
    """The name of what is measured, if the metric has one."""

    def read(self, output: str) -> float:
        """The value, or `NoValue`."""
        return finite(self.find(output))

    @abstractmethod
    def find(self, output: str) -> Quantity:
        """The value as it was printed, or `NoValue`."""

    @abstractmethod
    def __str__(self) -> str: ...


class LastNumber(Metric):
    """The last number printed; a known unit may follow without a space.

    >>> LastNumber().read("warm-up 3 s, p99: 12.3ms")
    12.3
    """

    def find(self, output: str) -> Quantity:
        return last(plain_text(output))

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
                f"expected --metric to be a regular expression, got '{visible(pattern)}' "
                f"({error}); correct it"
            ) from error
        named = list(self._pattern.groupindex)
        self._group: int | str = named[0] if named else min(1, self._pattern.groups)
        self.name = named[0] if named else "value"

    def find(self, output: str) -> Quantity:
        text = plain_text(output)
        found = None
        for each in self._pattern.finditer(text):
            found = each if found is None or each.group(self._group) else found
        if found is None:
            raise NoValue(f"{self} matches nothing in the output")
        if not found.group(self._group):
            raise NoValue(f"{self} matches, but its group holds nothing")
        start, end = found.span(self._group)
        begin, stop = text.rfind("\n", 0, start) + 1, (text + "\n").find("\n", end)
        whole = (found.start() - begin, found.end() - begin)
        return matched(text[begin:stop], (start - begin, end - begin), whole)

    def __str__(self) -> str:
        return f"--metric {visible(self._pattern.pattern)}"


class JsonMetric(Metric):
    r"""The value at a dotted path of JSON: of the whole output, or of the last line with an object.

    >>> JsonMetric("latency.p99").read('ready\n{"latency": {"p99": 8.5}}\ndone')
    8.5
    """

    def __init__(self, path: str) -> None:
        self._path = path.split(".")
        if not all(self._path):
            raise InvalidInput(f"expected --json as KEY or OUTER.INNER, got {path!r}")
        self.name = self._path[-1]

    def find(self, output: str) -> Quantity:
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
            shown = excerpt(str(value), 40)
            raise NoValue(f"{'.'.join(self._path)} is '{shown}', not a number")
        return Quantity(repr(value), "", "")

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


def finite(found: Quantity) -> float:
    """The value of what was found, or `NotFinite`."""
    if not math.isfinite(found.value):
        raise NotFinite(f"the value is {excerpt(found.text, 40)}, not a finite number")
    return found.value
