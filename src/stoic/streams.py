"""Files that may be ``-``: standard input to read, standard output to write."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

from stoic import files
from stoic.errors import InvalidInput, MissingData

__all__ = ["is_stream", "read_bytes", "read_toml", "source_name", "write_out"]

_MAX_TOML_BYTES = 1024 * 1024  # far more than any settings need


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether a path stands for standard input or output.

    >>> is_stream("-"), is_stream(Path("-")), is_stream("old-")
    (True, True, False)
    """
    return os.fspath(path) == "-"


def source_name(path: str | os.PathLike[str]) -> str:
    """The name of an input file in messages."""
    return "standard input" if is_stream(path) else str(path)


def read_bytes(path: str | os.PathLike[str], max_bytes: int | None = None) -> bytes:
    """All bytes of a file or of standard input; too many, or none to read, are a typed error."""
    size = -1 if max_bytes is None else max_bytes + 1
    try:
        if is_stream(path):
            data = sys.stdin.buffer.read(size)
        else:
            with Path(path).open("rb") as file:
                data = file.read(size)
    except (OSError, ValueError) as trouble:  # ValueError: a NUL character in the path
        why = getattr(trouble, "strerror", None) or str(trouble)
        raise MissingData(
            f"expected a file to read at {source_name(path)}, got: {why}; check the path"
        ) from trouble
    if max_bytes is not None and len(data) > max_bytes:
        raise InvalidInput(
            f"expected at most {max_bytes:,} bytes in {source_name(path)}, got more; split it, or "
            "check that it is the right file"
        )
    return data


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The table of a TOML file, or a typed error that names the faulty line."""
    data = read_bytes(path, _MAX_TOML_BYTES)
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise InvalidInput(
            f"expected TOML in {source_name(path)}, got a fault: {error}; correct it"
        ) from error


def write_out(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a whole file, or all of it to standard output."""
    if not is_stream(path):
        files.write(path, data)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)
    sys.stdout.buffer.flush()
