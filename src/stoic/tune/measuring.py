"""Evaluate a trial by running a program: read its values and keep its output."""

from __future__ import annotations

import hashlib
import shlex
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from typing import Any

from stoic.errors import InvalidInput
from stoic.files import make_folder, write
from stoic.redaction import masked
from stoic.runs.evaluation import Finished, Outcome, Ticket
from stoic.runs.patience import GaveUp, Patience
from stoic.tune.metric import Measured, NotFinite, NoValue, OneUnit, which_number
from stoic.tune.plan import Plan
from stoic.tune.program import Ended, Program

__all__ = [
    "FAILED",
    "UNREADABLE",
    "NotStartable",
    "ProgramEvaluation",
    "ProgramRuns",
    "program_of",
    "seed_of",
    "write_log",
]

_MAX_LOG_CHARACTERS = 32 * 1024  # of each stream in a trial's log
UNREADABLE, FAILED = "unreadable", "failed"  # kinds of failures


class NotStartable(Exception):
    """The system could not start the program; the message has the reason."""


class ProgramRuns(ABC):
    """What the outcomes of a program's runs mean, wherever it runs.

    A trial is unreadable where the program succeeds, but the metric finds no value.
    """

    patience = Patience(one_kind=False)
    stoppable = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._started = False  # whether the program could ever be started

    def outcome(self, future: Future[Any]) -> Outcome:
        try:
            outcome = self._received(future)
        except NotStartable as error:
            if not self._started:
                program = self._plan.template.public.arguments[0]
                raise InvalidInput(
                    f"expected a program that can be started, got {program}, "
                    f"which {error}; run it by hand"
                ) from error
            return Outcome((), str(error), FAILED)
        self._started = self._started or not outcome.stopped
        return outcome

    def _received(self, future: Future[Any]) -> Outcome:
        """The outcome that a finished future has."""
        outcome: Outcome = future.result()
        return outcome

    @abstractmethod
    def submit(self, pool: Executor, ticket: Ticket) -> Future[Any]:
        """Begin to evaluate a trial."""

    @abstractmethod
    def stop(self) -> None:
        """End all runs, and start no more."""

    @abstractmethod
    def kill(self) -> None:
        """End those of this machine at once; may be called from a signal handler."""

    def gave_up(self, count: int, finished: Finished, *, alike: bool) -> GaveUp:
        if alike and finished.outcome.kind == UNREADABLE:
            return GaveUp(
                f"the program ends well, but {count} times out of {count}: "
                f"{finished.outcome.reason}; correct --metric, --json or what it prints"
            )
        return GaveUp(f"all of the first {count} trials failed")


class ProgramEvaluation(ProgramRuns):
    """Runs a program here for each trial; `measure` may be called from several threads.

    ``unit`` is the one that all values have to be in, and ``keep`` gets the log of each trial.
    """

    def __init__(
        self,
        plan: Plan,
        program: Program,
        seed: int,
        *,
        unit: OneUnit | None = None,
        keep: Callable[[int, str], None] | None = None,
    ) -> None:
        super().__init__(plan)
        self._program, self._seed = program, seed
        self._template, self._metric = plan.template, plan.metric
        self._lock = threading.Lock()
        self._unit, self._keep = unit or OneUnit(), keep or partial(write_log, plan)
        self._note = ""  # which of several numbers is the value

    def submit(self, pool: Executor, ticket: Ticket) -> Future[Outcome]:
        return pool.submit(self.measure, ticket.number, ticket.params)

    def stop(self) -> None:
        self._program.stop()

    def kill(self) -> None:
        self._program.kill()

    def measure(self, number: int, params: Mapping[str, Any]) -> Outcome:
        """Run the program as often as planned; the trial fails where most of the runs failed."""
        values: list[float] = []
        failures: list[tuple[str, bool]] = []
        log: list[str] = []
        for measurement in range(max(self._plan.repeat, 1)):
            ended = self._run(number, params, measurement, log)
            if ended.stopped:
                return Outcome((), ended.trouble, stopped=True)
            if not ended.started:
                raise NotStartable(ended.trouble)
            value, reason, unreadable = self._read(ended)
            log.append(f"value: {value!r}" if value is not None else f"failed: {reason}")
            log.append(f"--- stdout\n{_ends(ended.stdout.shown)}")
            log.append(f"--- stderr\n{_ends(ended.stderr.shown)}\n")
            if value is not None:
                values.append(value)
            else:
                failures.append((reason, unreadable))
        self._keep(number, "\n".join(log))
        if len(values) > len(failures):
            return Outcome(tuple(values), note=self._note)
        reason, unreadable = failures[-1]
        return Outcome((), reason, UNREADABLE if unreadable else FAILED, mistake=unreadable)

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
        """The value, or the reason why there is none, and whether the metric may be wrong."""
        if ended.trouble is not None:
            return None, ended.trouble, False
        try:
            return self._value(ended), "", False
        except NoValue as error:
            return None, self._why(error, ended), not isinstance(error, NotFinite)

    def _why(self, error: NoValue, ended: Ended) -> str:
        """The reason why there is no value, without secrets."""
        try:
            self._metric.read(ended.stdout.shown)
        except NoValue as hidden:
            return str(hidden)
        return masked(str(error), self._template.secrets)

    def _value(self, ended: Ended) -> float:
        """The value of a run; a unit other than the first one's is an error."""
        found = self._metric.of(ended)
        with self._lock:
            value = self._unit.value(found)
            self._note = self._note or which_number(found)
        return value


def program_of(
    plan: Plan,
    *,
    begun: Callable[[int], None] | None = None,
    ended: Callable[[int], None] | None = None,
) -> Program:
    """What runs the program of a plan; it calls ``begun`` and ``ended`` with process numbers."""
    return Program(
        plan.timeout,
        begun=begun,
        ended=ended,
        secrets=plan.template.secrets,
        accounts=plan.metric.what if isinstance(plan.metric, Measured) else None,
    )


def write_log(plan: Plan, number: int, text: str) -> None:
    """Write a trial's log; the trial counts even if that fails."""
    with suppress(OSError):
        make_folder(plan.folder, 0o700)
        write(plan.folder / f"{number:04}.txt", text, mode=plan.mode, durable=False)


def seed_of(seed: int, trial: int, measurement: int) -> int:
    """The seed for the program: different for every measurement, the same in every run.

    >>> seed_of(0, 12, 0), seed_of(0, 12, 1)
    (1936844653, 181952780)
    """
    digest = hashlib.blake2b(f"{seed}:{trial}:{measurement}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1  # 31 bits: an integer of every language


def _ends(text: str) -> str:
    if len(text) <= _MAX_LOG_CHARACTERS:
        return text
    quarter = _MAX_LOG_CHARACTERS // 4
    return f"{text[:quarter]}\n[output left out here]\n{text[-3 * quarter :]}"
