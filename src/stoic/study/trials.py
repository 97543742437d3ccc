"""All trials of a study with their outcomes."""

from __future__ import annotations

from stoic.errors import StoreDamaged
from stoic.study.marks.additions import text_of_note
from stoic.study.marks.exclusions import Exclusions
from stoic.study.records import TrialRecord
from stoic.study.store.codec import params_of
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger
from stoic.study.store.rows import RESTORE, Entry, TrialRow

__all__ = ["record_of", "records", "trials_and_entries"]


def trials_and_entries(
    connection: Connection, ledger: Ledger
) -> tuple[list[tuple[TrialRow, list[Entry]]], Exclusions]:
    """Trials by number, each with its outcomes and notes in the log's order; what is excluded."""
    row, excluded = ledger.present(connection).row, Exclusions()
    entries: dict[int, list[Entry]] = {}
    for entry in ledger.log(connection, row):
        excluded.take(entry)
        if entry.is_note or not entry.is_mark:
            entries.setdefault(entry.trial, []).append(entry)
    found = [(t, entries.pop(t.number, [])) for t in ledger.trials(connection, row)]
    if entries:
        raise StoreDamaged(
            f"the log has entries of trial {min(entries)}, which does not exist", RESTORE
        )
    return found, excluded


def records(connection: Connection, ledger: Ledger) -> tuple[TrialRecord, ...]:
    """Trials by number, as one transaction sees them."""
    found, excluded = trials_and_entries(connection, ledger)
    return tuple(record_of(*each, excluded) for each in found)


def record_of(trial: TrialRow, entries: list[Entry], excluded: Exclusions) -> TrialRecord:
    """A trial as users see it."""
    told = [entry for entry in entries if not entry.is_mark]
    outcomes = [entry.outcome for entry in told]
    return TrialRecord(
        number=trial.number,
        params=params_of(trial.params),
        state=trial.state,
        values=tuple(value for value, _ in outcomes if value is not None),
        reason=next((reason for _, reason in outcomes if reason is not None), None),
        asked=trial.asked,
        told=told[0].told if told else None,
        worker=trial.worker,
        attempt=trial.attempt,
        lease_until=trial.lease_until,
        notes=tuple(text_of_note(entry) for entry in entries if entry.is_note),
        excluded=tuple(i for i, e in enumerate(told) if excluded.covers(e, trial.worker)),
    )
