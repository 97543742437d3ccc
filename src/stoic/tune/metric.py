"""Read the value of a run from its output or its usage, or report why there is none."""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from typing import Any

from stoic.checks import choice
from stoic.errors import InvalidInput
from stoic.printable import visible
from stoic.tune.output.captured import excerpt, plain_text
from stoic.tune.output.tokens import NoValue, Quantity, last, matched
from stoic.tune.program import Ended

__all__ = [
    "MEASURES",
    "JsonMetric",
    "LastNumber",
    "Measured",
    "Metric",
    "NoValue",
    "NotFinite",
    "OneUnit",
    "RegexMetric",
    "finite",
    "metric_of",
    "which_number",
]


MEASURES = {"wall": ("wall time", "s"), "cpu": ("CPU time", "s"), "rss": ("memory", "MiB")}
_MIB = 1024.0 * 1024.0


class NotFinite(NoValue):
    """The value is NaN or infinite, so the run failed."""


class Metric(ABC):
    """The value of a run of a program: by default a number in its standard output."""

    name: str = "value"
    """The name of what is measured, if the metric has one."""
    bounds: tuple[float | None, float | None] = (None, None)
    """The lowest and the highest value that are possible, where they are known."""

    def of(self, ended: Ended) -> Quantity:
        """The value of a run that succeeded, or `NoValue`."""
        return self.find(ended.stdout.text)

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


class Measured(Metric):
    """What the program itself takes: wall time, processor time, or memory; always positive.

    ``wall`` is the time in seconds from the program's start to its end. ``cpu`` is the processor
    time in seconds of all its processes, user and system. ``rss`` is the largest resident memory
    of any one of its processes, in MiB. `stoic.tune.process.usage` says which processes count.
    """

    bounds = (0.0, None)

    def __init__(self, what: str) -> None:
        self.what = choice(what, "--measure", tuple(MEASURES))
        self.name, self.unit = MEASURES[self.what]

    def of(self, ended: Ended) -> Quantity:
        values = {
            "wall": ended.seconds,
            "cpu": ended.usage.cpu_seconds,
            "rss": ended.usage.max_rss_bytes / _MIB,
        }
        return Quantity(repr(values[self.what]), self.unit, "")

    def find(self, output: str) -> Quantity:  # noqa: ARG002 - the output does not matter
        raise NoValue(f"{self} is not in the output")

    def __str__(self) -> str:
        return f"--measure {self.what}"


def metric_of(regex: str | None, path: str | None, measure: str | None = None) -> Metric:
    """The metric that was asked for."""
    given = {"--metric": regex, "--json": path, "--measure": measure}
    named = [option for option, value in given.items() if value is not None]
    if len(named) > 1:
        raise InvalidInput(f"expected {' or '.join(named)}, got both; drop one")
    if measure is not None:
        return Measured(measure)
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


class OneUnit:
    """Checks that all values of a run have the unit of the first one.

    >>> unit = OneUnit()
    >>> unit.value(Quantity("950", "ms", "")), unit.value(Quantity("0", "s", ""))  # 0 s is 0 ms
    (950.0, 0.0)
    """

    def __init__(self, unit: str | None = None) -> None:
        self._unit = unit  # of the first value that is not 0

    @property
    def name(self) -> str:
        """The unit; empty while it is unknown, or where there is none."""
        return self._unit or ""

    @property
    def known(self) -> str | None:
        """The unit, empty where there is none; None while it is unknown."""
        return self._unit

    def value(self, found: Quantity) -> float:
        """The value, or `NoValue` where it is not finite or has another unit."""
        value = finite(found)
        if self._unit is None and value:
            self._unit = found.unit
        if value and found.unit != self._unit:
            raise NoValue(
                f"the value is in {found.unit or 'no unit'}, but the first one of this run was in "
                f"{self._unit or 'none'}; print all values in one unit; the line is "
                f"'{excerpt(found.line, 200)}'"
            )
        return value


def which_number(found: Quantity) -> str:
    """A note on which of several numbers is the value; empty where there is only one."""
    if not found.others:
        return ""
    return (
        f"the output holds several numbers: the last, {found.text}, is the value, from the line "
        f"'{excerpt(found.line, 200)}'; --metric or --json name another"
    )
