"""Run evaluations of a study: its trials as the source of a loop, and `Study.optimize`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self

from stoic.checks import choice
from stoic.errors import ConflictingValue, StoreError
from stoic.forks import ForkAware, Lock
from stoic.optimize import Trial
from stoic.parallel import ENGINES, executor
from stoic.runs.course import Course
from stoic.runs.evaluation import Finished, Outcome, Ticket
from stoic.runs.function import FunctionEvaluation
from stoic.runs.limits import Limits
from stoic.runs.loop import Loop
from stoic.runs.patience import patiently
from stoic.runs.progress import watching
from stoic.runs.run import CallbackObserver, checked
from stoic.study.interrupts import postponed
from stoic.study.protocol import StudyVerbs
from stoic.study.records import StudyTrial

__all__ = ["StudySource", "run"]

_RENEWALS_PER_LEASE = 3.0
_LOG = logging.getLogger("stoic.study")


def run(
    study: StudyVerbs,
    fn: Callable[..., object],
    limits: Limits,
    jobs: int,
    engine: tuple[str, str | None],
    callback: Callable[[Trial], object] | None,
    progress: bool,
) -> str | None:
    """Evaluate up to the limits; return what ended the run, None for Ctrl-C."""
    evaluation = FunctionEvaluation(fn, study.space)
    jobs = checked(jobs, callback)
    choice(engine[0], "engine", ENGINES)
    try:
        with (
            watching(_Progress(study), limits.budget, progress) as show,
            StudySource(study, limits) as source,
            suppress(StopIteration),
        ):
            loop = Loop(source, evaluation, CallbackObserver(show, callback))
            if engine == ("local", None):
                loop.run(jobs)
            else:
                with executor(engine[0], scheduler=engine[1], workers=jobs) as pool:
                    loop.run_in(pool, jobs)
    except KeyboardInterrupt:
        return None
    return source.course.ended_by


class _Progress:
    """The trials and the answer of a study, for the progress bar."""

    def __init__(self, study: StudyVerbs) -> None:
        self._study = study

    @property
    def trials(self) -> tuple[Trial, ...]:
        return self._study.informed().trials

    def recommend(self) -> Any:
        return self._study.informed().recommend()


class StudySource(ForkAware):
    """Gives trials of a study to a loop, up to the limits of its run.

    A number stands for a budget of finished trials, without finals.

    Leases are renewed while their trials are evaluated. Trials that are still open at the end are
    released. A child that an evaluation forks holds no leases, and releases none.
    """

    def __init__(self, study: StudyVerbs, limits: Limits | int) -> None:
        if isinstance(limits, int):
            limits = Limits(limits, confirm=0)
        self._study, self._budget = study, limits.budget
        self.course = Course(limits, _Steering(study))
        self.fresh = not any(trial.values for trial in study.trials)
        self._held: dict[int, StudyTrial] = {}
        self._guard = Lock()
        self._over = threading.Event()
        self._renewing = threading.Thread(target=self._renew, name="stoic-leases", daemon=True)

    def __enter__(self) -> Self:
        self._renewing.start()
        self.join_forks()
        return self

    def __exit__(self, *_: object) -> None:
        with self._study.hurried():
            self._over.set()
            self._renewing.join()
            for trial in self._held.values():
                with suppress(StoreError):  # the trial comes back when its lease ends
                    self._study.release(trial)

    def after_fork_in_child(self) -> None:
        self._held, self._over = {}, threading.Event()

    def _renew(self) -> None:
        while not self._over.wait(self._study.lease / _RENEWALS_PER_LEASE):
            with self._guard:
                held = list(self._held.values())
            for trial in held:
                with suppress(StoreError):  # the store may be back before the lease ends
                    if not self._study.renew(trial) and trial.number in self._held:
                        _LOG.warning("the lease of trial %d is lost", trial.number)

    def left(self) -> int:
        finished = patiently(lambda: self._study.finished)
        return patiently(lambda: self.course.left(finished))

    def ask(self, pending: Sequence[Ticket]) -> StudyTrial | None:
        with postponed():
            patiently(lambda: self.course.steer(self._study.finished, self._study.asked))
            trial = patiently(lambda: self._study.ask_within(self._budget))
            if trial is not None:
                self.course.asked(trial.number)
                with self._guard:
                    self._held[trial.number] = trial
        if trial is None and not pending:
            patiently(self._study.reclaim)
        return trial

    def record(self, ticket: Ticket, outcome: Outcome) -> Finished:
        by_another = False
        self.course.recorded(ticket.number)
        with postponed():
            try:
                patiently(lambda: self._tell(ticket.number, outcome))
            except ConflictingValue:  # the lease had ended, and another worker was first
                by_another = True
            with self._guard:
                self._held.pop(ticket.number, None)
            if outcome.machine:
                patiently(lambda: self._study.note(ticket.number, f"machine {outcome.machine}"))
        return Finished(ticket.number, ticket.params, outcome, by_another)

    def _tell(self, number: int, outcome: Outcome) -> None:
        """Report all values, or the failure; the same report again changes nothing."""
        for i, value in enumerate(outcome.values):
            self._study.tell(number, value, measurement=i)
        if not outcome.values:
            self._study.fail(number, outcome.reason or "")


class _Steering:
    """A study as a course steers it."""

    def __init__(self, study: StudyVerbs) -> None:
        self._study = study

    @property
    def has_baseline(self) -> bool:
        return self._study.baseline is not None

    def measurements_needed(self, least: int, most: int) -> int:
        return self._study.informed().measurements_needed(least, most)

    def finals(self) -> tuple[int, int] | None:
        return self._study.informed().finals

    def begin(self, evaluations: int) -> bool:
        return self._study.start_finals(evaluations)

    def end(self) -> None:
        self._study.end_finals()

    def settled(self) -> bool:
        return self._study.informed().settled()
