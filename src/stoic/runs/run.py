"""Maximise or minimise a Python function: the whole loop in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypedDict, Unpack

from stoic.checks import describe, integer
from stoic.errors import InvalidInput
from stoic.optimize.answers import Trial
from stoic.optimize.optimizer import Optimizer
from stoic.report.result import Result
from stoic.runs.course import Course
from stoic.runs.evaluation import Finished, Observer, Outcome, Ticket
from stoic.runs.function import FunctionEvaluation, name_of
from stoic.runs.limits import Limits
from stoic.runs.loop import Loop
from stoic.runs.progress import watching
from stoic.spaces import Space

__all__ = [
    "CallbackObserver",
    "RunLimits",
    "Settings",
    "checked",
    "limits_of",
    "maximize",
    "minimize",
]

Callback = Callable[[Trial], object]


class RunLimits(TypedDict, total=False):
    """The arguments of a run about its finals and its end."""

    confirm: bool | int | str
    time: str | float | None
    stop: str | None


class Settings(RunLimits, total=False):
    """Further arguments of `maximize` and `minimize`."""

    target: str
    bounds: tuple[float | None, float | None] | None
    baseline: Mapping[str, Any] | None


def maximize(
    fn: Callable[..., object],
    space: Space | Mapping[str, Any],
    budget: int | None = None,
    *,
    seed: int = 0,
    jobs: int = 1,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
    **settings: Unpack[Settings],
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
        How many evaluations to make, those of the finals included.
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
    baseline
        The configuration in use today, or the default one: a dict with all parameters. It is
        measured first, again now and then, and in the finals; ``result.verdict`` compares the
        answer with it.
    confirm
        How many of the evaluations are finals, in which the best few candidates and the baseline
        are measured again, interleaved: ``"auto"``, as few as the verdict needs, 8 to 20 of 60
        (none without a baseline); a number; or False for none.
    time
        How long to run, beside or instead of ``budget``: ``"90s"``, ``"10m"``, ``"1h30m"``, or a
        number of seconds. The finals are included.
    stop
        ``"settled"`` also ends the search where another measurement would hardly improve the
        answer, and holds the finals then.

    Ctrl-C ends the run and keeps what was found: the result then has ``interrupted=True``.

    >>> result = maximize(lambda x: 1.0 - (x - 0.3) ** 2, {"x": (0.0, 1.0)}, budget=12)
    >>> abs(result.best.params["x"] - 0.3) < 0.05
    True
    """
    optimizer, limits = _set_up(space, "maximize", seed, budget, settings)
    return _run(fn, optimizer, limits, jobs, callback, progress)


def minimize(
    fn: Callable[..., object],
    space: Space | Mapping[str, Any],
    budget: int | None = None,
    *,
    seed: int = 0,
    jobs: int = 1,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
    **settings: Unpack[Settings],
) -> Result:
    """Find the configuration with the lowest value of a noisy function; see `maximize`."""
    optimizer, limits = _set_up(space, "minimize", seed, budget, settings)
    return _run(fn, optimizer, limits, jobs, callback, progress)


def _set_up(
    space: Space | Mapping[str, Any],
    direction: str,
    seed: int,
    budget: int | None,
    settings: Settings,
) -> tuple[Optimizer, Limits]:
    """The optimiser and the limits of a run."""
    known: dict[str, Any] = dict(settings)
    own = {name: known.pop(name) for name in ("target", "bounds", "baseline") if name in known}
    limits = limits_of(budget, known)
    return Optimizer(space, direction=direction, seed=seed, **own), limits


def limits_of(budget: int | None, given: Mapping[str, Any]) -> Limits:
    """The limits that the arguments of a run mean."""
    unknown = sorted(set(given) - set(RunLimits.__annotations__))
    if unknown:
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
    return Limits.of(budget, **given)


def _run(
    fn: Callable[..., object],
    optimizer: Optimizer,
    limits: Limits,
    jobs: int,
    callback: Callback | None,
    progress: bool,
) -> Result:
    evaluation = FunctionEvaluation(fn, optimizer.space)
    jobs = checked(jobs, callback)
    interrupted = False
    source = _Memory(optimizer, limits)
    try:
        with watching(optimizer, limits.budget, progress) as show, suppress(StopIteration):
            Loop(source, evaluation, CallbackObserver(show, callback)).run(jobs)
    except KeyboardInterrupt:
        interrupted = True
    ended_by = "" if interrupted else source.course.ended_by
    return Result.of(optimizer, objective=name_of(fn), interrupted=interrupted, ended_by=ended_by)


def checked(jobs: int, callback: Callback | None) -> int:
    """Jobs, or a typed error before anything runs."""
    if callback is not None and not callable(callback):
        raise InvalidInput(f"expected callback to be a function, got {describe(callback)}")
    return integer(jobs, "jobs", at_least=1)


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

    def __init__(self, optimizer: Optimizer, limits: Limits) -> None:
        self._optimizer = optimizer
        self.course = Course(limits, OptimizerSteering(optimizer))

    def left(self) -> int:
        return self.course.left(len(self._optimizer.trials))

    def ask(self, pending: Sequence[Ticket]) -> Trial:
        finished = len(self._optimizer.trials)
        number = finished + len(pending)
        self.course.steer(finished, number)
        params = self._optimizer.ask(pending=[ticket.params for ticket in pending])
        ticket = Trial(number, params, None)
        self.course.asked(id(ticket))
        return ticket

    def record(self, ticket: Ticket, outcome: Outcome) -> Finished:
        """Record an outcome; trials are numbered in the order in which they end."""
        self.course.recorded(id(ticket))
        for value in outcome.values:
            self._optimizer.tell(ticket.params, value)
        if not outcome.values:
            self._optimizer.fail(ticket.params, outcome.reason or "")
        last = self._optimizer.trials[-1]
        return Finished(last.number, last.params, outcome)


class OptimizerSteering:
    """An optimiser as a course steers it."""

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer

    @property
    def has_baseline(self) -> bool:
        return self._optimizer.baseline is not None

    def measurements_needed(self, least: int, most: int) -> int:
        return self._optimizer.measurements_needed(least, most)

    def finals(self) -> tuple[int, int] | None:
        found = self._optimizer.finals
        return None if found is None else (found.start, found.evaluations)

    def begin(self, evaluations: int) -> bool:
        contenders = self._optimizer.contenders(evaluations)
        if len(contenders) < 2:
            return False
        self._optimizer.start_finals(evaluations, contenders)
        return True

    def end(self) -> None:
        self._optimizer.end_finals()

    def settled(self) -> bool:
        return self._optimizer.settled()
