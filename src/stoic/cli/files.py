"""Files that the commands make: their names, and where words go beside them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from stoic.cli.terminal import Console
from stoic.streams import is_stream

__all__ = ["console_beside", "file_name"]


def console_beside(*outputs: Path | None) -> Console:
    """Where words are printed: standard error where an output takes standard output for itself."""
    taken = any(path is not None and is_stream(path) for path in outputs)
    return Console(stderr=taken, highlight=False)


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
