"""A study looked through row by row: what is wrong, not only that something is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from stoic.errors import InvalidInput, StoicError, StoreDamaged
from stoic.study.advisers import adviser_of
from stoic.study.definition import Problem
from stoic.study.repair.issues import Finding, damage, fine, note
from stoic.study.repair.verify import verify
from stoic.study.store.codec import params_of, read, value_of
from stoic.study.store.database import Database
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
from stoic.study.store.schema import log, trials

__all__ = ["study_findings"]

_TRIAL = (*(trials.c[name] for name in TrialRow._fields), trials.c.seal)
_ENTRY = (*(log.c[name] for name in Entry._fields), log.c.seal)
_SHOWN = 5  # examples of each kind of damage


def study_findings(database: Database, connection: Connection, name: str) -> Iterator[Finding]:
    """All that there is to say of a study."""
    where = f"study {name!r}"
    try:
        found = find(connection, name)
        if found is None:
            yield damage(where, "it is listed, but not found by its name")
            return
        row, problem = found[0], Problem.from_text(found[1])
    except StoreDamaged as error:
        yield damage(where, str(error).partition("; restore")[0])
        return
    except DBAPIError as error:
        yield damage(where, f"its row can't be read: {error.orig}")
        return
    if max(row.next_number, row.entries) > MAX_ROWS:
        yield damage(where, f"its row tells {row.next_number} trials, {row.entries} log entries")
        return
    yield fine(where, f"{problem.direction} {problem.objective}, method {problem.method}")
    checks = [_trials(connection, row, where), _log(connection, row, where)]
    damaged = False
    for check in checks:
        for finding in _tolerant(check, where):
            damaged |= finding.kind == "damage"
            yield finding
    if damaged:
        return
    yield from _tolerant(_together(database, connection, row, where), where)
    yield from _tolerant(_replayed(database, connection, row, problem, where), where)


def _tolerant(findings: Iterator[Finding], where: str) -> Iterator[Finding]:
    try:
        yield from findings
    except StoreDamaged as error:
        yield damage(where, str(error).partition("; restore")[0])
    except DBAPIError as error:
        yield damage(where, f"SQLite gives up: {error.orig}")


def _trials(connection: Connection, row: StudyRow, where: str) -> Iterator[Finding]:
    """Seals, gaps and counts of trials."""
    wanted = sa.select(*_TRIAL).where(trials.c.study == row.id).order_by(trials.c.number)
    bad, numbers = [], []
    for found in connection.execute(wanted):
        numbers.append(found[0])
        if TrialRow._make(found[:-1]).seal(row.uid) != found[-1]:
            bad.append(found[0])
    missing = sorted(set(range(row.next_number)).difference(numbers))
    extra = [n for n in numbers if not isinstance(n, int) or not 0 <= n < row.next_number]
    yield from _lists(
        where,
        {
            "trials that are not as they were written": bad,
            "trials that are missing": missing,
            "trials that nobody asked": extra,
        },
    )
    if not (bad or missing or extra):
        yield fine(where, f"{row.next_number} trials, all sealed, none missing")


def _log(connection: Connection, row: StudyRow, where: str) -> Iterator[Finding]:
    """Seals, gaps and the chain of the log."""
    wanted = sa.select(*_ENTRY).where(log.c.study == row.id).order_by(log.c.seq)
    head, expected = first_head(row.uid), 1
    bad: list[Any] = []
    gaps: list[Any] = []
    for found in connection.execute(wanted):
        while isinstance(found[0], int) and expected < found[0] <= row.entries:
            gaps.append(expected)
            expected += 1
        if found[0] != expected or (
            expected - 1 not in gaps and Entry._make(found[:6]).seal(head) != found[6]
        ):
            bad.append(found[0])
        head, expected = found[6], expected + 1
    gaps += range(expected, row.entries + 1)
    yield from _lists(
        where,
        {
            "log entries that are not as they were written": bad,
            "log entries that are missing": gaps,
        },
    )
    if not (bad or gaps) and head != row.head:
        yield damage(where, "its log does not end where the study's row says")
    elif not (bad or gaps):
        yield fine(where, f"{row.entries} log entries, all sealed and chained, none missing")


def _lists(where: str, found: dict[str, list[Any]]) -> Iterator[Finding]:
    for words, numbers in found.items():
        if numbers:
            shown = ", ".join(str(n)[:20] for n in numbers[:_SHOWN])
            rest = ", …" if len(numbers) > _SHOWN else ""
            yield damage(where, f"{words}: {len(numbers)} ({shown}{rest})")


def _together(
    database: Database, connection: Connection, row: StudyRow, where: str
) -> Iterator[Finding]:
    """Whether trials and log are of one mind, and who holds open trials."""
    ledger = Ledger(database, row)
    verify(connection, ledger, row)
    counted = connection.execute(
        sa.select(trials.c.state, sa.func.count())
        .where(trials.c.study == row.id)
        .group_by(trials.c.state)
    )
    states: dict[str, int] = {state: int(n) for state, n in counted.all()}
    yield fine(
        where,
        f"trials and log agree: {states.get(TOLD, 0)} told, {states.get(FAILED, 0)} failed, "
        f"{states.get(OPEN, 0)} open",
    )
    present = ledger.look(connection)
    late = [trial.number for trial in ledger.open(connection) if present.over(trial)]
    if late:
        shown = ", ".join(map(str, late[:_SHOWN])) + (", …" if len(late) > _SHOWN else "")
        yield note(where, f"open trials that nobody holds, to be asked next: {shown}")


def _replayed(
    database: Database, connection: Connection, row: StudyRow, problem: Problem, where: str
) -> Iterator[Finding]:
    """The log told to the optimiser, and the optimiser asked."""
    ledger = Ledger(database, row)
    try:
        adviser = adviser_of(problem)
    except InvalidInput:
        yield note(where, "its policy has a schedule of its own, so it was not replayed")
        return
    try:
        told = []
        for entry, trial in ledger.entries(connection, row):
            value = None if entry.value is None else value_of(entry.value)
            reason = None if entry.reason is None else str(read(entry.reason, "a reason"))
            told.append((entry.trial, params_of(trial.params), value, reason))
        adviser.take_all(told)
        pending = [params_of(trial.params) for trial in ledger.open(connection)]
        adviser.suggest(row.next_number, pending)
    except StoicError as error:
        yield damage(where, f"the optimiser does not take its log: {error}")
    else:
        yield fine(where, "the optimiser takes its log and goes on")
