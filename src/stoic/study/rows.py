"""Rows of a store as they are sealed: what was written, or `StoreDamaged`."""

from __future__ import annotations

from typing import Any, NamedTuple

from stoic.errors import StoreDamaged
from stoic.study.seals import seal

__all__ = ["Entry", "StudyRow", "TrialRow", "first_head"]

OPEN, TOLD, FAILED = "open", "told", "failed"
MAX_ROWS = 10**7  # trials or entries of a study that the doctor believes; as many as tune takes


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
    """A trial as it is stored."""

    number: int
    params: str
    state: str
    asked: float
    lease_until: float
    worker: str
    attempt: int

    def seal(self, uid: str) -> str:
        """The digest that stands in the row."""
        return seal("trial", uid, *self)

    @classmethod
    def of(cls, row: Any, uid: str) -> TrialRow:
        """From a selected row whose eighth column is the seal."""
        made = cls._make(row[:7])
        if seal("trial", uid, *made) != row[7]:
            raise StoreDamaged(
                f"the row of trial {str(made.number)[:20]} is not as it was written; "
                "restore the store from a copy, or let `stoic study doctor` save what is readable"
            )
        return made


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
