"""Check a study row by row, and list everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stoic.errors import InvalidInput, StoicError, StoreDamaged
from stoic.study.advisers.following import Follower, adviser_of, logged
from stoic.study.definition import Definition
from stoic.study.marks.additions import present_definition
from stoic.study.repair.issues import Issue, damage, damage_of, fine, note
from stoic.study.store import Database
from stoic.study.store.codec import params_of
from stoic.study.store.connection import Connection
from stoic.study.store.ledger import Ledger, find
from stoic.study.store.rows import (
    FAILED,
    MAX_ROWS,
    OPEN,
    TOLD,
    Entry,
    StudyRow,
    TrialRow,
    first_head,
)
from stoic.study.store.verify import verify

__all__ = ["study_issues"]

_MAX_EXAMPLES = 5  # listed for each kind of damage


def study_issues(database: Database, connection: Connection, name: str) -> Iterator[Issue]:
    """The issues of a study."""
    place = f"study {name!r}"
    try:
        found = find(connection, name)
        if found is None:
            yield damage("study", place, "it is listed, but not found by its name")
            return
        row, definition = found[0], Definition.from_text(found[1])
    except StoreDamaged as error:
        yield damage_of("study", place, error)
        return
    except database.driver_errors as error:
        yield damage("study", place, f"its row can't be read: {error}")
        return
    if max(row.next_number, row.entries) > MAX_ROWS:
        words = f"its row counts {row.next_number} trials, {row.entries} log entries"
        yield damage("study", place, words)
        return
    about = f"{definition.direction} {definition.objective}, method {definition.method}"
    yield fine("study", place, about)
    yield from _StudyCheck(database, connection, row, definition, place).issues()


class _StudyCheck:
    """The checks of one study within one transaction."""

    def __init__(
        self,
        database: Database,
        connection: Connection,
        row: StudyRow,
        definition: Definition,
        place: str,
    ) -> None:
        self._errors, self._ledger = database.driver_errors, Ledger(database, row)
        self._connection, self._row, self._definition = connection, row, definition
        self._where = place

    def issues(self) -> Iterator[Issue]:
        """Check trials and log alone; where both are whole, check them together."""
        found = [*self._tolerant("trials", self._trials()), *self._tolerant("log", self._log())]
        yield from found
        if not any(issue.kind == "damage" for issue in found):
            yield from self._tolerant("consistency", self._consistency())
            yield from self._tolerant("replay", self._replay())

    def _tolerant(self, code: str, issues: Iterator[Issue]) -> Iterator[Issue]:
        try:
            yield from issues
        except StoreDamaged as error:
            yield damage_of(code, self._where, error)
        except self._errors as error:
            yield damage(code, self._where, f"SQLite gives up: {error}")

    def _trials(self) -> Iterator[Issue]:
        """Check digests, gaps and counts of trials."""
        count, bad, numbers = self._row.next_number, [], []
        for columns in self._ledger.columns(self._connection, TrialRow):
            numbers.append(columns[0])
            if TrialRow.read(columns, self._row.uid) is None:
                bad.append(columns[0])
        missing = sorted(set(range(count)).difference(numbers))
        extra = [n for n in numbers if not isinstance(n, int) or not 0 <= n < count]
        yield from self._listed("trials", "trials that are not as they were written", bad)
        yield from self._listed("trials", "trials that are missing", missing)
        yield from self._listed("trials", "trials that nobody asked", extra)
        if not (bad or missing or extra):
            words = f"{count} trials, all digests right, none missing"
            yield fine("trials", self._where, words)

    def _log(self) -> Iterator[Issue]:
        """Check digests, gaps and the chain of the log."""
        count, head, expected = self._row.entries, first_head(self._row.uid), 1
        bad: list[Any] = []
        gaps: list[int] = []
        for columns in self._ledger.columns(self._connection, Entry):
            seq = columns[0]
            while isinstance(seq, int) and expected < seq <= count:
                gaps.append(expected)
                expected += 1
            follows = gaps[-1:] != [expected - 1]  # else its predecessor's digest is not known
            if seq != expected or (follows and Entry.read(columns, head) is None):
                bad.append(seq)
            head, expected = columns[6], expected + 1
        gaps += range(expected, count + 1)
        yield from self._listed("log", "log entries that are not as they were written", bad)
        yield from self._listed("log", "log entries that are missing", gaps)
        if not (bad or gaps) and head != self._row.head:
            yield damage("log", self._where, "its log does not end where the study's row does")
        elif not (bad or gaps):
            words = f"{count} log entries, all digests right and chained, none missing"
            yield fine("log", self._where, words)

    def _listed(self, code: str, words: str, numbers: list[Any]) -> Iterator[Issue]:
        if numbers:
            yield damage(code, self._where, f"{words}: {len(numbers)} ({_examples(numbers)})")

    def _consistency(self) -> Iterator[Issue]:
        """Check trials against the log; list open trials that nobody holds."""
        verify(self._connection, self._ledger, self._row)
        states = self._ledger.states(self._connection)
        yield fine(
            "consistency",
            self._where,
            f"trials and log agree: {states.get(TOLD, 0)} told, {states.get(FAILED, 0)} failed, "
            f"{states.get(OPEN, 0)} open",
        )
        present = self._ledger.present(self._connection)
        late = [t.number for t in self._ledger.open(self._connection) if present.over(t)]
        if late:
            words = f"open trials that nobody holds, to be asked next: {_examples(late)}"
            yield note("leases", self._where, words)

    def _replay(self) -> Iterator[Issue]:
        """Replay the log into the optimiser, and ask it for a trial."""
        ledger, row = self._ledger, self._row
        definition = present_definition(self._connection, ledger, self._definition.text())
        try:
            adviser_of(definition)
        except InvalidInput:
            words = "its policy has a schedule of its own, so it was not replayed"
            yield note("replay", self._where, words)
            return
        try:
            follower = Follower(ledger.name, ledger.uid, definition)
            head = first_head(ledger.uid)
            entries = [logged(*each) for each in ledger.entries(self._connection, row, 0, head)]
            follower.take(entries, row.entries, row.head)
            pending = [params_of(trial.params) for trial in ledger.open(self._connection)]
            follower.adviser.suggest(row.next_number, pending)
        except StoicError as error:
            yield damage("replay", self._where, f"the optimiser does not take its log: {error}")
        else:
            yield fine("replay", self._where, "the optimiser takes its log and goes on")


def _examples(numbers: list[Any]) -> str:
    shown = ", ".join(str(number)[:20] for number in numbers[:_MAX_EXAMPLES])
    return shown + (", …" if len(numbers) > _MAX_EXAMPLES else "")
