"""Measure one trial: run the program as often as asked, read its values, keep its output."""

from __future__ import annotations

import hashlib
import shlex
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoic.files import make_folder, write
from stoic.redaction import masked
from stoic.tune.captured import excerpt
from stoic.tune.metric import Metric, NotFinite, NoValue, finite
from stoic.tune.program import Ended, Program
from stoic.tune.template import Template

__all__ = ["Measured", "Measuring", "seed_of"]

_KEPT = 32 * 1024  # characters of each stream in a trial's log


@dataclass(frozen=True)
class Measured:
    """What a trial gave: values, or a reason in words; or neither, where it was stopped."""

    values: tuple[float, ...]
    reason: str | None
    seconds: float
    stopped: bool = False
    startable: bool = True
    unreadable: bool = False  # the program was content, but the metric finds none
    taken: str = ""  # what was taken of several numbers, and from which line; said once in a run


class Measuring:
    """Runs trials; safe to call from several threads."""

    def __init__(
        self,
        program: Program,
        template: Template,
        metric: Metric,
        folder: Path,
        seed: int,
        mode: int = 0o600,
    ) -> None:
        self._program, self._template, self._metric = program, template, metric
        self._folder, self._seed, self._mode = folder, seed, mode
        self._lock = threading.Lock()
        self._unit: str | None = None  # of the first value of this run
        self._taken = ""

    def stop(self) -> None:
        """End what runs."""
        self._program.stop()

    def measure(self, number: int, params: Mapping[str, Any], runs: int) -> Measured:
        """``runs`` measurements of a configuration; it has failed where most of them failed."""
        values: list[float] = []
        troubles: list[tuple[str, bool]] = []
        log: list[str] = []
        seconds = 0.0
        for measurement in range(runs):
            ended = self._run(number, params, measurement, log)
            if ended.stopped or not ended.started:
                return Measured((), ended.trouble, seconds, ended.stopped, ended.started)
            seconds += ended.seconds
            value, reason, unreadable = self._read(ended)
            log.append(f"value: {value!r}" if value is not None else f"failed: {reason}")
            log.append(f"--- stdout\n{_ends(ended.stdout.shown)}")
            log.append(f"--- stderr\n{_ends(ended.stderr.shown)}\n")
            if value is not None:
                values.append(value)
            else:
                troubles.append((reason, unreadable))
        self._keep(number, "\n".join(log))
        if len(values) > len(troubles):
            return Measured(tuple(values), None, seconds, taken=self._taken)
        reason, unreadable = troubles[-1]
        return Measured((), reason, seconds, unreadable=unreadable)

    def _run(
        self, number: int, params: Mapping[str, Any], measurement: int, log: list[str]
    ) -> Ended:
        seed = seed_of(self._seed, number, measurement)
        arguments = self._template.fill(params, trial=number, seed=seed)
        log.append(f"trial {number}, run {measurement}, {time.strftime('%Y-%m-%d %H:%M:%S')}")
        shown = self._template.public.fill(params, trial=number, seed=seed)
        log.append(f"$ {shlex.join(shown)}")
        environment = self._template.environment(params, trial=number, seed=seed)
        return self._program.run(arguments, environment)

    def _read(self, ended: Ended) -> tuple[float | None, str, bool]:
        """The value, or why there is none, and whether that may be the metric's fault."""
        if ended.trouble is not None:
            return None, ended.trouble, False
        try:
            return self._value(ended.stdout.text), "", False
        except NoValue as error:
            return None, self._said(error, ended), not isinstance(error, NotFinite)

    def _said(self, error: NoValue, ended: Ended) -> str:
        """Why there is no value; where that quotes the output, then without its secrets."""
        try:
            self._metric.read(ended.stdout.shown)
        except NoValue as hidden:
            return str(hidden)
        return masked(str(error), self._template.secrets)

    def _value(self, output: str) -> float:
        """The value of an output; the same number in another unit is another value."""
        found = self._metric.find(output)
        value = finite(found)
        with self._lock:
            if self._unit is None and value:  # 0 s is 0 ms
                self._unit = found.unit
            if value and found.unit != self._unit:
                raise NoValue(
                    f"the value is in {found.unit or 'no unit'}, but the first one of this run was "
                    f"in {self._unit or 'none'}; print all values in one unit; the line is "
                    f"'{excerpt(found.line, 200)}'"
                )
            if found.others and not self._taken:
                self._taken = (
                    f"the output holds several numbers: the last, {found.text}, is the value, from "
                    f"the line '{excerpt(found.line, 200)}'; --metric or --json name another"
                )
        return value

    def _keep(self, number: int, text: str) -> None:
        """A trial's log is a comfort: where it can't be written, the trial counts all the same."""
        with suppress(OSError):
            make_folder(self._folder, 0o700)
            path = self._folder / f"{number:04}.txt"
            write(path, text, mode=self._mode, durable=False)


def seed_of(seed: int, trial: int, measurement: int) -> int:
    """A seed for the program, its own for every measurement, and the same when run again.

    >>> seed_of(0, 12, 0), seed_of(0, 12, 1)
    (1936844653, 181952780)
    """
    digest = hashlib.blake2b(f"{seed}:{trial}:{measurement}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1  # 31 bits: every language can hold it


def _ends(text: str) -> str:
    if len(text) <= _KEPT:
        return text
    return f"{text[: _KEPT // 4]}\n[output left out here]\n{text[-3 * _KEPT // 4 :]}"
