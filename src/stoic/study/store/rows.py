"""Rows of a store, each checked against its digest when it is read.

SQLite has no checksums of its own. Every row of a store has a digest of its content, in the column
``seal``. The digests of the log form a chain, whose head and length are in the study's row. A
digest reveals damage, not forgery: anyone who may write the file may also write the digests.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from stoic.errors import StoreDamaged
from stoic.study.store.codec import reason_of, value_of

__all__ = [
    "BY_WORKER",
    "ENQUEUED",
    "FAILED",
    "FIRST_FORMAT",
    "GIVEN_BACK",
    "KEYED",
    "MAX_ROWS",
    "NOTE",
    "OPEN",
    "RESTORE",
    "TAKEN_BACK",
    "TOLD",
    "UNKNOWN",
    "WHOLE_STUDY",
    "Entry",
    "StudyRow",
    "TrialRow",
    "digest",
    "first_head",
]

OPEN, TOLD, FAILED = "open", "told", "failed"
MAX_ROWS = 10**7  # trials or entries of a study that are plausible; the largest budget of tune
GIVEN_BACK, TAKEN_BACK = 0.0, 1.0  # ends of leases that are over: released, or reclaimed
BY_WORKER = -2  # the trial of an exclusion of workers by their names
WHOLE_STUDY = -1  # the trial of an entry that is about none: a change of the definition
NOTE = '{"note":'  # the begin of the content of a note
ENQUEUED = '{"enqueued":'  # of the key with which a trial was enqueued
EXCLUSION = ('{"exclude":', '{"include":')  # of an exclusion, and of its end
KEYED = "k"  # the begin of tokens that are derived from a key; others are hexadecimal
UNKNOWN = -1.0  # the end of a lease of format 1, by an unknown clock
RESTORE = "restore the store from a copy, or let `stoic study doctor` save what is readable"

Field = str | int | float | None


def digest(*fields: Field) -> str:
    """The digest of some fields and of their types.

    >>> digest("trial", 1) == digest("trial", 1), digest("trial", 1) == digest("trial", 1.0)
    (True, False)
    """
    # ascii() of a tuple shows types and exact floats, and separates its fields
    return blake2b(ascii(fields).encode("ascii"), digest_size=16).hexdigest()


class StudyRow(NamedTuple):
    """The row of a study: its names, counts and the head of its log."""

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
    """A trial as it is stored; ``asked`` and ``lease_until`` are Unix seconds, for display."""

    number: int
    params: str
    state: str
    asked: float
    lease_until: float
    worker: str
    attempt: int
    token: str = ""  # of the present lease; the worker that knows it holds the trial
    clock: str = ""  # name of the clock that measures the lease
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


FIRST_FORMAT = ("", "", 0.0, 0, UNKNOWN)  # further fields of a row of format 1, which has seven


class Entry(NamedTuple):
    """An entry of the log: one measurement, the failure of a trial, or a mark.

    A mark is no outcome: it is a note on its trial, or an exclusion, or says that the study goes on
    in another way: in a wider space, with a first baseline, or in finals, whose mark is of the
    trial that was asked last. Its content is JSON data in ``reason``, and its measurement is
    negative, the number of the entry, so that no two are alike.
    """

    seq: int
    trial: int
    measurement: int
    value: str | None  # repr of the float
    reason: str | None  # JSON text
    told: float

    @property
    def is_mark(self) -> bool:
        """Whether the entry is a mark."""
        return self.measurement < 0

    @property
    def is_note(self) -> bool:
        """Whether the mark is a note of a user."""
        return self.is_mark and (self.reason or "").startswith(NOTE)

    @property
    def is_exclusion(self) -> bool:
        """Whether the mark excludes measurements, or takes them back."""
        return self.is_mark and (self.reason or "").startswith(EXCLUSION)

    @property
    def is_aside(self) -> bool:
        """Whether the entry is nothing that happened to trials, or to what is searched."""
        return self.is_mark and (self.reason or "").startswith((NOTE, ENQUEUED, *EXCLUSION))

    @property
    def of_no_trial(self) -> bool:
        """Whether the mark is of no single trial."""
        return self.is_mark and self.trial in (WHOLE_STUDY, BY_WORKER)

    @property
    def is_change(self) -> bool:
        """Whether the mark changes the study's definition: a wider space, or a first baseline."""
        return self.is_mark and self.trial == WHOLE_STUDY

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
    """The digest with which a log's chain begins."""
    return digest("log", uid)
