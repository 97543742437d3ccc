"""Rows of a store as they are sealed: what was written, or `StoreDamaged`."""

from __future__ import annotations

from typing import Any, NamedTuple

from stoic.errors import StoreDamaged
from stoic.study.store.digests import seal

__all__ = [
    "FAILED",
    "FIRST_FORMAT",
    "GIVEN_BACK",
    "OPEN",
    "TAKEN_BACK",
    "TOLD",
    "UNKNOWN",
    "Entry",
    "StudyRow",
    "TrialRow",
    "first_head",
]

OPEN, TOLD, FAILED = "open", "told", "failed"
MAX_ROWS = 10**7  # trials or entries of a study that the doctor believes; as many as tune takes
GIVEN_BACK, TAKEN_BACK = 0.0, 1.0  # ends of leases that are over: on purpose, or with the worker
UNKNOWN = -1.0  # the end of a lease of format 1, by a clock that is not known


class StudyRow(NamedTuple):
    """What changes of a study, and how long its parts are."""

    id: int
    uid: str
    name: str
    made: float
    problem_seal: str
    next_number: int
    finished: int
    entries: int
    head: str

    def seal(self) -> str:
        """The digest that stands in the row."""
        return seal("study", *self)

    @classmethod
    def of(cls, row: Any) -> StudyRow:
        """From a selected row whose tenth column is the seal."""
        made = cls(*row[:9])
        if made.seal() != row[9]:
            raise StoreDamaged(
                f"the row of study {str(made.name)[:60]!r} is not as it was written; "
                "restore the store from a copy, or let `stoic study doctor` save what is readable"
            )
        return made


class TrialRow(NamedTuple):
    """A trial as it is stored; ``asked`` and ``lease_until`` are Unix seconds, for people."""

    number: int
    params: str
    state: str
    asked: float
    lease_until: float
    worker: str
    attempt: int
    token: str = ""  # of the present lease: who knows it holds the trial
    clock: str = ""  # by which the lease ends
    lease: float = 0.0  # seconds
    lost: int = 0  # leases that ended without an outcome
    expires: float = GIVEN_BACK  # when the lease ends, by that clock

    def seal(self, uid: str) -> str:
        """The digest that stands in the row; rows of format 1 keep theirs."""
        fields = self[:7] if self[7:] == FIRST_FORMAT else self
        return seal("trial", uid, *fields)

    @classmethod
    def of(cls, row: Any, uid: str) -> TrialRow:
        """From a selected row whose last column is the seal."""
        made = cls._make(row[:-1])
        if made.seal(uid) != row[-1]:
            raise StoreDamaged(
                f"the row of trial {str(made.number)[:20]} is not as it was written; "
                "restore the store from a copy, or let `stoic study doctor` save what is readable"
            )
        return made


FIRST_FORMAT = ("", "", 0.0, 0, UNKNOWN)  # what a row of format 1 has beyond its seven fields


class Entry(NamedTuple):
    """An entry of the log: one measurement, or the failure of a trial."""

    seq: int
    trial: int
    measurement: int
    value: str | None  # repr of the float
    reason: str | None  # JSON text
    told: float

    def seal(self, head: str) -> str:
        """The digest that stands in the row, chained to that of the entry before."""
        return seal(head, *self)

    @classmethod
    def of(cls, row: Any, head: str, seq: int) -> Entry:
        """From a selected row whose seventh column is the seal; the ``seq``-th of the log."""
        made = cls._make(row[:6])
        if made.seq != seq or seal(head, *made) != row[6]:
            raise StoreDamaged(
                f"entry {seq} of the log is missing or not as it was written; "
                "restore the store from a copy, or let `stoic study doctor` save what is readable"
            )
        return made


def first_head(uid: str) -> str:
    """Where a log's chain begins."""
    return seal("log", uid)
