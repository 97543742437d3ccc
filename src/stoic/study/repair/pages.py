"""Read the rows of a damaged SQLite file page by page, without SQLite.

Everything that may be a row of one of Stoic's tables is returned; its digest shows later whether it
is one. In pages whose own bookkeeping is damaged, a row may begin at any byte.

Format: https://www.sqlite.org/fileformat2.html#b_tree_pages
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stoic.study.store.wal import Wal, read_wal

__all__ = ["Image", "Raw", "images", "rows_of"]

Raw = tuple[Any, ...]

_MAGIC = b"SQLite format 3\0"
_TABLE, _INDEX, _INNER = 13, 10, 2  # leaf of a table, leaf and inner page of an index
_MAX_FOLLOWED = 20  # mean reads of an overflow page; in a whole file it is one
_SIZES = (0, 1, 2, 3, 4, 6, 8)  # bytes of the first serial types


@dataclass(frozen=True)
class Image:
    """The pages of a file at one moment."""

    data: bytes
    page_size: int
    followed: list[int] = field(default_factory=list)  # overflow pages, for all rows together

    def __len__(self) -> int:
        return -(-len(self.data) // self.page_size)

    def page(self, number: int) -> bytes:
        """Page ``number``, counted from 1; short or empty beyond the end of the file."""
        return self.data[(number - 1) * self.page_size : number * self.page_size]


def images(path: str | Path) -> tuple[Wal, list[Image]]:
    """The write-ahead log of a file, and the file's pages with the frames of the log applied.

    Where frames of the log are damaged, a second image has those frames as well.
    """
    wal = read_wal(path)
    with open(path, "rb") as file:
        data = file.read()
    page_size = wal.page_size if wal.frames else _page_size(data)
    frames = wal.frames[: wal.committed]
    sets = [frames] if wal.damage is None else [frames, wal.frames]
    log = Path(f"{path}-wal").read_bytes() if wal.frames else b""
    made = []
    for each in sets:
        pages = bytearray(data)
        for frame in each:
            if 0 < frame.page <= len(data) // page_size + len(wal.frames):
                end = frame.page * page_size
                pages.extend(bytes(max(0, end - len(pages))))
                pages[end - page_size : end] = log[frame.offset : frame.offset + page_size]
        made.append(Image(bytes(pages), page_size))
    return wal, made


def _page_size(data: bytes) -> int:
    size = int.from_bytes(data[16:18], "big")
    size = 65536 if size == 1 else size
    whole = 512 <= size <= 65536 and size & (size - 1) == 0 and data[:16] == _MAGIC
    return size if whole else 4096


def rows_of(image: Image, number: int, *, anywhere: bool = False) -> Iterator[Raw]:
    """Possible rows of a page: (row id or None, first value, …).

    With ``anywhere``, rows are searched at every byte, not only at the page's own offsets.
    """
    page = image.page(number)
    start = 100 if number == 1 else 0
    kinds = [page[start]] if len(page) > start + 8 else []
    if anywhere:
        offsets: Any = range(start, len(page))
        kinds = [_TABLE, _INDEX]
    else:
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        first = start + (12 if kinds == [_INNER] else 8)
        cells = page[first : first + 2 * count]
        offsets = struct.unpack(f">{len(cells) // 2}H", cells[: len(cells) // 2 * 2])
    for kind in kinds:
        if kind in (_TABLE, _INDEX, _INNER):
            for offset in offsets:
                row = _cell(image, page, offset, kind)
                if row is not None:
                    yield row


def _cell(image: Image, page: bytes, offset: int, kind: int) -> Raw | None:
    try:
        offset = offset + (4 if kind == _INNER else 0)
        size, offset = _varint(page, offset)
        rowid = None
        if kind == _TABLE:
            rowid, offset = _varint(page, offset)
        columns = _shape(page, offset, size)
        if columns is None:
            return None
        payload = _payload(image, page, offset, size, kind)
        return None if payload is None else (rowid, *_values(payload))
    except (IndexError, struct.error, ValueError):
        return None


def _shape(page: bytes, offset: int, size: int) -> int | None:
    """The number of columns, where a record of one of Stoic's tables may begin here."""
    length = page[offset]
    return length if 4 <= length <= 24 and length <= size <= 2**30 else None


def _payload(image: Image, page: bytes, offset: int, size: int, kind: int) -> bytes | None:
    if size > len(image.data):
        return None
    usable = image.page_size
    most = usable - 35 if kind == _TABLE else (usable - 12) * 64 // 255 - 23
    if size <= most:
        found = page[offset : offset + size]
        return found if len(found) == size else None
    least = (usable - 12) * 32 // 255 - 23
    local = least + (size - least) % (usable - 4)
    local = local if local <= most else least
    parts = [page[offset : offset + local]]
    following = int.from_bytes(page[offset + local : offset + local + 4], "big")
    missing = size - local
    while missing > 0 and 0 < following <= len(image):
        image.followed.append(following)
        if len(image.followed) > _MAX_FOLLOWED * len(image):
            return None  # rows that share overflow pages: a file made to take endless time
        more = image.page(following)
        parts.append(more[4 : 4 + missing])
        missing -= usable - 4
        following = int.from_bytes(more[:4], "big")
    whole = b"".join(parts)
    return whole if len(whole) == size else None


def _values(payload: bytes) -> Iterator[Any]:
    end, offset = _varint(payload, 0)
    body = end
    while offset < end:
        kind, offset = _varint(payload, offset)
        if kind in (8, 9):
            yield kind - 8
            continue
        size = _SIZES[kind] if kind < 7 else 8 if kind == 7 else (kind - 12) // 2
        data = payload[body : body + size]
        if len(data) != size or kind in (10, 11):
            raise ValueError("a value runs over the end")
        body += size
        if kind == 0:
            yield None
        elif kind < 7:
            yield int.from_bytes(data, "big", signed=True)
        elif kind == 7:
            yield struct.unpack(">d", data)[0]
        else:
            yield data.decode("utf-8", "replace") if kind % 2 else data


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    value = 0
    for i in range(8):
        byte = data[offset + i]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + i + 1
    return value << 8 | data[offset + 8], offset + 9
