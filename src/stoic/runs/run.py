"""Maximise or minimise a Python function: the whole loop in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Unpack

from stoic.checks import describe, integer
from stoic.errors import InvalidInput
from stoic.optimize.aim import Question
from stoic.optimize.answers import Trial
from stoic.optimize.optimizer import Optimizer
from stoic.report.result import Result
from stoic.runs.evaluation import Finished, Observer, Outcome, Ticket
from stoic.runs.function import FunctionEvaluation, name_of
from stoic.runs.loop import Loop
from stoic.runs.progress import watching
from stoic.spaces import Space

__all__ = ["CallbackObserver", "checked", "maximize", "minimize"]

Callback = Callable[[Trial], object]


def maximize(
    fn: Callable[..., object],
    space: Space | Mapping[str, Any],
    budget: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
    **question: Unpack[Question],
) -> Result:
    """Find the configuration with the highest value of a noisy function.

    Nothing about the noise needs to be known. Heavy tails, absurd values and crashes are
    expected: an exception, NaN, infinity or None is a failed evaluation, and the search goes on.
    It stops with an error where something other than a number is returned, or where the first
    evaluations all end in the same exception (5 for a `TypeError` and the like, 20 for others).

    Parameters
    ----------
    fn
        Called by keywords, ``fn(threads=8, gc="zgc")``, where it takes the parameters' names;
        otherwise with one dict, ``fn({"threads": 8, "gc": "zgc"})``. By keywords, a parameter
        with a condition needs a default, as it is absent where it does not exist.
    space
        Such as ``{"lr": (1e-5, 1e-1, "log"), "depth": (2, 12), "opt": ["adam", "sgd"]}``.
    budget
        How many evaluations to make.
    seed
        Of all random draws. With ``jobs=1`` and a deterministic ``fn``, runs repeat exactly.
    target, bounds
        What is estimated, ``"median"`` or ``"mean"`` of all runs, and the lowest and highest
        possible value, such as ``(0, None)``; see `stoic.Optimizer`.
    jobs
        How many evaluations to run at a time, in threads: for functions that wait for another
        process, a server or a device. For clusters, and for runs that must survive a crash, use
        `stoic.Study`.
    callback
        Called with each `Trial` as it ends; raises `StopIteration` to end the run there.
    progress
        Whether to show progress on stderr.

    Ctrl-C ends the run and keeps what was found: the result then has ``interrupted=True``.

    >>> result = maximize(lambda x: 1.0 - (x - 0.3) ** 2, {"x": (0.0, 1.0)}, budget=12)
    >>> abs(result.best.params["x"] - 0.3) < 0.05
    True
    """
    optimizer = Optimizer(space, direction="maximize", seed=seed, **question)
    return _run(fn, optimizer, budget, jobs, callback, progress)


def minimize(
    fn: Callable[..., object],
    space: Space | Mapping[str, Any],
    budget: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
    **question: Unpack[Question],
) -> Result:
    """Find the configuration with the lowest value of a noisy function; see `maximize`."""
    optimizer = Optimizer(space, direction="minimize", seed=seed, **question)
    return _run(fn, optimizer, budget, jobs, callback, progress)


def _run(
    fn: Callable[..., object],
    optimizer: Optimizer,
    budget: int,
    jobs: int,
    callback: Callback | None,
    progress: bool,
) -> Result:
    evaluation = FunctionEvaluation(fn, optimizer.space)
    budget, jobs = checked(budget, jobs, callback)
    interrupted = False
    try:
        with watching(optimizer, budget, progress) as show, suppress(StopIteration):
            source, observer = _Memory(optimizer, budget), CallbackObserver(show, callback)
            Loop(source, evaluation, observer).run(jobs)
    except KeyboardInterrupt:
        interrupted = True
    return Result.of(optimizer, objective=name_of(fn), interrupted=interrupted)


def checked(budget: int, jobs: int, callback: Callback | None) -> tuple[int, int]:
    """Budget and jobs, or a typed error before anything runs."""
    if callback is not None and not callable(callback):
        raise InvalidInput(f"expected callback to be a function, got {describe(callback)}")
    return integer(budget, "budget", at_least=1), integer(jobs, "jobs", at_least=1)


class CallbackObserver(Observer):
    """Shows progress, and calls the user's function with each finished trial."""

    def __init__(self, show: Callable[[], None], callback: Callback | None) -> None:
        self._show, self._callback = show, callback

    def ended(self, finished: Finished) -> None:
        self._show()
        if self._callback is not None:
            self._callback(finished.trial)


class _Memory:
    """The source whose trials come from an optimiser of this process."""

    fresh = True

    def __init__(self, optimizer: Optimizer, budget: int) -> None:
        self._optimizer, self._budget = optimizer, budget

    def left(self) -> int:
        return self._budget - len(self._optimizer.trials)

    def ask(self, pending: Sequence[Ticket]) -> Trial:
        params = self._optimizer.ask(pending=[ticket.params for ticket in pending])
        return Trial(len(self._optimizer.trials) + len(pending), params, None)

    def record(self, ticket: Ticket, outcome: Outcome) -> Finished:
        """Record an outcome; trials are numbered in the order in which they end."""
        for value in outcome.values:
            self._optimizer.tell(ticket.params, value)
        if not outcome.values:
            self._optimizer.fail(ticket.params, outcome.reason or "")
        last = self._optimizer.trials[-1]
        return Finished(last.number, last.params, outcome)
