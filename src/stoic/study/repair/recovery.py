"""Recover the readable rows of a damaged store into a new store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stoic.errors import InvalidInput, StoreDamaged, StoreUnavailable
from stoic.randomness import generator
from stoic.study.definition import Definition
from stoic.study.repair.backup import remove_store
from stoic.study.repair.pages import Image, Raw, images, rows_of
from stoic.study.repair.salvage import Salvaged, sort_out
from stoic.study.store import Database, open_store
from stoic.study.store.codec import text_of
from stoic.study.store.connection import Connection
from stoic.study.store.guards import check_files
from stoic.study.store.ledger import Ledger, create
from stoic.study.store.rows import FAILED, GIVEN_BACK, OPEN, TOLD, Entry, StudyRow, TrialRow
from stoic.study.store.schema import STUDY_COLUMNS
from stoic.study.store.urls import store_url
from stoic.study.store.verify import verify

__all__ = ["Recovered", "readable", "recover"]

_WIDTHS = {3, 4, 5, 6, 9, 10, 12, 15}  # of rows of Stoic's tables and indexes, row id included


@dataclass(frozen=True)
class Recovered:
    """What was recovered of a study, and what was lost."""

    name: str
    trials: int  # of the new study
    entries: int  # values and failures
    lost_trials: tuple[int, ...]  # of which nothing is left; they are asked again
    lost_entries: int  # values and failures that are lost
    reopened: tuple[int, ...]  # trials whose values are lost; they are asked again
    why: str = ""  # the reason where nothing was kept

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
    """Write a new store at ``new`` with every row of ``store`` whose digest is right, in order.

    Trials keep their numbers. A trial of which nothing is left gets a random configuration. A
    trial whose value is lost keeps its configuration. Both are asked next.
    """
    target = store_url(new)
    if target.is_file and os.path.exists(target.path):
        raise InvalidInput(f"expected a new file, got {target.path}, which exists; name another")
    found = readable(store)
    database = open_store(new, make=True)
    try:
        with database.write() as connection:
            database.exclusive(connection)
            taken: set[str] = set()
            return tuple(_rebuilt(connection, database, each, taken) for each in found)
    except BaseException:
        database.close()
        if target.is_file:
            remove_store(target.path)
        raise
    finally:
        database.close()


# -- read --------------------------------------------------------------------------------------


def readable(store: str | os.PathLike[str]) -> list[Salvaged]:
    """The readable parts of the studies of a store."""
    url = store_url(store)
    if not url.is_file:
        return sort_out(_from_server(store))
    check_files(url.path)
    try:
        _, found = images(url.path)
    except OSError as error:
        raise StoreUnavailable(
            f"expected a store at {url.path}, got {error.strerror}; check the path"
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
            columns = ", ".join((*STUDY_COLUMNS[1:], "problem"))
            yield from connection.execute(f"SELECT id, NULL, {columns} FROM stoic_studies")
            for table in ("stoic_trials", "stoic_log"):  # columns as they stand in the table
                yield from connection.execute(f"SELECT NULL, {table}.* FROM {table}")
    finally:
        database.close()


# -- write -------------------------------------------------------------------------------------


def _rebuilt(
    connection: Connection, database: Database, found: Salvaged, taken: set[str]
) -> Recovered:
    row = found.row
    try:
        definition = _definition(found)
    except StoreDamaged as error:
        every = tuple(range(row.next_number))
        return Recovered(row.name, 0, 0, every, row.entries, (), why=str(error))
    name = row.name
    while name in taken:  # a deleted study may still be readable
        name += "'"
    taken.add(name)
    outcomes: dict[int, list[Entry]] = {}
    for entry in found.entries:
        if entry.trial in found.trials and not entry.is_mark:
            outcomes.setdefault(entry.trial, []).append(entry)
    made = create(connection, row.uid, name, row.made, definition.text())
    trial_rows = [_trial(n, found, outcomes, definition) for n in range(row.next_number)]
    kept = _written(connection, Ledger(database, made), made, trial_rows, found)
    reopened = [n for n, t in found.trials.items() if t.state != OPEN and n not in outcomes]
    return Recovered(
        name, len(found.trials), kept, tuple(found.lost_trials), row.entries - kept, tuple(reopened)
    )


def _definition(found: Salvaged) -> Definition:
    if found.definition is None:
        raise StoreDamaged("what it is about can't be read")
    return Definition.from_text(found.definition)


def _written(
    connection: Connection, ledger: Ledger, made: StudyRow, rows: list[TrialRow], found: Salvaged
) -> int:
    """Write trials and log; return the number of entries."""
    known = [entry for entry in found.entries if entry.trial in found.trials or entry.of_no_trial]
    kept = [
        entry._replace(seq=seq, measurement=-seq if entry.is_mark else entry.measurement)
        for seq, entry in enumerate(known, 1)
    ]
    ledger.add_all(connection, rows)
    head = ledger.append_all(connection, made.head, kept)
    finished = sum(each.state != OPEN for each in rows)
    saved = made._replace(next_number=len(rows), finished=finished, entries=len(kept), head=head)
    ledger.save(connection, saved)
    verify(connection, ledger, saved)
    return len(kept)


def _trial(
    number: int, found: Salvaged, outcomes: dict[int, list[Entry]], definition: Definition
) -> TrialRow:
    known = found.trials.get(number)
    if known is None:
        space = definition.space
        params = text_of(space.decode(space.draw(generator(definition.seed, number))))
        return TrialRow(number, params, OPEN, found.row.made, 0.0, "", 0)
    entries = outcomes.get(number)
    if not entries:
        back = known._replace(state=OPEN, lease_until=GIVEN_BACK, expires=GIVEN_BACK)
        return known if known.state == OPEN else back
    return known._replace(state=TOLD if entries[0].reason is None else FAILED)


def _listed(numbers: Iterable[int]) -> str:
    """Numbers as text, with consecutive ones joined.

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
