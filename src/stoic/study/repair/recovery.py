"""A new store with all that is readable of a damaged one, which is left as it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from stoic.errors import InvalidInput, StoreDamaged, StoreUnavailable
from stoic.randomness import generator
from stoic.study.definition import Problem
from stoic.study.repair.pages import Image, images, rows_of
from stoic.study.repair.salvage import Raw, Salvaged, sort_out
from stoic.study.repair.verify import verify
from stoic.study.store.codec import text_of
from stoic.study.store.database import Database
from stoic.study.store.guards import check_files
from stoic.study.store.ledger import Ledger, create
from stoic.study.store.opening import open_store
from stoic.study.store.rows import FAILED, GIVEN_BACK, OPEN, TOLD, Entry, StudyRow, TrialRow
from stoic.study.store.schema import log, studies, trials
from stoic.study.store.urls import place

__all__ = ["Recovered", "readable", "recover"]

_WIDTHS = {3, 4, 5, 6, 9, 10, 12, 15}  # of rows of Stoic's tables and indexes, row id included


@dataclass(frozen=True)
class Recovered:
    """What became of a study."""

    name: str
    trials: int  # with what is known of them
    entries: int  # values and failures
    lost_trials: tuple[int, ...]  # of which nothing is known; to be asked anew
    lost_entries: int  # values and failures that are gone
    reopened: tuple[int, ...]  # trials whose values are gone; to be asked again
    why: str = ""  # nothing was kept

    @property
    def share(self) -> float:
        """The part of values and failures that was kept."""
        whole = self.entries + self.lost_entries
        return (0.0 if self.why else 1.0) if whole == 0 else self.entries / whole

    def __str__(self) -> str:
        if self.why:
            return f"study {self.name!r}: lost, since {self.why}"
        whole = self.entries + self.lost_entries
        words = [f"study {self.name!r}: {self.entries} of {whole} values and failures kept"]
        if self.lost_trials:
            words.append(f"lost trials, to be asked anew: {_listed(self.lost_trials)}")
        if self.reopened:
            words.append(f"trials to be measured again: {_listed(self.reopened)}")
        return "; ".join(words)


def recover(store: str | os.PathLike[str], new: str | os.PathLike[str]) -> tuple[Recovered, ...]:
    """Write a new store at ``new`` with every row of ``store`` whose seal holds, in order.

    Trials keep their numbers. A trial of which nothing is left comes back at a random
    configuration, and one whose value is lost as it was; both are asked next.
    """
    target = place(new)
    if target.drivername.startswith("sqlite") and os.path.exists(str(target.database)):
        raise InvalidInput(
            f"expected a new file, got {target.database}, which exists; name another"
        )
    found = readable(store)
    database = open_store(new, make=True)
    try:
        with database.write() as connection:
            database.exclusive(connection)
            taken: set[str] = set()
            return tuple(_rebuilt(connection, database, each, taken) for each in found)
    except BaseException:
        database.close()
        if target.drivername.startswith("sqlite"):
            for end in ("", "-wal", "-shm", "-lock"):
                with suppress(OSError):
                    os.unlink(f"{target.database}{end}")
        raise
    finally:
        database.close()


# -- read --------------------------------------------------------------------------------------


def readable(store: str | os.PathLike[str]) -> list[Salvaged]:
    """The studies of a store, as far as they can be read."""
    url = place(store)
    if not url.drivername.startswith("sqlite"):
        return sort_out(_from_server(store))
    check_files(str(url.database))
    try:
        _, found = images(str(url.database))
    except OSError as error:
        raise StoreUnavailable(
            f"expected a store at {url.database}, got {error.strerror}; look at the path"
        ) from error
    rows, bad = [], []
    for image in found:
        for number in range(1, len(image) + 1):
            in_page = list(rows_of(image, number))
            rows += in_page
            if not _clean(image, number, in_page):
                bad.append((image, number))
    made = sort_out(rows)
    if made and all(each.complete for each in made):
        return made
    for image, number in bad:  # where a page's bookkeeping is damaged, its rows may still be whole
        rows += [row for row in rows_of(image, number, anywhere=True) if len(row) in _WIDTHS]
    return sort_out(rows)


def _clean(image: Image, number: int, rows: list[Raw]) -> bool:
    page = image.page(number)
    start = 100 if number == 1 else 0
    if len(page) < image.page_size or page[start] not in (2, 5, 10, 13):
        return False
    counted = int.from_bytes(page[start + 3 : start + 5], "big")
    return page[start] == 5 or (len(rows) == counted and all(len(row) in _WIDTHS for row in rows))


def _from_server(store: str | os.PathLike[str]) -> Iterator[Raw]:
    database = open_store(store, make=False)
    try:
        with database.read() as connection:
            columns = [c for c in studies.c if c.name != "id"]
            for row in connection.execute(sa.select(studies.c.id, sa.null(), *columns)):
                sealed, problem = row[-2:]  # as the columns stand in the table
                yield (*row[:-2], sealed, problem)
            for table in (trials, log):
                for row in connection.execute(sa.select(sa.null(), *table.c)):
                    yield tuple(row)
    finally:
        database.close()


# -- write -------------------------------------------------------------------------------------


def _rebuilt(
    connection: Connection, database: Database, found: Salvaged, taken: set[str]
) -> Recovered:
    row = found.row
    try:
        problem = _problem(found)
    except StoreDamaged as error:
        every = tuple(range(row.next_number))
        return Recovered(row.name, 0, 0, every, row.entries, (), why=str(error))
    name = row.name
    while name in taken:  # a study that was deleted may be readable still
        name += "'"
    taken.add(name)
    outcomes: dict[int, list[Entry]] = {}
    for entry in found.entries:
        if entry.trial in found.trials:
            outcomes.setdefault(entry.trial, []).append(entry)
    made = create(connection, row.uid, name, row.made, problem.text())
    trial_rows = [_trial(n, found, outcomes, problem) for n in range(row.next_number)]
    kept = _written(connection, Ledger(database, made), made, trial_rows, found)
    reopened = [n for n, t in found.trials.items() if t.state != OPEN and n not in outcomes]
    return Recovered(
        name, len(found.trials), kept, tuple(found.lost_trials), row.entries - kept, tuple(reopened)
    )


def _problem(found: Salvaged) -> Problem:
    if found.problem is None:
        raise StoreDamaged("what it is about can't be read")
    return Problem.from_text(found.problem)


def _written(
    connection: Connection, ledger: Ledger, made: StudyRow, rows: list[TrialRow], found: Salvaged
) -> int:
    """Write trials and log; the number of entries."""
    head, kept = made.head, []
    for seq, entry in enumerate((e for e in found.entries if e.trial in found.trials), 1):
        moved = entry._replace(seq=seq)
        head = moved.seal(head)
        kept.append({"study": made.id, **moved._asdict(), "seal": head})
    sealed = [{"study": made.id, **each._asdict(), "seal": each.seal(made.uid)} for each in rows]
    _insert(connection, trials, sealed)
    _insert(connection, log, kept)
    finished = sum(each.state != OPEN for each in rows)
    saved = made._replace(next_number=len(rows), finished=finished, entries=len(kept), head=head)
    ledger.save(connection, saved)
    verify(connection, ledger, saved)
    return len(kept)


def _trial(
    number: int, found: Salvaged, outcomes: dict[int, list[Entry]], problem: Problem
) -> TrialRow:
    known = found.trials.get(number)
    if known is None:
        space = problem.space
        quantiles = generator(problem.seed, number).random((1, len(space)))
        params = text_of(space.decode(space.fill(quantiles)[0]))
        return TrialRow(number, params, OPEN, found.row.made, 0.0, "", 0)
    entries = outcomes.get(number)
    if not entries:
        back = known._replace(state=OPEN, lease_until=GIVEN_BACK, expires=GIVEN_BACK)
        return known if known.state == OPEN else back
    return known._replace(state=TOLD if entries[0].reason is None else FAILED)


def _insert(connection: Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    for begin in range(0, len(rows), 1000):
        connection.execute(table.insert(), rows[begin : begin + 1000])


def _listed(numbers: Iterable[int]) -> str:
    """Numbers in words, with runs drawn together.

    >>> _listed([1, 2, 3, 7])
    '1–3, 7'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [f"{a}" if a == b else f"{a}–{b}" for a, b in runs]
    return ", ".join(words[:20]) + (f" and {len(words) - 20} more" if len(words) > 20 else "")
