"""`stoic.Study`: persistent ask and tell for any number of workers."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from stoic.checks import describe, integer, number
from stoic.errors import InvalidInput, InvalidPayoff
from stoic.optimize import Trial
from stoic.report import Result
from stoic.runs.run import RunLimits, limits_of
from stoic.spaces import Space
from stoic.study.definition import StudyArguments, checked_name
from stoic.study.leases.keys import checked_key, token_of
from stoic.study.leases.verbs import StudyLeases, checked_worker
from stoic.study.opened import OpenStudy, Use
from stoic.study.records import StudyTrial
from stoic.study.repair.backup import backup
from stoic.study.running import run
from stoic.study.store import Database

if TYPE_CHECKING:
    from stoic.policies import Policy

__all__ = ["Study"]

_MAX_REASON_CHARACTERS = 10_000
_MODES = (0o600, 0o640, 0o660)


class Study(StudyLeases):
    """A search that survives crashes, kills and power cuts, with many workers at once.

    Every ``ask`` and every ``tell`` is one transaction; when ``tell`` returns, the value is on the
    disk. Any number of processes may work on one study. A trial is leased to the worker that asked
    for it; if no outcome comes before the lease ends, the trial is asked again. Suggestions are
    a function of the seed and of the store's content, so a study that was stopped continues as if
    it had not been stopped.

    Parameters
    ----------
    store
        A path, or a URL: ``sqlite:///…``, ``postgresql://user@host/database``. Or a store of
        `stoic.study.open_store`, which several studies share, and which stays open.
    name
        Of the study; a store may hold several.
    space
        What to search, as for `stoic.Optimizer`. Makes the study if it does not exist. An existing
        study goes on in this space if it is the same or a wider one: wider ranges, or more choices,
        of the same parameters. With neither space nor policy, the study must exist. Constraints of
        a `stoic.Space` must be text.
    policy
        A policy of `stoic.policies` instead of a space; it is copied as it is now. Trials then
        have ``params == {"arm": i}``, or ``x0``, ``x1``, … on a box.
    direction
        ``"maximize"`` or ``"minimize"``. A new study of a space needs it. By default a policy
        maximises its payoffs.
    seed
            Of all random draws; 0 by default.
    method
        ``"auto"``, the optimiser, or ``"random"``, uniform draws that depend on the seed and the
        trial's number alone.
    objective
        What is measured, for reports.
    target, bounds
        What answers are about, as for `stoic.Optimizer`. A new study stores them. Suggestions do
        not depend on them, so an existing study may be opened with others: they are then asked of
        its data as long as it is open, and the study keeps its own.
    baseline
        The configuration in use today: asked first, again now and then, and in the finals. A study
        without one may get it later.
    lease
        Seconds until a trial is asked again whose worker stopped responding. A server's clock
        measures them, or in a file the time since the machine started; the system time of a
        client has no effect.
    worker
        The name of this worker. By default it consists of host, process and the process's start.
        With it, trials of a worker that ended on this machine are taken back when a study is
        opened.
    mode
        Permissions of the files of a new store: ``0o600``, for their owner alone; ``0o640``, so
        that the group may copy and examine them; ``0o660``, so that the group may work on them.
    max_lost_leases
        A trial whose leases were lost so many times, each with its worker, fails: a trial that
        kills its workers must not block the study. None means no limit, for workers that are
        often preempted.

    >>> import tempfile, os
    >>> store = os.path.join(tempfile.mkdtemp(), "study.db")
    >>> with Study(store, space={"x": (0.0, 1.0)}, direction="minimize") as study:
    ...     trial = study.ask()
    ...     study.tell(trial, (trial.params["x"] - 0.3) ** 2)
    >>> with Study(store) as study:
    ...     study.finished
    1
    """

    _use: ClassVar[Use] = Use()

    def __init__(
        self,
        store: str | os.PathLike[str] | Database = "stoic.db",
        name: str = "study",
        *,
        space: Space | Mapping[str, Any] | None = None,
        policy: Policy | None = None,
        direction: str | None = None,
        seed: int | None = None,
        method: str | None = None,
        objective: str | None = None,
        target: str | None = None,
        bounds: tuple[float | None, float | None] | None = None,
        baseline: Mapping[str, Any] | None = None,
        lease: float = 600.0,
        worker: str | None = None,
        mode: int = 0o600,
        max_lost_leases: int | None = 5,
    ) -> None:
        arguments = StudyArguments(
            space, policy, direction, seed, method, objective, target, bounds, baseline
        )
        self.name = checked_name(name, "name")
        who = checked_worker(lease, worker, max_lost_leases)
        super().__init__(OpenStudy(store, self.name, arguments, _mode(mode), self._use), *who)
        self._closing = weakref.finalize(self, self._opened.close)
        try:
            if self._use.reclaims:
                self._leases.reclaim()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the store; trials that were asked stay leased until their leases end."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Study({self.url!r}, {self.name!r})"

    # -- tell ---------------------------------------------------------------------------------

    def tell(
        self,
        trial: StudyTrial | int,
        value: float,
        *,
        measurement: int = 0,
        worker: str | None = None,
    ) -> None:
        """Report a value; it is on the disk when this returns.

        The same value again changes nothing, another one is a `ConflictingValue`. Further
        measurements of the same trial have other numbers. With ``worker``, the trial is that of
        this worker from its first outcome on, whoever asked it.
        """
        wanted = self._opened.number(trial)
        y = number(value, "value", error=InvalidPayoff)
        which = integer(measurement, "measurement", at_least=0, at_most=2**31)
        self._outcomes.value(wanted, which, y, _named(worker))
        self._leases.ended(wanted)

    def fail(self, trial: StudyTrial | int, reason: str = "", *, worker: str | None = None) -> None:
        """Report that a trial gave no value; a repeated report changes nothing."""
        wanted = self._opened.number(trial)
        if not isinstance(reason, str):
            raise InvalidInput(f"expected reason as text, got {describe(reason)}")
        self._outcomes.failure(wanted, reason[:_MAX_REASON_CHARACTERS], _named(worker))
        self._leases.ended(wanted)

    def add(
        self,
        params: Mapping[str, Any],
        value: float,
        *,
        key: str | None = None,
        worker: str | None = None,
    ) -> StudyTrial:
        """Take in a measurement that was made elsewhere, as a trial of its own.

        A repeated call with the same ``key`` adds nothing, and gives the same trial.
        """
        checked, who = self._checked(params), _named(worker) or self.worker
        y = number(value, "value", error=InvalidPayoff)
        token = None if key is None else token_of(self.uid, checked_key(key), "add")
        return self._leases.leased(self._outcomes.add(checked, y, who, token))

    # -- all in one call ----------------------------------------------------------------------

    def optimize(
        self,
        fn: Callable[..., object],
        budget: int | None = None,
        *,
        jobs: int = 1,
        engine: str = "local",
        scheduler: str | None = None,
        callback: Callable[[Trial], object] | None = None,
        progress: bool = False,
        **limits: Unpack[RunLimits],
    ) -> Result:
        """Evaluate a function until the study has ``budget`` finished trials.

        Trials of all workers count. So the same call continues where a former one stopped, and
        several processes may make it at once. The function is called, and failures are handled,
        as by `stoic.maximize`.

        Parameters
        ----------
        fn
            Called by keywords, or with one dict.
        budget
            Of finished trials, failures and finals included.
        jobs
            How many evaluations this process runs at a time: in threads, or on the cluster.
        engine, scheduler
            ``"local"``, or ``"dask"`` with the address of its scheduler.
        callback
            Called with each `Trial` as it ends; raises `StopIteration` to end the run there.
        progress
            Whether to show progress on stderr.
        confirm, time, stop
            As in `stoic.maximize`: the finals, the time of this call, and an early end.

        Leases are renewed while an evaluation runs. Ctrl-C releases the trials under evaluation;
        the result then has ``interrupted=True``.
        """
        wanted = limits_of(budget, limits)
        ended_by = run(self, fn, wanted, jobs, (engine, scheduler), callback, progress)
        return replace(self.result(), interrupted=ended_by is None, ended_by=ended_by or "")

    def group(self) -> AbstractContextManager[None]:
        """One transaction, with one sync, of many operations of this thread on the study's store.

        An operation that raises leaves no trace, and does not disturb the others. What they
        returned holds when the block is left without an error, and not before: a crash before that
        loses all of them. Other workers wait meanwhile, so think before, with `suggest`. Studies
        of one PostgreSQL store that several processes group should come in the same order.

        >>> import tempfile, os
        >>> store = os.path.join(tempfile.mkdtemp(), "study.db")
        >>> with Study(store, space={"x": (0.0, 1.0)}, direction="minimize") as study:
        ...     with study.group():
        ...         trials = [study.ask() for _ in range(3)]
        ...     study.asked
        3
        """
        return self._opened.database.group()

    def backup(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Copy the whole store, with all of its studies, to a new file, while anyone may write.

        The copy is the store at one moment, is verified, and appears whole or not at all. An
        existing file is replaced with ``force`` alone. For stores in files; of PostgreSQL, use
        ``pg_dump``.
        """
        backup(self._opened.database, path, force=force)


def _named(worker: str | None) -> str | None:
    return None if worker is None else checked_name(worker, "worker")


def _mode(mode: object) -> int:
    if mode not in _MODES or isinstance(mode, bool) or not isinstance(mode, int):
        listed = ", ".join(map(oct, _MODES))
        raise InvalidInput(f"expected mode among {listed}, got {describe(mode)}")
    return mode
