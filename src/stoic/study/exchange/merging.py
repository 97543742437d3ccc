"""Merge the measurements of a file into a study; contradictions are errors."""

from __future__ import annotations

from stoic.errors import ConflictingValue, InvalidInput
from stoic.study.exchange.incoming import Incoming
from stoic.study.marks.additions import add_note
from stoic.study.marks.exclusions import exclusions, mark_trial
from stoic.study.store.codec import params_of, text_of, value_of, written
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger
from stoic.study.store.rows import FAILED, OPEN, TOLD, Entry, TrialRow

__all__ = ["Merger"]

_WORKER = "import"  # the worker of imported trials


class Merger:
    """Writes trials and their outcomes within one transaction."""

    def __init__(self, ledger: Ledger, connection: Connection) -> None:
        self.ledger, self.connection = ledger, connection
        self.present = ledger.present(connection, lock=True)
        self.trials = self.outcomes = self.known = 0

    def take(self, rows: list[Incoming]) -> None:
        """All rows of a file."""
        for trial in _by_trial(rows, self.present.row.next_number):
            self._take_trial(trial)
        self.ledger.save(self.connection, self.present.row)

    def _take_trial(self, rows: list[Incoming]) -> None:
        """The rows of one trial."""
        first = rows[0]
        text = text_of(first.params)
        trial = None
        if first.number is not None:
            trial = self.ledger.trial(self.connection, first.number)
        if trial is None:
            trial = self._add(first, text)
        elif params_of(trial.params) != first.params:
            raise ConflictingValue(
                f"{first.label}: expected trial {trial.number} at {trial.params}, got {text}; "
                "drop the column 'number' to add the rows as new trials; nothing was imported"
            )
        for i, row in enumerate(rows):
            if row.params != first.params:
                raise InvalidInput(
                    f"{row.label}: expected the parameters of trial {trial.number} as in "
                    f"{first.label}, got others; nothing was imported"
                )
            trial = self._outcome(trial, row, i)
            self._exclude(trial, row, i)
            for note in row.notes:
                add_note(self.connection, self.ledger, self.present, trial.number, note)

    def _add(self, row: Incoming, text: str) -> TrialRow:
        number, now = self.present.row.next_number, self.present.now
        asked = now if row.asked is None else row.asked
        trial = TrialRow(number, text, OPEN, asked, 0.0, _WORKER, int(row.state != OPEN))
        self.ledger.add(self.connection, trial)
        self.present.row = self.present.row._replace(next_number=number + 1)
        self.trials += 1
        return trial

    def _outcome(self, trial: TrialRow, row: Incoming, order: int) -> TrialRow:
        if row.state == OPEN:
            return trial
        measurement = _measurement(row, order)
        if trial.state != OPEN and self._settled(trial, row, measurement):
            self.known += 1
            return trial
        entry = Entry(
            self.present.row.entries + 1,
            trial.number,
            measurement,
            None if row.value is None else repr(row.value),
            None if row.state != FAILED else written(row.reason or ""),
            self.present.now if row.told is None else row.told,
        )
        self.present.row = self.ledger.append(self.connection, self.present, trial, entry)
        self.outcomes += 1
        if trial.state == OPEN:
            trial = trial._replace(state=TOLD if row.state == TOLD else FAILED)
            self.ledger.change(self.connection, trial)
        return trial

    def _exclude(self, trial: TrialRow, row: Incoming, order: int) -> None:
        """Exclude a measurement that is excluded in the file; none is taken back."""
        if row.excluded and row.state != OPEN:
            now, which = exclusions(self.connection, self.ledger), _measurement(row, order)
            if not now.of_worker(trial.worker):
                what = (self.connection, self.ledger, self.present, trial.number, which)
                mark_trial(*what, out=True)

    def _settled(self, trial: TrialRow, row: Incoming, measurement: int) -> bool:
        """Whether the study has the row already."""
        if trial.state != row.state:
            raise ConflictingValue(
                f"{row.label}: expected trial {trial.number} as {trial.state}, got {row.state}; "
                "the first outcome stays; nothing was imported"
            )
        if trial.state == FAILED:
            return True
        known = self.ledger.entry(self.connection, trial.number, measurement)
        if known is not None and value_of(known[0]) != row.value:
            raise ConflictingValue(
                f"{row.label}: expected {known[0]} again as measurement {measurement} of trial "
                f"{trial.number}, got {row.value!r}; the first one stays; nothing was imported"
            )
        return known is not None


def _measurement(row: Incoming, order: int) -> int:
    if row.state == FAILED:
        return 0
    return order if row.measurement is None else row.measurement


def _by_trial(rows: list[Incoming], following: int) -> list[list[Incoming]]:
    """Group rows by trial: known trials, new numbered ones in order, then unnumbered ones."""
    numbered: dict[int, list[Incoming]] = {}
    for row in rows:
        if row.number is not None:
            numbered.setdefault(row.number, []).append(row)
        elif row.measurement not in (None, 0):
            raise InvalidInput(
                f"{row.label}: expected the trial's number with a further measurement, got "
                "none; nothing was imported"
            )
    for number in sorted(n for n in numbered if n >= following):
        if number != following:
            raise InvalidInput(
                f"{numbered[number][0].label}: expected trial numbers to go on with {following}, "
                f"got {number}; drop the column 'number' to add the rows as new trials; nothing "
                "was imported"
            )
        following += 1
    unnumbered = [[row] for row in rows if row.number is None]
    return [numbered[n] for n in sorted(numbered)] + unnumbered
