"""Evaluate a function within a study: here in threads, or on a Dask cluster."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from stoic.checks import choice
from stoic.errors import ConflictingValue, StoreError, StoreUnavailable
from stoic.forks import ForkAware, Lock
from stoic.optimize import Trial
from stoic.parallel import ENGINES, executor
from stoic.runs.calling import caller
from stoic.runs.loop import Loop
from stoic.runs.progress import watching
from stoic.runs.run import checked
from stoic.study.interrupts import postponed
from stoic.study.records import StudyTrial

if TYPE_CHECKING:
    from stoic.study.study import Study

__all__ = ["patiently", "run"]

_OFTEN = 3.0  # renewals within a lease
_NAPS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # seconds; a server that is started anew is back by then

T = TypeVar("T")


def run(
    study: Study,
    fn: Callable[..., object],
    budget: int,
    jobs: int,
    engine: tuple[str, str | None],
    callback: Callable[[Trial], object] | None,
    progress: bool,
) -> bool:
    """Finish ``budget`` trials of the study; whether Ctrl-C ended it before."""
    call = caller(fn, study.space)
    budget, jobs = checked(budget, jobs, callback)
    choice(engine[0], "engine", ENGINES)
    try:
        with watching(_View(study), budget, progress) as watch, _lent(study, budget) as source:

            def ended(trial: Trial) -> None:
                watch()
                if callback is not None:
                    callback(trial)

            with suppress(StopIteration):
                _spend(Loop(source, call, ended), jobs, engine)
    except KeyboardInterrupt:
        return True
    return False


def _spend(loop: Loop[StudyTrial], jobs: int, engine: tuple[str, str | None]) -> None:
    if engine == ("local", None):
        loop.run(jobs)
        return
    with executor(engine[0], scheduler=engine[1], workers=jobs) as pool:
        loop.spend(pool, jobs)


def patiently(do: Callable[[], T]) -> T:
    """Try again while the store is away: a measurement may have taken hours."""
    for nap in _NAPS:
        try:
            return do()
        except StoreUnavailable:
            time.sleep(nap)
    return do()


class _View:
    """How a study is going, for the progress bar."""

    def __init__(self, study: Study) -> None:
        self._study = study

    @property
    def trials(self) -> tuple[Trial, ...]:
        return self._study.informed().trials

    def recommend(self) -> Any:
        return self._study.informed().recommend()


@contextmanager
def _lent(study: Study, budget: int) -> Iterator[_Lent]:
    source = _Lent(study, budget)
    try:
        yield source
    finally:
        source.close()


class _Lent(ForkAware):
    """Trials of a study; their leases are renewed for as long as they are under way.

    A child that an evaluation forks holds none of them, and gives none back when it ends.
    """

    def __init__(self, study: Study, budget: int) -> None:
        self._study, self._budget = study, budget
        self.fresh = not any(trial.values for trial in study.trials)
        self._held: dict[int, StudyTrial] = {}
        self._guard = Lock()
        self._over = threading.Event()
        self._renewing = threading.Thread(target=self._renew, name="stoic-leases", daemon=True)
        self._renewing.start()
        self.join_forks()

    def after_fork_in_child(self) -> None:
        self._held, self._over = {}, threading.Event()

    def _renew(self) -> None:
        while not self._over.wait(self._study.lease / _OFTEN):
            with self._guard:
                held = list(self._held.values())
            for trial in held:
                with suppress(StoreError):  # it may come back before the lease has ended
                    self._study.renew(trial)

    def left(self) -> int:
        return self._budget - self._study.finished

    def ask(self, pending: Sequence[StudyTrial]) -> StudyTrial | None:
        with postponed():
            trial = patiently(lambda: self._study.ask_within(self._budget))
            if trial is not None:
                with self._guard:
                    self._held[trial.number] = trial
        if trial is None and not pending:
            self._study.reclaim()
        return trial

    def params(self, ticket: StudyTrial) -> Mapping[str, Any]:
        return ticket.params

    def tell(self, ticket: StudyTrial, value: float) -> Trial:
        with postponed():
            with suppress(ConflictingValue):  # the lease had ended, and another was quicker
                patiently(lambda: self._study.tell(ticket, value))
            self._drop(ticket)
        return Trial(ticket.number, ticket.params, value)

    def fail(self, ticket: StudyTrial, reason: str) -> Trial:
        with postponed():
            with suppress(ConflictingValue):
                patiently(lambda: self._study.fail(ticket, reason))
            self._drop(ticket)
        return Trial(ticket.number, ticket.params, None, reason)

    def _drop(self, ticket: StudyTrial) -> None:
        with self._guard:
            self._held.pop(ticket.number, None)

    def close(self) -> None:
        """Give back what is under way still."""
        self._over.set()
        self._renewing.join()
        for trial in self._held.values():
            with suppress(StoreError):  # it comes back when the lease ends
                self._study.release(trial)
