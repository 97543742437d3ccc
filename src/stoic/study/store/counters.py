"""How far each study of a file had come, noted beside it.

A damaged write-ahead log makes SQLite fall back, without a word, to the last transaction before
the damage: a whole store, but an old one. After every commit the counts of the study are noted
in the lock file, which is no part of the database; a store that is behind its notes has lost
something. Notes are not synced: after a power cut they may be behind the store, never ahead.
"""

from __future__ import annotations

import os
import struct
from hashlib import blake2b
from typing import NamedTuple

__all__ = ["Mark", "belong", "forget", "marks", "note"]

_SLOT = struct.Struct("<32sQQ16s")  # uid, counts, digest
_MOST = 100_000  # studies
_STORE = 0  # place of the note whose uid is that of the store; rows of studies count from 1


class Mark(NamedTuple):
    """How many trials and entries of the log a study had."""

    uid: str
    next_number: int
    entries: int


def note(file: int, place: int, mark: Mark) -> None:
    """Write down how far the study of row ``place`` is."""
    uid = mark.uid.encode("ascii")
    digest = _digest(uid, mark.next_number, mark.entries)
    slot = _SLOT.pack(uid, mark.next_number, mark.entries, digest)
    os.pwrite(file, slot, place * _SLOT.size)


def marks(file: int) -> dict[int, Mark]:
    """All notes of studies by row; what is not whole was never a promise."""
    found = _all(file)
    found.pop(_STORE, None)
    return found


def belong(file: int, uid: str) -> None:
    """Have the notes be those of the store ``uid``; those of another store say nothing of it."""
    store = _all(file).get(_STORE)
    if store is not None and store.uid != uid:
        forget(file)
    if store is None or store.uid != uid:
        note(file, _STORE, Mark(uid, 0, 0))


def _all(file: int) -> dict[int, Mark]:
    found = {}
    data = os.pread(file, _MOST * _SLOT.size, 0)
    for place in range(len(data) // _SLOT.size):
        uid, next_number, entries, digest = _SLOT.unpack_from(data, place * _SLOT.size)
        if digest == _digest(uid, next_number, entries):
            found[place] = Mark(uid.decode("ascii", "replace"), next_number, entries)
    return found


def forget(file: int, place: int | None = None) -> None:
    """Drop the note of a row that was deleted, or all of them."""
    if place is None:
        os.ftruncate(file, 0)
    else:
        os.pwrite(file, bytes(_SLOT.size), place * _SLOT.size)


def _digest(uid: bytes, next_number: int, entries: int) -> bytes:
    return blake2b(b"%s %d %d" % (uid, next_number, entries), digest_size=16).digest()
