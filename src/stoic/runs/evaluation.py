"""Interfaces of the loop: the source of trials, their evaluation, and the observer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any, Protocol

from stoic.optimize.answers import Trial
from stoic.runs.patience import Patience

__all__ = ["Evaluation", "Finished", "Observer", "Outcome", "Source", "Ticket"]


class Ticket(Protocol):
    """A trial under evaluation."""

    @property
    def number(self) -> int:
        """The trial's number."""

    @property
    def params(self) -> Mapping[str, Any]:
        """The trial's configuration."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of an evaluation: values, or the reason why there are none."""

    values: tuple[float, ...] = ()
    reason: str | None = None
    kind: object = None
    """The kind of a failure; a run ends if its first trials all fail. None: not counted."""
    mistake: bool = False
    """Whether a failure of this kind is probably a mistake of the program or its call."""
    error: Exception | None = None
    """The exception of the function."""
    note: str = ""
    """A remark for the user on how the values were read; shown once in a run."""
    machine: str = ""
    """Where it was evaluated, if not here."""
    stopped: bool = False
    """Whether the run itself ended the evaluation: the trial is released, without outcome."""


@dataclass(frozen=True)
class Finished:
    """A trial that ended in this run."""

    number: int
    params: Mapping[str, Any]
    outcome: Outcome
    by_another: bool = False
    """Whether another worker had finished it before; that worker's outcome stays."""

    @property
    def trial(self) -> Trial:
        """The trial with its first value."""
        values = self.outcome.values
        reason = None if values else self.outcome.reason
        return Trial(self.number, self.params, values[0] if values else None, reason)


class Source(Protocol):
    """Gives trials, and records their outcomes."""

    fresh: bool
    """Whether no trial had a value when the run began."""

    def left(self) -> int:
        """How many trials of the budget are not finished, those under evaluation included."""

    def ask(self, pending: Sequence[Any]) -> Ticket | None:
        """A trial, or None while other workers hold all that are left."""

    def record(self, ticket: Any, outcome: Outcome) -> Finished:
        """Keep the outcome of a trial that `ask` gave."""


class Evaluation(Protocol):
    """Evaluates trials."""

    patience: Patience
    stoppable: bool
    """Whether `stop` ends evaluations. They then run in threads, so that stops are noticed."""

    def submit(self, pool: Executor, ticket: Ticket) -> Future[Any]:
        """Begin to evaluate a trial."""

    def outcome(self, future: Future[Any]) -> Outcome:
        """The outcome of an evaluation that has ended; raises where the run can't go on."""

    def gave_up(self, count: int, finished: Finished, *, alike: bool) -> Exception:
        """The error after ``count`` failures and no value; ``alike``: all of one kind."""

    def stop(self) -> None:
        """End all evaluations, and start no more."""


class Observer:
    """Is called at each step of a run; the methods of this base class do nothing."""

    def began(self, ticket: Ticket) -> None:
        """The evaluation of a trial begins."""

    def ended(self, finished: Finished) -> None:
        """A trial has ended, and its outcome is kept."""

    def waiting(self) -> None:
        """Other workers hold all trials that are left; called once in a run."""

    def stopping(self) -> None:
        """A stop request was seen, and the run ends."""
