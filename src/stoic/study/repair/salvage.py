"""What of a study is surely as it was written, among rows that may be damaged."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from stoic.study.store.digests import seal
from stoic.study.store.rows import (
    FIRST_FORMAT,
    MAX_ROWS,
    OPEN,
    Entry,
    StudyRow,
    TrialRow,
    first_head,
)

__all__ = ["Salvaged", "sort_out"]

Raw = tuple[Any, ...]  # row id, then the columns of one of the tables

_STUDY, _TRIAL, _ENTRY = 12, 15, 9  # lengths of such rows
_FIRST_TRIAL = 10  # in format 1
_SEAL = 32  # characters
_MENDED = 50  # rows of a study of which one wrong byte is looked for; each costs about 0.1 s


@dataclass(frozen=True)
class Salvaged:
    """The rows of a study whose seals hold."""

    row: StudyRow  # with the counts that were written, as far as is known
    problem: str | None  # None where it is lost
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
        return not (self.problem is None or self.lost_trials or self.lost_entries)


def sort_out(rows: Iterable[Raw]) -> list[Salvaged]:
    """The studies that rows of unknown worth belong to."""
    studies: list[tuple[StudyRow, str, str]] = []
    trials: dict[int, list[Raw]] = defaultdict(list)
    entries: dict[int, dict[int, list[Raw]]] = defaultdict(lambda: defaultdict(list))
    for rowid, *row in rows:
        if len(row) == _STUDY - 1:
            study = _study(rowid, row)
            studies += [study] if study is not None else []
        elif len(row) in (_TRIAL - 1, _FIRST_TRIAL - 1):
            if _sealed_text(row[8]) and isinstance(row[0], int):
                trials[row[0]].append(_trial(row))
        elif len(row) == _ENTRY - 1 and isinstance(row[0], int) and isinstance(row[1], int):
            if not _sealed_text(row[-1]):
                continue
            entries[row[0]][row[1]].append((*row[1:6], _real(row[6]), row[7]))
    found = [
        _salvaged(row, problem, trials[row.id], entries[row.id])
        for row, problem in _chosen(studies)
    ]
    orphans = (trials.keys() | entries.keys()) - {each.row.id for each in found}
    return found + [_orphan(study, trials[study], entries[study]) for study in sorted(orphans)]


def _sealed_text(text: Any) -> bool:
    return isinstance(text, str) and len(text) == _SEAL


def _trial(row: list[Any]) -> Raw:
    """The fields of a trial, then its seal, from the columns of either format."""
    later = row[9:] or FIRST_FORMAT
    token, clock, lease, lost, expires = later
    return (
        *(*row[1:4], *map(_real, row[4:6]), *row[6:8]),
        *(token, clock, _real(lease), lost, _real(expires)),
        row[8],
    )


def _orphan(study: int, trials: list[Raw], entries: dict[int, list[Raw]]) -> Salvaged:
    """A study of which no row is left that tells what it is about; seals need that row, too."""
    counts = (len({raw[0] for raw in trials}), 0, len(entries))
    return Salvaged(StudyRow(study, "", f"number {study}", 0.0, "", *counts, ""), None, {}, ())


def _study(rowid: Any, row: list[Any]) -> tuple[StudyRow, str, str] | None:
    _, uid, name, made, problem_seal, *counts, head, sealed, problem = row
    texts = (uid, name, problem_seal, head, sealed, problem)
    if not all(isinstance(text, str) for text in texts) or not isinstance(rowid, int):
        return None
    if not all(isinstance(count, int) and 0 <= count <= MAX_ROWS for count in counts):
        return None
    made_row = StudyRow._make((rowid, uid, name, _real(made), problem_seal, *counts, head))
    return made_row, sealed, problem


def _real(value: Any) -> Any:
    """SQLite writes whole reals as integers."""
    return float(value) if isinstance(value, int) and abs(value) < 2**53 else value


def _chosen(found: list[tuple[StudyRow, str, str]]) -> list[tuple[StudyRow, str | None]]:
    """One row for each study: a sealed one, of those the newest, else one that can be mended."""
    best: dict[str, tuple[bool, StudyRow, str | None]] = {}
    for row, sealed, problem in found:
        holds = row.seal() == sealed
        if not holds:
            mended = _mended((*row, sealed), lambda f: StudyRow(*f[:9]).seal() == f[9])
            row, holds = (StudyRow(*mended[:9]), True) if mended else (row, False)
        whole: str | None = problem
        if seal(problem) != row.problem_seal:
            fields = _mended((problem,), lambda f, row=row: seal(f[0]) == row.problem_seal)  # type: ignore[misc]
            whole = fields[0] if fields else None
        known = best.get(row.uid)
        if known is not None and whole is None:
            whole = known[2]
        if known is None or (holds, row.entries, row.next_number) > (
            known[0], known[1].entries, known[1].next_number,
        ):  # fmt: skip
            best[row.uid] = (holds, row, whole)
        elif known[2] is None:
            best[row.uid] = (known[0], known[1], whole)
    ordered = sorted(best.values(), key=lambda each: (each[1].id, -each[0]))
    return [
        (row if holds else row._replace(next_number=0, entries=0), problem)  # who knows
        for holds, row, problem in ordered
    ]


def _salvaged(
    row: StudyRow, problem: str | None, trials: list[Raw], entries: dict[int, list[Raw]]
) -> Salvaged:
    mends = [_MENDED]
    known: dict[int, TrialRow] = {}
    for raw in _sealed(trials, lambda f: TrialRow(*f[:-1]).seal(row.uid) == f[-1], mends):
        made = TrialRow(*raw[:-1])
        if made.number not in known or _newer(made, known[made.number]):
            known[made.number] = made
    chain = tuple(_chain(row, entries, mends))
    count = max(known, default=-1) + 1
    last = max((entry.seq for entry in chain), default=0)
    row = row._replace(
        next_number=max(row.next_number, count), entries=max(row.entries, last)
    )  # the study's own row may be an old one
    return Salvaged(row, problem, dict(sorted(known.items())), chain)


def _newer(first: TrialRow, second: TrialRow) -> bool:
    return (first.state != OPEN, first.attempt, first.lease_until) > (
        second.state != OPEN, second.attempt, second.lease_until,
    )  # fmt: skip


def _chain(row: StudyRow, entries: dict[int, list[Raw]], mends: list[int]) -> Iterator[Entry]:
    """Entries whose seals hold, each against that of the entry before, which may be damaged."""
    heads = {first_head(row.uid)}
    for seq in range(1, max(entries, default=0) + 1):
        there = entries.get(seq, []) if heads else []
        found = next(
            _sealed(there, lambda f, h=heads: any(Entry(*f[:6]).seal(x) == f[6] for x in h), mends),  # type: ignore[misc]
            None,
        )
        if found is not None:
            yield Entry(*found[:6])
        heads = {found[6]} if found is not None else {raw[6] for raw in entries.get(seq, [])}


def _sealed(rows: list[Raw], holds: Callable[[Raw], bool], mends: list[int]) -> Iterator[Raw]:
    """Rows whose seals hold, or hold when one byte is changed."""
    bad = []
    for raw in rows:
        if holds(raw):
            yield raw
        else:
            bad.append(raw)
    for raw in dict.fromkeys(bad):
        if mends[0] > 0:
            mends[0] -= 1
            mended = _mended(raw, holds)
            if mended is not None:
                yield mended


def _mended(fields: Raw, holds: Callable[[Raw], bool]) -> Raw | None:
    """The fields with one byte changed such that the seal holds; it has 128 bits, so no chance."""
    for i, given in enumerate(fields):
        for variant in _variants(given):
            changed = (*fields[:i], variant, *fields[i + 1 :])
            if holds(changed):
                return changed
    return None


def _variants(given: Any) -> Iterator[Any]:
    if isinstance(given, str):
        for place in range(min(len(given), 20_000)):
            for code in range(32, 127):
                yield given[:place] + chr(code) + given[place + 1 :]
    elif isinstance(given, int | float):
        form = ">d" if isinstance(given, float) else ">q"
        data = struct.pack(form, given)
        for place in range(8):
            for change in range(1, 256):
                changed = bytes((*data[:place], data[place] ^ change, *data[place + 1 :]))
                yield struct.unpack(form, changed)[0]
