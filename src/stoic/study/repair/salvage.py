"""Select, among rows that may be damaged, those whose digests prove them right."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from stoic.study.repair.pages import Raw
from stoic.study.store.rows import (
    FIRST_FORMAT,
    MAX_ROWS,
    OPEN,
    Entry,
    StudyRow,
    TrialRow,
    digest,
    first_head,
)

__all__ = ["Salvaged", "sort_out"]

Row = TypeVar("Row")

_STUDY_COLUMNS, _TRIAL_COLUMNS, _FIRST_TRIAL_COLUMNS, _ENTRY_COLUMNS = 11, 14, 9, 8
_DIGEST_CHARACTERS = 32
_MAX_MENDED_ROWS = 50  # of a study: one wrong byte is searched for, which takes about 0.1 s a row
_MAX_MENDED_CHARACTERS = 20_000  # of a text in which the wrong byte is searched for


@dataclass(frozen=True)
class Salvaged:
    """The rows of a study whose digests are right."""

    row: StudyRow  # with the counts that were written, where known
    definition: str | None  # None where it is lost
    trials: dict[int, TrialRow]
    entries: tuple[Entry, ...]  # in order, with their old numbers

    @property
    def lost_trials(self) -> list[int]:
        """Numbers of trials of which nothing is known."""
        return [n for n in range(self.row.next_number) if n not in self.trials]

    @property
    def lost_entries(self) -> list[int]:
        """Numbers of log entries that are lost."""
        known = {entry.seq for entry in self.entries}
        return [n for n in range(1, self.row.entries + 1) if n not in known]

    @property
    def complete(self) -> bool:
        """Whether nothing is lost."""
        return not (self.definition is None or self.lost_trials or self.lost_entries)


def sort_out(rows: Iterable[Raw]) -> list[Salvaged]:
    """Sort rows that may be damaged into studies; a row is its row id, then its columns."""
    studies: list[tuple[Raw, str]] = []
    trials: dict[int, list[Raw]] = defaultdict(list)
    entries: dict[int, dict[int, list[Raw]]] = defaultdict(lambda: defaultdict(list))
    for rowid, *row in rows:
        if len(row) == _STUDY_COLUMNS:
            study = _study(rowid, row)
            studies += [study] if study is not None else []
        elif len(row) in (_TRIAL_COLUMNS, _FIRST_TRIAL_COLUMNS):
            if isinstance(row[0], int) and _is_digest(row[8]):
                trials[row[0]].append(_trial(row))
        elif len(row) == _ENTRY_COLUMNS and all(isinstance(n, int) for n in row[:2]):
            study, seq, *rest, told, digested = row
            if _is_digest(digested):
                entries[study][seq].append((seq, *rest, _real(told), digested))
    found = [
        _salvaged(row, definition, trials[row.id], entries[row.id])
        for row, definition in _chosen(studies)
    ]
    orphans = (trials.keys() | entries.keys()) - {each.row.id for each in found}
    return found + [_orphan(study, trials[study], entries[study]) for study in sorted(orphans)]


def _is_digest(text: Any) -> bool:
    return isinstance(text, str) and len(text) == _DIGEST_CHARACTERS


def _study(rowid: Any, row: list[Any]) -> tuple[Raw, str] | None:
    """The columns of a study up to its digest, and its definition."""
    _, uid, name, made, about, *counts, head, digested, definition = row
    texts = (uid, name, about, head, digested, definition)
    if not all(isinstance(text, str) for text in texts) or not isinstance(rowid, int):
        return None
    if not all(isinstance(count, int) and 0 <= count <= MAX_ROWS for count in counts):
        return None
    return (rowid, uid, name, _real(made), about, *counts, head, digested), definition


def _trial(row: list[Any]) -> Raw:
    """The fields of a trial, then its digest, from the columns of either format."""
    later = row[9:] or FIRST_FORMAT
    token, clock, lease, lost, expires = later
    return (
        *(*row[1:4], *map(_real, row[4:6]), *row[6:8]),
        *(token, clock, _real(lease), lost, _real(expires)),
        row[8],
    )


def _orphan(study: int, trials: list[Raw], entries: dict[int, list[Raw]]) -> Salvaged:
    """A study whose row is lost; without it the digests of its trials can't be checked."""
    counts = (len({raw[0] for raw in trials}), 0, len(entries))
    return Salvaged(StudyRow(study, "", f"number {study}", 0.0, "", *counts, ""), None, {}, ())


def _real(value: Any) -> Any:
    """SQLite writes whole reals as integers."""
    return float(value) if isinstance(value, int) and abs(value) < 2**53 else value


