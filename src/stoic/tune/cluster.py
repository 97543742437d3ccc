"""Run the program of each trial on a Dask cluster, and end the programs when the run ends."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Mapping
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from stoic.parallel import Pool, flag_is_raised
from stoic.runs.evaluation import Outcome, Ticket
from stoic.tune.measuring import (
    FAILED,
    UNREADABLE,
    NotStartable,
    ProgramEvaluation,
    ProgramRuns,
    program_of,
    write_log,
)
from stoic.tune.metric import OneUnit
from stoic.tune.plan import Plan

__all__ = ["ClusterEvaluation"]

_POLL_SECONDS = 1.0  # between a worker's checks whether the run has ended


@dataclass(frozen=True)
class _Task:
    """What a worker needs to run the program of any trial."""

    plan: Plan
    seed: int
    flag: str  # raised when the run ends
    unit: str | None  # of the values so far


@dataclass(frozen=True)
class _Returned:
    """What a worker returns: the outcome, the log of the trial, and the unit of its values."""

    number: int
    outcome: Outcome
    log: str
    unit: str | None


class ClusterEvaluation(ProgramRuns):
    """Runs a program for each trial on the workers of a cluster.

    Logs are written here. A trial whose worker is lost is run again by Dask.
    """

    def __init__(self, plan: Plan, pool: Pool, seed: int) -> None:
        super().__init__(plan)
        self._pool, self._seed = pool, seed
        self._flag = f"stoic-{uuid.uuid4().hex}"
        self._unit: str | None = None

    def submit(self, pool: Executor, ticket: Ticket) -> Future[_Returned]:
        task = _Task(self._plan, self._seed, self._flag, self._unit)
        return pool.submit(_measured, task, ticket.number, dict(ticket.params))

    def stop(self) -> None:
        self._pool.raise_flag(self._flag)

    def kill(self) -> None:
        pass  # a signal handler must not wait for the network; `stop` follows

    def _received(self, future: Future[_Returned]) -> Outcome:
        try:
            returned = future.result()
        except NotStartable:
            raise
        except CancelledError:
            return Outcome((), "stopped", stopped=True)
        except Exception as error:  # of Dask: workers were lost again and again
            return Outcome((), f"on the cluster: {type(error).__name__}", FAILED)
        outcome = returned.outcome
        if outcome.stopped:
            return outcome
        write_log(self._plan, returned.number, returned.log)
        if returned.unit is None or returned.unit == (self._unit or returned.unit):
            self._unit = self._unit if returned.unit is None else returned.unit
            return outcome
        reason = f"the value is in {returned.unit or 'no unit'}, others are in {self._unit}"
        return Outcome((), reason, UNREADABLE, mistake=True)


def _measured(task: _Task, number: int, params: Mapping[str, Any]) -> _Returned:
    """Run the program of a trial on this worker; it ends early where the flag is raised."""
    program, unit, logs = program_of(task.plan), OneUnit(task.unit), [""]
    evaluation = ProgramEvaluation(
        task.plan, program, task.seed, unit=unit, keep=lambda _, text: logs.append(text)
    )
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(evaluation.measure, number, params)
        while not wait([running], timeout=_POLL_SECONDS).done:
            with suppress(OSError):  # the scheduler is out of reach
                if flag_is_raised(task.flag):
                    program.stop()
        outcome = running.result()
    outcome = replace(outcome, machine=socket.gethostname())
    return _Returned(number, outcome, logs[-1], unit.known)
