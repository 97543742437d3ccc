"""Seals: digests of rows, so that a flipped byte or a lost row is found.

SQLite has no checksums of its own. Every row of a store carries a digest of its content, and
the digests of the log form a chain whose head and length stand in the study's row. A seal tells
damage, not forgery: whoever may write the file may also seal it anew.
"""

from __future__ import annotations

from hashlib import blake2b

__all__ = ["seal"]

Field = str | int | float | None


def seal(*fields: Field) -> str:
    """The digest of some fields and of their types.

    >>> seal("trial", 1) == seal("trial", 1), seal("trial", 1) == seal("trial", 1.0)
    (True, False)
    """
    # ascii() tells types apart, gives floats to the last bit, and can't run into its neighbour
    return blake2b(ascii(fields).encode("ascii"), digest_size=16).hexdigest()
