"""Verify a stored study: digests right, no row missing, trials and log consistent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stoic.errors import StoreDamaged
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger
from stoic.study.store.lockfile import Counters
from stoic.study.store.rows import FAILED, OPEN, RESTORE, TOLD, Entry, StudyRow

__all__ = ["not_behind", "verify"]

_STATES = {OPEN: 0, TOLD: 1, FAILED: 2}


def verify(
    connection: Connection,
    ledger: Ledger,
    row: StudyRow,
    take: Callable[[Entry, str, str], None] | None = None,
) -> None:
    """Raise `StoreDamaged` unless the study is whole.

    ``take`` is called with every entry of the log, and its trial's parameters and worker, or none.

    Cost: about 20 µs for each trial.
    """
    for table, count in (("stoic_trials", row.next_number), ("stoic_log", row.entries)):
        found = connection.value(f"SELECT count(*) FROM {table} WHERE study = ?", (row.id,))
        if found != count:  # before memory is allocated for them
            raise _damaged(ledger, f"expected {count} rows in {table}, got {found}")
    states = bytearray(row.next_number)
    told = []
    for trial in ledger.trials(connection, row):
        states[trial.number] = _STATES.get(trial.state, 3)
        if take is not None:
            told.append((trial.params, trial.worker))
    outcomes = bytearray(row.next_number)
    for entry in ledger.log(connection, row):
        if entry.of_no_trial:
            if take is not None:
                take(entry, "", "")
            continue
        if not 0 <= entry.trial < row.next_number:
            raise _damaged(
                ledger, f"entry {entry.seq} is of trial {entry.trial}, which does not exist"
            )
        if not entry.is_mark:
            outcomes[entry.trial] = 1 if entry.reason is None else 2
        if take is not None:
            take(entry, *told[entry.trial])
    if states != outcomes:
        first = next(n for n in range(len(states)) if states[n] != outcomes[n])
        raise _damaged(ledger, f"trial {first} and the log disagree")
    if row.finished != len(states) - states.count(0):
        raise _damaged(ledger, "the count of finished trials is wrong")


def not_behind(connection: Connection, counters: Mapping[int, Counters], where: str) -> None:
    """Raise `StoreDamaged` where a study has fewer rows than its ``counters``."""
    if not counters:
        return
    rows = connection.execute("SELECT id, uid, next_number, entries FROM stoic_studies")
    now = {study: Counters(*rest) for study, *rest in rows}
    for study, before in counters.items():
        here = now.get(study, Counters("", 0, 0))
        fewer = here.next_number < before.next_number or here.entries < before.entries
        if here.uid != before.uid or fewer:
            raise StoreDamaged(
                f"expected {before.entries} measurements of {before.next_number} trials in study "
                f"{before.uid}, got {here.entries} of {here.next_number}: what was acknowledged is "
                "missing",
                f"restore {where}, or delete {where}-lock if it is an old copy on purpose",
            )


def _damaged(ledger: Ledger, what: str) -> StoreDamaged:
    return StoreDamaged(f"study {ledger.name!r} is damaged: {what}", RESTORE)
