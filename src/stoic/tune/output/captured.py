"""Capture the output of programs, of which only the beginning and the end are kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stoic.forks import Lock
from stoic.printable import visible
from stoic.redaction import masked

__all__ = ["Captured", "excerpt", "plain_text"]

_HEAD_BYTES = 64 * 1024  # kept of the beginning of a stream
_TAIL_BYTES = 1024 * 1024  # kept of its end
_MAX_LINE_CHARACTERS = 120  # of a line that is quoted
_TRACEBACK = "Traceback (most recent call last):"  # Python's heading; the last line names the error
_GAP = b"\n[output left out here]\n"  # without digits, which could be taken for a value
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Captured:
    r"""Keeps the beginning and the end of a stream of bytes, and drops the rest.

    Words that the cut would split are dropped as well: half a number is another number.

    >>> stream = Captured(head=6, tail=7)
    >>> for chunk in (b"ab 12", b"34 efgh", b"ijk 56 ", b"78"):
    ...     stream.write(chunk)
    >>> stream.text
    'ab \n[output left out here]\n 56 78'
    """

    def __init__(
        self, head: int = _HEAD_BYTES, tail: int = _TAIL_BYTES, secrets: Sequence[str] = ()
    ) -> None:
        self._secrets = secrets
        self._head, self._tail = bytearray(), bytearray()
        self._max_head, self._max_tail = head, tail
        self._dropped = False
        self._lock = Lock()  # a reader may still write while another reads the text

    def write(self, chunk: bytes) -> None:
        """Append."""
        with self._lock:
            room = self._max_head - len(self._head)
            self._head += chunk[:room]
            self._tail += chunk[room:]
            if len(self._tail) > 2 * self._max_tail:  # rarely, so that a byte costs O(1)
                self._trim()

    def _trim(self) -> None:
        extra = max(len(self._tail) - self._max_tail, 0)
        self._dropped = self._dropped or extra > 0
        del self._tail[:extra]

    @property
    def text(self) -> str:
        """The kept output; bytes that are not UTF-8 are replaced."""
        with self._lock:
            self._trim()
            head, tail = bytes(self._head), bytes(self._tail)
            if self._dropped:
                head = re.sub(rb"\S*\Z", b"", head) + _GAP
                tail = re.sub(rb"\A\S*", b"", tail)
            return (head + tail).decode("utf-8", "replace")

    @property
    def shown(self) -> str:
        """The kept output, without the secrets that the program was given."""
        return masked(self.text, self._secrets)

    def in_short(self) -> str:
        """The first and the last line with text, without colours and secrets, shortened.

        Some programs print the error first and their usage last; others print them in reverse.
        """
        lines = [line for line in plain_text(self.shown).splitlines() if line.strip()]
        ends = [excerpt(line, _MAX_LINE_CHARACTERS) for line in (lines[:1] + lines[-1:])]
        if len(lines) < 2 or ends[0] == ends[1] or ends[0] == _TRACEBACK:
            return "".join(ends[-1:])
        return " … ".join(ends)


def excerpt(text: str, most: int) -> str:
    r"""The beginning of a text as one line of printable characters.

    >>> excerpt("error:\tno \x07room", 40), excerpt("p99 1 2 3", 6)
    ('error: no \\x07room', 'p99 1…')
    """
    words = " ".join(text.split())
    return visible(words if len(words) <= most else words[: most - 1] + "…")


def plain_text(text: str) -> str:
    r"""Text without the colours and movements of a terminal.

    >>> plain_text("\x1b[32m12.5 ms\x1b[0m")
    '12.5 ms'
    """
    return _COLOURS.sub("", text)