def _chosen(found: list[tuple[Raw, str]]) -> list[tuple[StudyRow, str | None]]:
    """One row for each study: the newest right one, else one that can be mended."""
    best: dict[str, tuple[bool, StudyRow, str | None]] = {}
    for columns, definition in found:
        right = StudyRow.read(columns) or _mended(columns, StudyRow.read)
        row = right or StudyRow._make(columns[:9])
        text = _definition(definition, row.definition_digest)
        known = best.get(row.uid)
        if known is not None:
            text = text or known[2]
            if (right is not None, row.entries, row.next_number) <= (
                known[0], known[1].entries, known[1].next_number,
            ):  # fmt: skip
                best[row.uid] = (known[0], known[1], known[2] or text)
                continue
        best[row.uid] = (right is not None, row, text)
    ordered = sorted(best.values(), key=lambda each: (each[1].id, -each[0]))
    return [
        (row if right else row._replace(next_number=0, entries=0), text)  # its counts are not known
        for right, row, text in ordered
    ]


def _definition(text: str, digested: str) -> str | None:
    """A definition, mended if need be; None where it is lost."""

    def read(fields: Sequence[Any]) -> str | None:
        return str(fields[0]) if digest(fields[0]) == digested else None

    return read((text,)) or _mended((text,), read)


def _salvaged(
    row: StudyRow, definition: str | None, trials: list[Raw], entries: dict[int, list[Raw]]
) -> Salvaged:
    mends = [_MAX_MENDED_ROWS]
    known: dict[int, TrialRow] = {}
    for trial in _right(trials, lambda columns: TrialRow.read(columns, row.uid), mends):
        if trial.number not in known or _newer(trial, known[trial.number]):
            known[trial.number] = trial
    chain = tuple(_chain(row, entries, mends))
    count = max(known, default=-1) + 1
    last = max((entry.seq for entry in chain), default=0)
    row = row._replace(
        next_number=max(row.next_number, count), entries=max(row.entries, last)
    )  # the study's own row may be out of date
    return Salvaged(row, definition, dict(sorted(known.items())), chain)


def _newer(first: TrialRow, second: TrialRow) -> bool:
    return (first.state != OPEN, first.attempt, first.lease_until) > (
        second.state != OPEN, second.attempt, second.lease_until,
    )  # fmt: skip


def _chain(row: StudyRow, entries: dict[int, list[Raw]], mends: list[int]) -> Iterator[Entry]:
    """Right entries in order; a damaged entry between them does not end the chain."""
    heads = {first_head(row.uid)}
    for seq in range(1, max(entries, default=0) + 1):
        there = entries.get(seq, [])
        found = next(_right(there if heads else [], partial(_following, heads), mends), None)
        if found is None:
            heads = {columns[6] for columns in there}
        else:
            entry, head = found
            heads = {head}
            yield entry


def _following(heads: set[str], columns: Sequence[Any]) -> tuple[Entry, str] | None:
    """The entry that follows one of these digests, and its own digest."""
    found = (Entry.read(columns, head) for head in heads)
    return next(((entry, columns[6]) for entry in found if entry is not None), None)


def _right(
    rows: list[Raw], read: Callable[[Sequence[Any]], Row | None], mends: list[int]
) -> Iterator[Row]:
    """Rows whose digests are right, or are right when one byte is changed."""
    bad = []
    for columns in rows:
        row = read(columns)
        if row is None:
            bad.append(columns)
        else:
            yield row
    for columns in dict.fromkeys(bad):
        if mends[0] > 0:
            mends[0] -= 1
            mended = _mended(columns, read)
            if mended is not None:
                yield mended


def _mended(columns: Raw, read: Callable[[Sequence[Any]], Row | None]) -> Row | None:
    """The row with one byte changed so that its digest is right; chance never makes it so."""
    for i, given in enumerate(columns):
        for variant in _variants(given):
            row = read((*columns[:i], variant, *columns[i + 1 :]))
            if row is not None:
                return row
    return None


def _variants(given: Any) -> Iterator[Any]:
    if isinstance(given, str):
        for place in range(min(len(given), _MAX_MENDED_CHARACTERS)):
            for code in range(32, 127):
                yield given[:place] + chr(code) + given[place + 1 :]
    elif isinstance(given, int | float):
        form = ">d" if isinstance(given, float) else ">q"
        data = struct.pack(form, given)
        for place in range(8):
            for change in range(1, 256):
                changed = bytes((*data[:place], data[place] ^ change, *data[place + 1 :]))
                yield struct.unpack(form, changed)[0]
