"""Ask, evaluate, tell, until a budget is spent: one loop for runs in memory and for studies."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from numbers import Real
from typing import Any, Generic, Protocol, TypeVar

from stoic.checks import number
from stoic.errors import InvalidInput, InvalidPayoff
from stoic.optimize.answers import Trial
from stoic.parallel import executor
from stoic.runs.calling import Call

__all__ = ["Loop", "Source"]

_MISTAKES = (TypeError, NameError, AttributeError, ImportError)  # of the program, not the system
_PATIENCE = 5  # first evaluations that may all end in the same mistake
_LONGER = 20  # … or in the same error of another kind: much of a space may be out of bounds
_REASON = 200  # characters of an exception's message that are kept
_PAUSE = 0.2  # seconds between looks where others hold all that is left

Ticket = TypeVar("Ticket")


class Source(Protocol[Ticket]):
    """Where trials come from and outcomes go to; a ticket stands for a trial under way."""

    fresh: bool  # whether nothing gave a value yet when the loop began

    def left(self) -> int:
        """How many trials the budget still wants."""

    def ask(self, pending: Sequence[Ticket]) -> Ticket | None:
        """A trial, or None while others hold all that is left."""

    def params(self, ticket: Ticket) -> Mapping[str, Any]:
        """Its configuration."""

    def tell(self, ticket: Ticket, value: float) -> Trial:
        """Its value."""

    def fail(self, ticket: Ticket, reason: str) -> Trial:
        """Why it has none."""


class Loop(Generic[Ticket]):
    """Asks, evaluates and tells until the budget is spent."""

    def __init__(
        self, source: Source[Ticket], call: Call, ended: Callable[[Trial], object]
    ) -> None:
        self.source, self.call, self.ended = source, call, ended
        self._count = 0
        self._same: type[BaseException] | None = None  # how all evaluations have ended so far

    def run(self, jobs: int) -> None:
        """Evaluate here, ``jobs`` at a time, in threads where there are several."""
        if jobs == 1:
            with executor(workers=0) as here:
                self.spend(here, 1)
            return
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="stoic")
        try:
            self.spend(pool, jobs)
        finally:  # evaluations under way can't be stopped, and nobody waits for them
            pool.shutdown(wait=False, cancel_futures=True)

    def spend(self, pool: Executor, slots: int) -> None:
        """Evaluate in a pool, at most ``slots`` at a time."""
        pending: dict[Future[object], Ticket] = {}
        while (left := self.source.left()) > 0 or pending:
            while len(pending) < min(slots, left):
                ticket = self.source.ask(list(pending.values()))
                if ticket is None:
                    break
                pending[pool.submit(self.call, dict(self.source.params(ticket)))] = ticket
            if not pending:
                time.sleep(_PAUSE)
                continue
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in [f for f in pending if f in done]:
                self._record(pending.pop(future), future)

    def _record(self, ticket: Ticket, future: Future[object]) -> None:
        raised: Exception | None = None
        try:
            value = future.result()
        except Exception as error:
            raised, value = error, None
        if raised is not None:
            trial = self.source.fail(ticket, _reason(raised))
        elif (unusable := _unusable(value)) is not None:
            trial = self.source.fail(ticket, unusable)
        else:
            told = number(value, "the function's value", error=InvalidPayoff)
            trial = self.source.tell(ticket, told)
        self._count += 1
        if self.source.fresh:
            self._consider(trial, value, raised)
        self.ended(trial)

    def _consider(self, trial: Trial, value: object, raised: Exception | None) -> None:
        """Stop where every evaluation has ended in the same exception, or in None."""
        ended: type | None = type(raised) if raised is not None else type(value)
        n = self._count
        self._same = ended if n == 1 or ended is self._same else None
        if raised is None and value is None and self._same and n >= _PATIENCE:
            raise InvalidPayoff(
                f"expected the function to return a real number, got None {n} times out of {n}; "
                "return the value to optimise"
            )
        patience = _PATIENCE if isinstance(raised, _MISTAKES) else _LONGER
        if raised is not None and self._same and n >= patience:
            raise InvalidInput(
                f"expected the function to give a value somewhere, got {_reason(raised)!r} and "
                f"its like {n} times out of {n}; call it with {dict(trial.params)} and repair it"
            ) from raised


def _unusable(value: object) -> str | None:
    """Why a value of a legitimate type can't be told: a failure of the evaluation."""
    if value is None:
        return "returned None"
    try:
        number(value, "the function's value", error=InvalidPayoff)
    except InvalidPayoff:
        plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
        if isinstance(plain, bool) or not isinstance(plain, Real):
            raise
        return f"returned {plain!r}"[:_REASON]
    return None


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:_REASON] if text else name
