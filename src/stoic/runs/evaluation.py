"""What the loop works with: where trials come from, how they are evaluated, and who watches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any, Protocol

from stoic.optimize.answers import Trial
from stoic.runs.patience import Patience

__all__ = ["Evaluation", "Finished", "Observer", "Outcome", "Source", "Ticket"]


class Ticket(Protocol):
    """A trial under way."""

    @property
    def number(self) -> int:
        """Of the trial."""

    @property
    def params(self) -> Mapping[str, Any]:
        """Its configuration."""


@dataclass(frozen=True)
class Outcome:
    """What an evaluation gave: values, or the reason why there are none."""

    values: tuple[float, ...] = ()
    reason: str | None = None
    kind: object = None
    """How it failed, where a run of nothing else should end; None for any other outcome."""
    mistake: bool = False
    """Whether a failure of this kind is probably a mistake in what is evaluated, or in how."""
    error: Exception | None = None
    """What the function raised."""
    note: str = ""
    """What the user should know about how the values were found; shown once in a run."""
    stopped: bool = False
    """Whether the run ended the evaluation: there is no outcome, and the trial is given back."""


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
    """Where trials come from, and where their outcomes go to."""

    fresh: bool
    """Whether nothing had given a value when the run began."""

    def left(self) -> int:
        """How many trials the budget still wants, those under way included."""

    def ask(self, pending: Sequence[Any]) -> Ticket | None:
        """A trial, or None while others hold all that is left."""

    def record(self, ticket: Any, outcome: Outcome) -> Finished:
        """Keep the outcome of a trial that `ask` gave."""


class Evaluation(Protocol):
    """How trials are evaluated."""

    patience: Patience
    stoppable: bool
    """Whether `stop` ends what runs. It then runs in threads, so that stop requests are seen."""

    def submit(self, pool: Executor, ticket: Ticket) -> Future[Any]:
        """Begin to evaluate a trial."""

    def outcome(self, future: Future[Any]) -> Outcome:
        """The outcome of an evaluation that has ended; raises where the run can't go on."""

    def gave_up(self, count: int, finished: Finished, *, alike: bool) -> Exception:
        """What to raise after ``count`` failures and no value; ``alike``: all of one kind."""

    def stop(self) -> None:
        """End what runs, and start nothing any more."""


class Observer:
    """Sees what happens in a run; does nothing by itself."""

    def began(self, ticket: Ticket) -> None:
        """The evaluation of a trial begins."""

    def ended(self, finished: Finished) -> None:
        """A trial has ended, and its outcome is kept."""

    def waiting(self) -> None:
        """Other workers hold all trials that are left; seen once in a run."""

    def stopping(self) -> None:
        """A stop request was seen, and the run ends."""
