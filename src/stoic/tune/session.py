"""The loop: ask, run, tell, until the budget is spent or somebody stops it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING

from stoic.errors import ConflictingValue, StoreUnavailable
from stoic.study.running import patiently
from stoic.tune.board import Board, Finished
from stoic.tune.measuring import Measured, Measuring
from stoic.tune.plan import Plan
from stoic.tune.watchers import Watcher

if TYPE_CHECKING:
    from stoic.study import Study, StudyTrial

__all__ = ["Session"]

_TICK = 0.2  # seconds between looks at the user's wish to stop
_SLOW = 1.0  # seconds of an estimate that is not made after every trial
_UNREADABLE = 5  # first trials that may all end well and print no value
_FAILED = 20  # first trials that may all fail: much of a space may be out of bounds


class Session:
    """Runs trials of a study, ``jobs`` at a time; only this thread touches the study."""

    def __init__(
        self, plan: Plan, study: Study, measuring: Measuring, board: Board, watcher: Watcher
    ) -> None:
        self.plan, self.study, self.board = plan, study, board
        self.measuring, self.watcher = measuring, watcher
        self.hopeless: str | None = None  # why it makes no sense to go on
        self.refused: str | None = None  # why nothing could be started at all
        self._valued = any(trial.values for trial in study.trials)
        self._running: dict[Future[Measured], StudyTrial] = {}
        self._renewed = time.monotonic()
        self._judged = (0.0, 0.0)  # when the best was last estimated, and how long that took
        self._fresh = 0  # trials that this session finished
        self._unreadable = 0
        self._waiting = False  # whether the user knows that we wait for others
        self._taken = False  # whether the user knows which of several numbers is the value

    def run(self, stopping: Callable[[], bool]) -> None:
        """Spend what is left of the budget; whatever happens, nothing stays open or running."""
        pool = ThreadPoolExecutor(self.plan.jobs, thread_name_prefix="stoic-trial")
        try:
            while not (stopping() or self.hopeless or self.refused):
                self._fill(pool, stopping)
                if not self._running:
                    if self._finished() >= self.plan.budget:
                        break
                    self._await_others()
                    continue
                self._take()
                self._renew()
            if stopping():
                self.watcher.note("stopping …")
        finally:
            self.measuring.stop()
            pool.shutdown(wait=True)
            try:
                self._take()
            finally:
                for trial in self._running.values():
                    with suppress(StoreUnavailable):  # it comes back when the lease ends
                        self.study.release(trial)

    def _finished(self) -> int:
        return patiently(lambda: self.study.finished)

    def _fill(self, pool: ThreadPoolExecutor, stopping: Callable[[], bool]) -> None:
        runs = max(self.plan.repeat, 1)
        while len(self._running) < self.plan.jobs and not stopping():
            if self._finished() + len(self._running) >= self.plan.budget:
                return
            trial = patiently(self._ask)
            if trial is None:  # others hold the rest of the budget
                return
            self.board.begin(trial.number, trial.params)
            future = pool.submit(self.measuring.measure, trial.number, trial.params, runs)
            self._running[future] = trial
            if len(self._running) < self.plan.jobs:
                self._take(timeout=0.0)

    def _ask(self) -> StudyTrial | None:
        return self.study.ask_within(self.plan.budget, lease=self.plan.lease)

    def _await_others(self) -> None:
        """Others may die: what they hold comes back at the end of their leases, or before."""
        if not self._waiting:
            self._waiting = True
            self.watcher.note("waiting for the trials that other workers hold …")
        time.sleep(_TICK)
        patiently(self.study.reclaim)

    def _take(self, timeout: float = _TICK) -> None:
        """Tell what has ended."""
        done, _ = wait(self._running, timeout=timeout, return_when=FIRST_COMPLETED)
        for future in [each for each in self._running if each in done]:
            measured = future.result()
            if measured.stopped:
                continue  # released in the end
            trial = self._running[future]
            if not measured.startable and not self._fresh:
                program = self.plan.template.public.arguments[0]
                self.refused = (
                    f"expected a program that can be started, got {program}, "
                    f"which {measured.reason}; run it by hand"
                )
                continue
            self._record(trial, measured)
            del self._running[future]

    def _record(self, trial: StudyTrial, measured: Measured) -> None:
        self._valued = self._valued or bool(measured.values)
        try:
            patiently(lambda: self._tell(trial, measured))
        except ConflictingValue:  # the lease had passed, and another worker was first
            self.watcher.note(f"trial {trial.number} was finished by another worker")
        done = Finished(
            trial.number, trial.params, measured.values, measured.reason, measured.seconds
        )
        self.board.end(done, self._finished())
        patiently(self._judge)
        self.watcher.ended(done)
        if measured.taken and not self._taken:
            self._taken = True
            self.watcher.say(measured.taken)
        self._despair(measured)

    def _tell(self, trial: StudyTrial, measured: Measured) -> None:
        """All values, or the failure; what was told before may be told again."""
        for i, value in enumerate(measured.values):
            self.study.tell(trial, value, measurement=i)
        if not measured.values:
            self.study.fail(trial, measured.reason or "")

    def _judge(self) -> None:
        """Estimate the best anew, unless that would take a good part of the time."""
        at, took = self._judged
        now = time.monotonic()
        if not self._valued or (took > _SLOW and now - at < 5 * took):
            return
        self.board.best = self.study.recommend()
        self.board.suspects = self.study.suspects()
        self._judged = (time.monotonic(), time.monotonic() - now)

    def _despair(self, measured: Measured) -> None:
        """Stop where all trials of this session failed, and none of the study gave a value."""
        self._fresh += 1
        self._unreadable += measured.unreadable
        if self.board.best is not None:
            return
        if self._unreadable == self._fresh >= _UNREADABLE:
            self.hopeless = (
                f"the program ends well, but {self._fresh} times out of {self._fresh}: "
                f"{measured.reason}; correct --metric, --json or what it prints"
            )
        elif self._fresh >= _FAILED:
            self.hopeless = f"all of the first {self._fresh} trials failed"

    def _renew(self) -> None:
        """A trial that takes longer than its lease stays ours while it runs."""
        if time.monotonic() - self._renewed > self.plan.lease / 3:
            self._renewed = time.monotonic()
            for trial in self._running.values():
                with suppress(StoreUnavailable):  # it may be back before the lease has ended
                    self.study.renew(trial, self.plan.lease)
