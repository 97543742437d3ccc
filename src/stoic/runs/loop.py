"""The loop of all runs: ask, evaluate, tell, until the budget is spent or a stop request."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any

from stoic.parallel import executor
from stoic.runs.evaluation import Evaluation, Observer, Outcome, Source, Ticket
from stoic.runs.logs import log_begin, log_end, log_finished, log_trial
from stoic.runs.patience import Failures

__all__ = ["Loop"]

_POLL_SECONDS = 0.2  # between checks for stop requests, and for trials that others give back


class Loop:
    """Evaluates the trials of a source; only the thread that runs the loop asks and tells.

    Parameters
    ----------
    source, evaluation, observer
        Give trials, evaluate them, and watch the run.
    stopping
        Whether the user asked the run to stop; checked several times a second where the
        evaluation can be stopped.
    """

    def __init__(
        self,
        source: Source,
        evaluation: Evaluation,
        observer: Observer,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self.source, self.evaluation, self.observer = source, evaluation, observer
        self.stopping = stopping
        self._pending: dict[Future[Any], Ticket] = {}
        self._failures = Failures(evaluation.patience)
        self._waited = False  # whether the observer was notified that others hold the rest

    def run(self, jobs: int) -> None:
        """Evaluate here, ``jobs`` at a time, in threads where there are several."""
        if jobs == 1 and not self.evaluation.stoppable:
            with executor(workers=0) as here:
                self.run_in(here, 1)
            return
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="stoic")
        try:
            self.run_in(pool, jobs)
        finally:
            if self.evaluation.stoppable:
                self.evaluation.stop()
                pool.shutdown(wait=True)
                self._collect(0.0)
            else:  # running calls can't be ended; do not wait for them
                pool.shutdown(wait=False, cancel_futures=True)

    def run_in(self, pool: Executor, slots: int) -> None:
        """Evaluate in a pool, at most ``slots`` at a time."""
        log_begin(self.source.left(), slots, fresh=self.source.fresh)
        while not self.stopping():
            self._fill(pool, slots)
            if self._pending:
                polls = self.evaluation.stoppable or len(self._pending) < slots
                self._collect(_POLL_SECONDS if polls else None)
            elif self.source.left() <= 0:
                log_end(0, stopped=False)
                return
            else:
                self._await_others()
        log_end(self.source.left(), stopped=True)
        self.observer.stopping()

    def _fill(self, pool: Executor, slots: int) -> None:
        """Begin a trial for each free slot; record those that end meanwhile."""
        while len(self._pending) < slots and not self.stopping():
            if self.source.left() <= len(self._pending):
                return
            ticket = self.source.ask(list(self._pending.values()))
            if ticket is None:
                return
            log_trial(ticket)
            self.observer.began(ticket)
            self._pending[self.evaluation.submit(pool, ticket)] = ticket
            if len(self._pending) < slots:
                self._collect(0.0)

    def _await_others(self) -> None:
        """Wait for trials that other workers hold; they come back when their leases end."""
        if not self._waited:
            self._waited = True
            self.observer.waiting()
        time.sleep(_POLL_SECONDS)

    def _collect(self, timeout: float | None) -> None:
        """Record trials that have ended, or end within ``timeout`` seconds."""
        done, _ = wait(self._pending, timeout=timeout, return_when=FIRST_COMPLETED)
        for future in [each for each in self._pending if each in done]:
            ticket = self._pending.pop(future)
            self._record(ticket, self.evaluation.outcome(future))

    def _record(self, ticket: Ticket, outcome: Outcome) -> None:
        if outcome.stopped:
            return  # the source releases the trial
        finished = self.source.record(ticket, outcome)
        log_finished(finished)
        self.observer.ended(finished)
        if self.source.fresh and self._failures.exhausted(outcome.kind, mistake=outcome.mistake):
            failures = self._failures
            raise self.evaluation.gave_up(
                failures.count, finished, alike=failures.alike
            ) from outcome.error
