"""Read SQLite's write-ahead log without SQLite, to find damage that SQLite would not report.

When SQLite opens a file whose write-ahead log has a bad frame, it drops that frame and all that
follow, without an error: acknowledged commits are lost. So the log is read here before SQLite opens
it. Two things reveal that frames are missing: the index that the last processes shared
(``-shm``), which names the last synced frame, and later frames that are written only after whole
ones.

Formats: https://www.sqlite.org/fileformat2.html#walformat, https://www.sqlite.org/walformat.html
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from stoic.errors import StoreDamaged
from stoic.study.store.rows import RESTORE

__all__ = ["Frame", "Wal", "check_wal", "read_wal"]

_MAGIC = 0x377F0682  # the lowest bit is the order of bytes in checksums
_VERSION = 3007000
_HEADER, _FRAME_HEADER = 32, 24
_FRAMES_PER_CHUNK = 1000  # frames read at a time
_MAX_FOREIGN_FRAMES = 20_000  # in a row; then the rest of a long file is not read
_MAX_TRIES = 4  # another program may write meanwhile

Sum = tuple[int, int]
Words = NDArray[np.uint32]


@dataclass(frozen=True)
class Frame:
    """A page as one transaction left it."""

    page: int
    pages: int  # of the file after the commit; 0 within a transaction
    whole: bool  # whether it and all before it are as they were written
    linked: bool  # whether its checksum follows from that of the frame before it
    offset: int  # of the page's bytes in the file


@dataclass(frozen=True)
class Wal:
    """A write-ahead log; ``frames`` are those since its last restart."""

    size: int
    page_size: int = 0
    header: bool = False  # whether the file's own header is whole
    promised: int = 0  # frames that were synced, by the shared index
    needed: bool = False  # whether some of those are nowhere else
    frames: tuple[Frame, ...] = field(default=(), repr=False)

    @property
    def whole(self) -> int:
        """How many frames SQLite would read."""
        return next((i for i, f in enumerate(self.frames) if not f.whole), len(self.frames))

    @property
    def committed(self) -> int:
        """How many frames SQLite would use: up to the last commit."""
        return max((i + 1 for i, f in enumerate(self.frames[: self.whole]) if f.pages), default=0)

    @property
    def damage(self) -> str | None:
        """What is wrong, or None."""
        if self.needed and self.committed < self.promised:
            return (
                f"{self.promised} frames were written, {self.committed} are whole: "
                "SQLite would drop the others, and with them what was acknowledged"
            )
        elsewhere = self.promised and not self.needed  # all frames are in the file itself
        if not self.header and not elsewhere and any(frame.linked for frame in self.frames):
            return "its header is not as it was written: SQLite would drop all of it"
        if not self.promised and self._continued():
            return (
                f"frame {self.whole + 1} is not as it was written, and later ones are: "
                "SQLite would drop them all"
            )
        return None

    def _continued(self) -> bool:
        """Whether a later transaction exists; then that of the bad frame was synced."""
        later = self.frames[self.whole + 1 :]
        commits = [i for i, frame in enumerate(later) if frame.linked and frame.pages]
        return any(frame.linked for frame in later[commits[0] + 1 :]) if commits else False


def check_wal(path: str) -> None:
    """Raise `StoreDamaged` where SQLite would drop commits of the file without an error."""
    found: str | None = None
    for attempt in range(_MAX_TRIES):
        time.sleep(0.02 * attempt)
        found = _found(path)
        if found is None:
            return
    raise StoreDamaged(
        f"expected {path}-wal, the log of {path}, to be whole, got damage: {found}", RESTORE
    )


def _found(path: str) -> str | None:
    wal = read_wal(path)
    if wal.size > _HEADER and os.path.exists(path) and os.path.getsize(path) == 0:
        return "it is there, but the file itself is empty"
    return wal.damage


def read_wal(path: str | Path) -> Wal:
    """The write-ahead log of the database at ``path``; of size 0 where there is none."""
    shared = _shared(_bytes(f"{path}-shm", 136))
    try:
        file = open(f"{path}-wal", "rb")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        needed = shared is not None and shared.needed
        return Wal(0, promised=shared.frames if shared and needed else 0, needed=needed)
    with file:
        size = os.fstat(file.fileno()).st_size
        header = file.read(_HEADER)
        made = _header(header)
        if made is not None:
            page_size, salts = made[0], header[16:24]
        elif shared is not None:
            page_size, salts = shared.page_size, shared.salts
        else:  # as the first frame has them, and as Stoic makes pages
            page_size, salts = 4096, file.read(_FRAME_HEADER)[8:16]
            file.seek(_HEADER)
        order = ">u4" if header[3:4] == b"\x83" else "<u4"
        frames = tuple(_frames(file, page_size, salts, made and made[1], order))
    ours = shared if shared is not None and shared.salts == salts else None
    promised, needed = (ours.frames, ours.needed) if ours else (0, False)
    return Wal(size, page_size, made is not None, promised, needed, frames)


def _bytes(path: str, size: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def _header(data: bytes) -> tuple[int, Sum] | None:
    """Page size and checksum of a whole header."""
    if len(data) < _HEADER:
        return None
    magic, version, page_size, _, _, _, *stored = struct.unpack(">8I", data)
    if magic & ~1 != _MAGIC or version != _VERSION:
        return None
    words = np.frombuffer(data[:24], ">u4" if magic & 1 else "<u4").astype(np.uint32)
    found = _advanced((0, 0), 3, _contribution(words[None, :])[0])
    return (page_size, found) if found == tuple(stored) and _is_page_size(page_size) else None


def _is_page_size(size: int) -> bool:
    return 512 <= size <= 65536 and size & (size - 1) == 0


@dataclass(frozen=True)
class _Shared:
    """The index that processes with the file open shared."""

    frames: int
    needed: bool
    page_size: int
    salts: bytes


def _shared(data: bytes) -> _Shared | None:
    for copy in (data[:48], data[48:96]):
        if len(copy) < 48 or len(data) < 100:
            continue
        version, _, _, _, _, size, frames = struct.unpack("=IIIBBHI", copy[:20])
        words = np.frombuffer(copy[:40], "=u4").astype(np.uint32)
        found = _advanced((0, 0), 5, _contribution(words[None, :])[0])
        if version == _VERSION and found == struct.unpack("=II", copy[40:48]):
            done = struct.unpack("=I", data[96:100])[0]
            page_size = (size & 0xFE00) + ((size & 1) << 16)
            if _is_page_size(page_size):
                return _Shared(frames, done < frames, page_size, copy[32:40])
    return None


def _frames(
    file: BinaryIO, page_size: int, salts: bytes, first: Sum | None, order: str
) -> Iterator[Frame]:
    """Frames up to the last one of these salts."""
    length = _FRAME_HEADER + page_size
    pairs = (8 + page_size) // 8
    whole, stored, offset = first is not None, first, _HEADER
    waiting: list[Frame] = []  # of other salts: left over, unless ours follow
    while data := file.read(length * _FRAMES_PER_CHUNK):
        count = len(data) // length
        rows = np.frombuffer(data, np.uint8, count * length).reshape(count, length)
        kept = np.ascontiguousarray(np.delete(rows, np.s_[8:_FRAME_HEADER], axis=1))
        sums = _contribution(kept.view(order).astype(np.uint32))
        for i in range(count):
            head = data[i * length : i * length + _FRAME_HEADER]
            page, pages, _, _, *own = struct.unpack(">6I", head)
            ours = head[8:16] == salts
            linked = ours and stored is not None and _advanced(stored, pairs, sums[i]) == tuple(own)
            whole = whole and linked and page > 0
            stored = (own[0], own[1])
            frame = Frame(page, pages, whole, linked, offset + i * length + _FRAME_HEADER)
            waiting.append(frame)
            if ours:
                yield from waiting
                waiting.clear()
        if len(waiting) > _MAX_FOREIGN_FRAMES:
            return
        offset += count * length


# -- checksums ---------------------------------------------------------------------------------
# s₁ += a + s₂; s₂ += b + s₁ for each pair (a, b) of words: linear, so that the sum of a frame is
# Aⁿ s + Σ Aⁿ⁻¹⁻ⁱ (aᵢ, aᵢ + bᵢ) with A = (1 1; 1 2), modulo 2³².


@cache
def _powers(pairs: int) -> tuple[tuple[int, int, int], Words]:
    """Aⁿ as (p, q, r) for (p q; q r), and the factor of each word in either sum."""
    p, q, r = 1, 0, 1
    weights = np.empty((pairs * 2, 2), np.uint32)
    for i in range(pairs - 1, -1, -1):
        weights[2 * i] = (p + q) & 0xFFFFFFFF, (q + r) & 0xFFFFFFFF
        weights[2 * i + 1] = q, r
        p, q, r = (p + q) & 0xFFFFFFFF, (q + r) & 0xFFFFFFFF, (q + 2 * r) & 0xFFFFFFFF
    return (p, q, r), weights


def _contribution(words: Words) -> list[list[int]]:
    """The share of each row of words in its checksum."""
    sums: list[list[int]] = (words @ _powers(words.shape[1] // 2)[1]).tolist()
    return sums


def _advanced(before: Sum, pairs: int, share: list[int]) -> Sum:
    (p, q, r), _ = _powers(pairs)
    first, second = before
    return (
        (p * first + q * second + share[0]) & 0xFFFFFFFF,
        (q * first + r * second + share[1]) & 0xFFFFFFFF,
    )
