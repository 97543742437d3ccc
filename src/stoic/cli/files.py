"""Names of files that the commands make."""

from __future__ import annotations

import hashlib
import re

__all__ = ["file_name"]


def file_name(name: str) -> str:
    """A study's name as a file's name; with a digest where it can't stand as it is.

    >>> file_name("bench-2"), file_name("bench/2")
    ('bench-2', 'bench-2-a240024e')
    """
    safe = re.sub(r"[^\w.-]+", "-", name).strip(".-")[:80] or "study"
    if safe == name:
        return safe
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{safe}-{digest}"
