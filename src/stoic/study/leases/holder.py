"""Who holds leases, and their tokens: of a study in a store, and of one on a server."""

from __future__ import annotations

from stoic.forks import ForkAware
from stoic.study.records import StudyTrial
from stoic.study.workers import this_worker

__all__ = ["LeaseHolder"]


class LeaseHolder(ForkAware):
    """The leases of one worker: of a given name, or this process. A forked child has none."""

    def __init__(self, worker: str | None) -> None:
        self._named = worker
        self._tokens: dict[int, str] = {}  # of the leases of this object
        self.join_forks()

    def after_fork_in_child(self) -> None:
        self._tokens = {}  # they are the parent's

    @property
    def worker(self) -> str:
        """The name of this worker; after a fork that of the child, which may end first."""
        return this_worker() if self._named is None else self._named

    def _keep(self, trial: StudyTrial) -> StudyTrial:
        """Keep the token of a trial that was just leased."""
        self._tokens[trial.number] = trial.token
        return trial

    def _lease_of(self, trial: StudyTrial | int, number: int) -> str:
        """The token of a trial; a number alone stands for the lease that this object was given."""
        return trial.token if isinstance(trial, StudyTrial) else self._tokens.get(number, "")

    def _ended(self, number: int) -> None:
        """Forget a lease: its trial has an outcome."""
        self._tokens.pop(number, None)
