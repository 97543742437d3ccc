"""Rows of a store with their digests: what was written, or `StoreDamaged`.

SQLite has no checksums of its own. Every row of a store carries a digest of its content, and the
digests of the log form a chain whose head and length stand in the study's row. A digest reveals
damage, not forgery: whoever may write the file may also write the digests.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from stoic.errors import StoreDamaged
from stoic.study.store.codec import reason_of, value_of

__all__ = [
    "FAILED",
    "FIRST_FORMAT",
    "GIVEN_BACK",
    "MAX_ROWS",
    "OPEN",
    "RESTORE",
    "TAKEN_BACK",
    "TOLD",
    "UNKNOWN",
    "Entry",
    "StudyRow",
    "TrialRow",
    "digest",
    "first_head",
]

OPEN, TOLD, FAILED = "open", "told", "failed"
MAX_ROWS = 10**7  # trials or entries of a study that the doctor believes; as many as tune takes
GIVEN_BACK, TAKEN_BACK = 0.0, 1.0  # ends of leases that are over: on purpose, or with the worker
UNKNOWN = -1.0  # the end of a lease of format 1, by a clock that is not known
RESTORE = "restore the store from a copy, or let `stoic study doctor` save what is readable"

Field = str | int | float | None


def digest(*fields: Field) -> str:
    """The digest of some fields and of their types.

    >>> digest("trial", 1) == digest("trial", 1), digest("trial", 1) == digest("trial", 1.0)
    (True, False)
    """
    # ascii() keeps types apart, gives floats to the last bit, and can't run into its neighbour
    return blake2b(ascii(fields).encode("ascii"), digest_size=16).hexdigest()


class StudyRow(NamedTuple):
    """What changes of a study, and how long its parts are."""

    id: int
    uid: str
    name: str
    made: float
    definition_digest: str
    next_number: int
    finished: int
    entries: int
    head: str

    def digest(self) -> str:
        """The digest that stands in the row."""
        return digest("study", *self)

    @classmethod
    def read(cls, columns: Sequence[Any]) -> StudyRow | None:
        """From the columns of a row, of which the tenth is the digest; None where it differs."""
        row = cls._make(columns[:9])
        return row if row.digest() == columns[9] else None

    @classmethod
    def of(cls, columns: Sequence[Any]) -> StudyRow:
        """As `read`, or `StoreDamaged`."""
        row = cls.read(columns)
        if row is None:
            name = str(columns[2])[:60]
            raise StoreDamaged(f"the row of study {name!r} is not as it was written", RESTORE)
        return row


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

    def digest(self, uid: str) -> str:
        """The digest that stands in the row; rows of format 1 keep theirs."""
        fields = self[:7] if self[7:] == FIRST_FORMAT else self
        return digest("trial", uid, *fields)

    @classmethod
    def read(cls, columns: Sequence[Any], uid: str) -> TrialRow | None:
        """From the columns of a row, of which the last is the digest; None where it differs."""
        row = cls._make(columns[:-1])
        return row if row.digest(uid) == columns[-1] else None

    @classmethod
    def of(cls, columns: Sequence[Any], uid: str) -> TrialRow:
        """As `read`, or `StoreDamaged`."""
        row = cls.read(columns, uid)
        if row is None:
            number = str(columns[0])[:20]
            raise StoreDamaged(f"the row of trial {number} is not as it was written", RESTORE)
        return row


FIRST_FORMAT = ("", "", 0.0, 0, UNKNOWN)  # what a row of format 1 has beyond its seven fields


class Entry(NamedTuple):
    """An entry of the log: one measurement, or the failure of a trial."""

    seq: int
    trial: int
    measurement: int
    value: str | None  # repr of the float
    reason: str | None  # JSON text
    told: float

    def digest(self, head: str) -> str:
        """The digest that stands in the row, chained to that of the entry before."""
        return digest(head, *self)

    @property
    def outcome(self) -> tuple[float | None, str | None]:
        """The value of a measurement, or the reason of a failure."""
        return (
            None if self.value is None else value_of(self.value),
            None if self.reason is None else reason_of(self.reason),
        )

    @classmethod
    def read(cls, columns: Sequence[Any], head: str) -> Entry | None:
        """From the columns of a row, of which the seventh is the digest; None where it differs.

        ``head`` is the digest of the entry before.
        """
        entry = cls._make(columns[:6])
        return entry if entry.digest(head) == columns[6] else None

    @classmethod
    def of(cls, columns: Sequence[Any], head: str, seq: int) -> Entry:
        """As `read`, or `StoreDamaged`; the ``seq``-th of the log."""
        entry = cls.read(columns, head)
        if entry is None or entry.seq != seq:
            raise StoreDamaged(f"entry {seq} of the log is missing or not as it was written",
                               RESTORE)  # fmt: skip
        return entry


def first_head(uid: str) -> str:
    """Where a log's chain begins."""
    return digest("log", uid)
