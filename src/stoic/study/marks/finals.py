"""Marks in the log of a study: where its finals begin and end.

A mark is an entry between outcomes. So every worker, and every process that opens the study later,
holds the same finals from the same moment on.
"""

from __future__ import annotations

from collections.abc import Mapping

from stoic.errors import StoreDamaged
from stoic.study.advisers import Mark
from stoic.study.store.codec import read, written
from stoic.study.store.ledger import Present
from stoic.study.store.rows import RESTORE, Entry

__all__ = ["entry_of", "mark_of"]

_MAX_CHARACTERS = 2**24  # of a mark
_SCALARS = (str, int, float, bool, type(None))


def entry_of(mark: Mark, present: Present) -> Entry:
    """The entry of a mark after all others."""
    seq, trial = present.row.entries + 1, present.row.next_number - 1
    text = written(
        {"finals": mark.evaluations, "contenders": [dict(params) for params in mark.contenders]}
    )
    return Entry(seq, trial, -seq, None, text, present.now)


def mark_of(entry: Entry) -> Mark:
    """The mark of an entry, or `StoreDamaged`."""
    data = read(entry.reason, "a mark", _MAX_CHARACTERS)
    evaluations = data.get("finals") if isinstance(data, dict) else None
    contenders = data.get("contenders") if isinstance(data, dict) else None
    whole = isinstance(evaluations, int) and 0 <= evaluations <= 2**62
    if not whole or not isinstance(contenders, list) or not all(map(_is_params, contenders)):
        raise StoreDamaged(f"entry {entry.seq} of the log is a mark that can't be read", RESTORE)
    return Mark(int(evaluations or 0), tuple(contenders))


def _is_params(data: object) -> bool:
    return isinstance(data, Mapping) and all(isinstance(v, _SCALARS) for v in data.values())
