"""All trials of a study with their outcomes."""

from __future__ import annotations

from sqlalchemy import Connection

from stoic.study.records import TrialRecord
from stoic.study.store.codec import params_of, read, value_of
from stoic.study.store.ledger import Ledger
from stoic.study.store.rows import Entry

__all__ = ["records"]


def records(connection: Connection, ledger: Ledger) -> tuple[TrialRecord, ...]:
    """Trials by number, as one transaction sees them."""
    row = ledger.look(connection).row
    outcomes: dict[int, list[Entry]] = {}
    for entry in ledger.log(connection, row):
        outcomes.setdefault(entry.trial, []).append(entry)
    made = []
    for trial in ledger.trials(connection, row):
        entries = outcomes.get(trial.number, [])
        reasons = [read(e.reason, "a reason") for e in entries if e.reason is not None]
        made.append(
            TrialRecord(
                number=trial.number,
                params=params_of(trial.params),
                state=trial.state,
                values=tuple(value_of(e.value) for e in entries if e.value is not None),
                reason=reasons[0] if reasons else None,
                asked=trial.asked,
                told=entries[0].told if entries else None,
                worker=trial.worker,
                attempt=trial.attempt,
                lease_until=trial.lease_until,
            )
        )
    return tuple(made)
