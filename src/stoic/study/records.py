"""Records that users see: trials to evaluate, finished trials, summaries of studies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["StudySummary", "StudyTrial", "TrialRecord"]


@dataclass(frozen=True)
class StudyTrial:
    """A configuration to evaluate, leased to one worker until ``lease_until`` (Unix seconds).

    The worker that has its ``token`` holds the lease, and may renew or release it.
    """

    number: int
    params: dict[str, Any]
    attempt: int  # 1 the first time; more where former workers stopped responding
    lease_until: float  # by this client's clock; the store measures leases by its own
    study: str  # uid of the study
    token: str = field(default="", repr=False)


@dataclass(frozen=True)
class TrialRecord:
    """A trial and its outcome; times are Unix seconds."""

    number: int
    params: dict[str, Any]
    state: str  # "open" | "told" | "failed"
    values: tuple[float, ...]  # one for each measurement, in the order of their reports
    reason: str | None  # of a failure
    asked: float
    told: float | None  # time of the first outcome; None while there is none
    worker: str
    attempt: int  # 0 where it was enqueued and not asked yet
    lease_until: float
    notes: tuple[str, ...] = ()  # of users, in the order in which they were written


@dataclass(frozen=True)
class StudySummary:
    """Name and counts of a study; times are Unix seconds."""

    name: str
    uid: str
    direction: str
    objective: str
    trials: int
    told: int
    failed: int
    open: int
    made: float
    last: float | None  # time of the last outcome
