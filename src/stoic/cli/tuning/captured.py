"""Output of any length, kept within bounds."""

from __future__ import annotations

import re

from stoic.forks import Lock

__all__ = ["Captured", "plain_text"]

_HEAD = 64 * 1024
_TAIL = 1024 * 1024
_LINE = 160  # characters of a line that is quoted
_GAP = b"\n[output left out here]\n"  # no digits: nobody shall take them for a value
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Captured:
    r"""The beginning and the end of a stream of bytes; what lies between is dropped.

    >>> stream = Captured(head=3, tail=4)
    >>> for chunk in (b"abcde", b"fgh", b"ijk"):
    ...     stream.write(chunk)
    >>> stream.text
    'abc\n[output left out here]\nhijk'
    """

    def __init__(self, head: int = _HEAD, tail: int = _TAIL) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._most_head, self._most_tail = head, tail
        self._dropped = False
        self._lock = Lock()  # a reader may still write while another looks

    def write(self, chunk: bytes) -> None:
        """Append."""
        with self._lock:
            room = self._most_head - len(self._head)
            self._head += chunk[:room]
            self._tail += chunk[room:]
            if len(self._tail) > 2 * self._most_tail:  # seldom, so that a byte costs O(1)
                self._trim()

    def _trim(self) -> None:
        extra = max(len(self._tail) - self._most_tail, 0)
        self._dropped = self._dropped or extra > 0
        del self._tail[:extra]

    @property
    def text(self) -> str:
        """What was kept; bytes that are no UTF-8 are replaced."""
        with self._lock:
            self._trim()
            gap = _GAP if self._dropped else b""
            return bytes(self._head + gap + self._tail).decode("utf-8", "replace")

    def last_line(self) -> str:
        """The last line that holds anything, without colours, shortened."""
        for line in reversed(plain_text(self.text).splitlines()):
            if line.strip():
                words = " ".join(line.split())[:_LINE]
                return "".join(c if c.isprintable() else "?" for c in words)
        return ""


def plain_text(text: str) -> str:
    r"""Text without the colours and movements of a terminal.

    >>> plain_text("\x1b[32m12.5 ms\x1b[0m")
    '12.5 ms'
    """
    return _COLOURS.sub("", text)
