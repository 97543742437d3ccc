"""Write files whole or not at all: a draft beside the file is synced, then renamed.

A full disk, a crash or Ctrl-C leaves the former file as it was, and no draft. What is not a
regular file (a pipe, a terminal, ``/dev/stdout``) can't be renamed over and is written directly.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

__all__ = ["create", "file_name", "make_folder", "replacing", "sync_folder", "write"]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
# Names of open descriptors; their files belong to another program, e.g. a shell that redirects.
_DESCRIPTORS = ("/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc/")


def write(
    path: str | os.PathLike[str],
    data: bytes | str,
    *,
    mode: int | None = None,
    durable: bool = True,
) -> None:
    """Write a file in one step; text as UTF-8, with ``?`` for half a surrogate pair."""
    with replacing(path, mode=mode, durable=durable) as file:
        file.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)


@contextmanager
def replacing(
    path: str | os.PathLike[str], *, mode: int | None = None, durable: bool = True
) -> Iterator[BinaryIO]:
    """A binary file that replaces ``path`` when the block ends without an error.

    A symbolic link stays, and its target is replaced. A file that is replaced hands on its
    permissions and, where the system allows it, its owner; it must be writable.

    Parameters
    ----------
    path
        The file's name; its folder must exist.
    mode
        Permissions of a new file, independent of the umask; None to use the umask.
    durable
        Whether the file must survive a power cut. It is written whole in both cases.
    """
    path = os.fspath(path)
    former = _stat(path)
    special = former is not None and not stat.S_ISREG(former.st_mode)
    if special or os.path.abspath(path).startswith(_DESCRIPTORS):
        with open(path, "wb") as file:  # refuses folders and sockets
            yield file
        return
    if former is not None and not os.access(path, os.W_OK):
        raise PermissionError(13, "the file is write-protected", path)
    target = os.path.realpath(path)
    draft = os.path.join(os.path.dirname(target), f".stoic-{secrets.token_hex(8)}.draft")
    try:
        with _opened(draft, former, mode, path) as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise
    if durable:
        sync_folder(os.path.dirname(target))


def _opened(draft: str, former: os.stat_result | None, mode: int | None, path: str) -> BinaryIO:
    """The draft, never more readable than the file that it replaces."""
    exact = mode if former is None else stat.S_IMODE(former.st_mode)
    try:
        file = os.open(draft, _NEW, 0o666 if exact is None else exact)
    except OSError as error:  # named after the file that was asked for
        raise OSError(error.errno, error.strerror, path) from error
    if former is not None and hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(file, former.st_uid, former.st_gid)
    if exact is not None and hasattr(os, "fchmod"):
        os.fchmod(file, exact)
    return os.fdopen(file, "wb")


def sync_folder(folder: str) -> None:
    """Make a rename survive a power cut, where folders can be synced."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def create(path: str, mode: int) -> None:
    """Make an empty file with exactly these permissions, unless there is a file."""
    with suppress(FileExistsError):
        file = os.open(path, _NEW, mode)
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(file, mode)
        finally:
            os.close(file)


def make_folder(folder: str | os.PathLike[str], mode: int) -> None:
    """Make a folder and those above it, new ones with exactly these permissions."""
    folder = os.path.abspath(folder)
    if not os.path.isdir(folder):
        make_folder(os.path.dirname(folder), mode)
        with suppress(FileExistsError):
            os.mkdir(folder, mode)
            os.chmod(folder, mode)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def file_name(name: str) -> str:
    """A study's name as a file's name; with a digest where characters must be replaced.

    >>> file_name("bench-2"), file_name("bench/2")
    ('bench-2', 'bench-2-a240024e')
    """
    safe = re.sub(r"[^\w.-]+", "-", name).strip(".-")[:80] or "study"
    if safe == name:
        return safe
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{safe}-{digest}"
