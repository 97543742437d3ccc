"""Measurements that are left out of all that a study concludes, until they are taken back.

An exclusion is an entry of the log, of a measurement, a trial, or of all workers whose names begin
in one way. Nothing is deleted: the adviser is made anew from the other entries, so that suggestions
stay a function of seed and log, and what is taken back counts as if it had never been left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stoic.errors import StoreDamaged
from stoic.study.marks.additions import append_mark
from stoic.study.records import Exclusion
from stoic.study.store.codec import read, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, Present
from stoic.study.store.rows import BY_WORKER, RESTORE, Entry
from stoic.study.store.schema import ENTRY_COLUMNS

__all__ = ["Exclusions", "exclusions", "mark_trial", "mark_worker"]

_EXCLUDE, _INCLUDE = "exclude", "include"
_MARKS = (
    f"SELECT {', '.join(ENTRY_COLUMNS)} FROM stoic_log WHERE study = ? AND measurement < 0 "
    "ORDER BY seq"
)


class Exclusions:
    """What is excluded after some entries of a log."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._trials: dict[int, dict[int | None, Exclusion | None]] = {}
        self._workers: dict[str, Exclusion] = {}
        for entry in entries:
            self.take(entry)

    def take(self, entry: Entry) -> None:
        """Take in an entry of the log; others than marks of exclusion change nothing."""
        if not entry.is_exclusion:
            return
        out, what = _content(entry)
        if isinstance(what, str):
            if out:
                self._workers.setdefault(what, Exclusion(None, None, what, entry.told))
            else:
                self._workers.pop(what, None)
            return
        rules = self._trials.setdefault(entry.trial, {})
        if what is None:  # all of the trial: what was said of single measurements is over
            rules.clear()
        rules[what] = Exclusion(entry.trial, what, None, entry.told) if out else None

    def of_trial(self, trial: int, measurement: int | None) -> bool:
        """Whether a measurement, or all of a trial, is excluded by a mark of its own."""
        rules = self._trials.get(trial, {})
        return rules.get(measurement, rules.get(None)) is not None

    def of_worker(self, worker: str) -> bool:
        """Whether all of a worker is excluded."""
        return any(worker.startswith(prefix) for prefix in self._workers)

    def names(self, prefix: str) -> bool:
        """Whether workers are excluded by this beginning of their names."""
        return prefix in self._workers

    def covers(self, entry: Entry, worker: str) -> bool:
        """Whether an outcome that this worker reported is excluded."""
        if not (self._trials or self._workers):
            return False
        return self.of_trial(entry.trial, entry.measurement) or self.of_worker(worker)

    def whole(self, trial: int) -> bool:
        """Whether all of a trial is excluded, and nothing of it taken back."""
        rules = self._trials.get(trial, {})
        return rules.get(None) is not None and None not in rules.values()

    def rules(self) -> tuple[Exclusion, ...]:
        """What is excluded: workers, then trials by number."""
        marked = [self._trials[number].values() for number in sorted(self._trials)]
        return (*self._workers.values(), *(rule for rules in marked for rule in rules if rule))

    def touches(self, trial: int) -> bool:
        """Whether anything of a trial is excluded by a mark of its own."""
        return any(self._trials.get(trial, {}).values())


def _content(entry: Entry) -> tuple[bool, Any]:
    """Whether it excludes, and what: a worker's prefix, a measurement, or None for all."""
    data = read(entry.reason, "an exclusion")
    if isinstance(data, dict) and len(data) == 1:
        (verb, what), of_worker = next(iter(data.items())), entry.trial == BY_WORKER
        right = isinstance(what, str) if of_worker else what is None or type(what) is int
        if verb in (_EXCLUDE, _INCLUDE) and right:
            return verb == _EXCLUDE, what
    raise StoreDamaged(f"entry {entry.seq} of the log is an exclusion that can't be read", RESTORE)


def exclusions(connection: Connection, ledger: Ledger) -> Exclusions:
    """What is excluded from a study now."""
    rows = connection.execute(_MARKS, (ledger.id,))
    return Exclusions(Entry._make(columns[:6]) for columns in rows)


def mark_trial(
    connection: Connection,
    ledger: Ledger,
    present: Present,
    trial: int,
    measurement: int | None,
    *,
    out: bool,
) -> bool:
    """Exclude a measurement, or a whole trial, or take it back; False where it is so already."""
    now = exclusions(connection, ledger)
    if measurement is None:
        already = now.whole(trial) if out else not now.touches(trial)
    else:
        already = now.of_trial(trial, measurement) == out
    if not already:
        _append(connection, ledger, present, trial, measurement, out=out)
    return not already


def mark_worker(
    connection: Connection, ledger: Ledger, present: Present, prefix: str, *, out: bool
) -> bool:
    """Exclude all of the workers whose names begin so, or take them back; False as above."""
    if exclusions(connection, ledger).names(prefix) == out:
        return False
    _append(connection, ledger, present, BY_WORKER, prefix, out=out)
    return True


def _append(
    connection: Connection, ledger: Ledger, present: Present, trial: int, what: object, *, out: bool
) -> None:
    content = written({_EXCLUDE if out else _INCLUDE: what})
    append_mark(connection, ledger, present, trial, content)
