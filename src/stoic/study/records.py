"""Records that users see: trials to evaluate, finished trials, summaries of studies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stoic.checks import integer
from stoic.errors import UnknownTrial

__all__ = ["Exclusion", "Proposal", "StudySummary", "StudyTrial", "TrialRecord", "numbered"]


@dataclass(frozen=True)
class Proposal:
    """A suggestion for a trial that was not asked yet, and the state that it was made from.

    It is up to date while the study has so many entries in its log, and its last trials are those
    ``before``.
    """

    study: str  # uid of the study
    number: int  # of the trial that it is for
    entries: int  # of the log
    params: dict[str, Any]
    before: tuple[dict[str, Any], ...] = ()  # proposals for the trials just before this one
    made: str = "model"  # "batch" where many share the work; "random": drawn without the model


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
    # "model"; "batch", one of many that share the work; "earlier-model", of a proposal that was out
    # of date; "random"; "queue", of a trial that was enqueued or came back; "again", of an ask that
    # was repeated; "" of one not asked
    made: str = field(default="", compare=False)


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
    excluded: tuple[int, ...] = ()  # positions in ``values``; (0,) for an excluded failure


@dataclass(frozen=True)
class Exclusion:
    """What no conclusion and no suggestion accounts for: a measurement, a trial, or workers."""

    trial: int | None  # None where it is about workers
    measurement: int | None  # None for all of the trial, also further ones
    worker: str | None  # how the names of the workers begin
    since: float  # Unix seconds


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


def numbered(trial: object, uid: str, name: str) -> int:
    """The number of a trial of the study ``uid``, which people call ``name``."""
    if isinstance(trial, StudyTrial) and trial.study != uid:
        raise UnknownTrial(
            f"expected a trial of study {name!r}, got trial {trial.number} of another study; "
            "tell it there"
        )
    if isinstance(trial, StudyTrial | TrialRecord):
        trial = trial.number
    return integer(trial, "trial", at_least=-(2**62), at_most=2**62)
