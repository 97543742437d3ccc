"""All trials of a study with their outcomes."""

from __future__ import annotations

from stoic.errors import StoreDamaged
from stoic.study.marks.additions import text_of_note
from stoic.study.marks.exclusions import Exclusions
from stoic.study.records import Exclusion, TrialRecord
from stoic.study.store.codec import params_of
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger
from stoic.study.store.rows import RESTORE, Entry, TrialRow, first_head

__all__ = ["Records", "record_of", "records", "trials_and_entries"]


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


class Records:
    """All trials of a study that grows; an update reads what is new, and what is open."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._forget()

    def _forget(self) -> None:
        self._rows: list[TrialRow] = []
        self._entries: dict[int, list[Entry]] = {}  # outcomes and notes, by trial
        self._excluded = Exclusions()
        self._seen, self._head = 0, first_head(self._ledger.uid)
        self.trials: list[TrialRecord] = []  # by number
        self.outcomes: list[tuple[int, int]] = []  # trial, and which of its outcomes, as reported

    @property
    def rules(self) -> tuple[Exclusion, ...]:
        """What is excluded."""
        return self._excluded.rules()

    def measurement(self, trial: int, which: int) -> int:
        """The number that an outcome was reported with."""
        told = [entry for entry in self._entries.get(trial, ()) if not entry.is_mark]
        return told[which].measurement if which < len(told) else 0

    def update(self, connection: Connection) -> None:
        """Take in what has changed."""
        row, ledger = self._ledger.present(connection).row, self._ledger
        if row.entries < self._seen or (row.entries == self._seen and row.head != self._head):
            self._forget()  # a group that was read within, and was not written
        changed: dict[int, TrialRow] = {}
        for entry, trial in ledger.entries(connection, row, self._seen, self._head):
            self._excluded.take(entry)
            if entry.is_exclusion:
                changed = dict(enumerate(self._rows)) | changed
            if trial is None:
                continue
            changed[trial.number] = trial
            told = self._entries.setdefault(trial.number, [])
            if not entry.is_mark:
                which = sum(not each.is_mark for each in told)
                self.outcomes.append((trial.number, which))
            if entry.is_note or not entry.is_mark:
                told.append(entry)
        changed |= {trial.number: trial for trial in ledger.open(connection)}
        for number in sorted(changed):
            self._put(number, changed[number])
        self._seen, self._head = row.entries, row.head

    def _put(self, number: int, row: TrialRow) -> None:
        if number > len(self._rows):
            raise StoreDamaged(f"trial {len(self._rows)} is missing", RESTORE)
        record = record_of(row, self._entries.get(number, []), self._excluded)
        self._rows[number : number + 1] = [row]
        self.trials[number : number + 1] = [record]
