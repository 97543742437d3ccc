"""Read a reply within a deadline and a size, however slowly or endlessly the server sends."""

from __future__ import annotations

import io
import socket
import time
from http.client import HTTPException
from typing import Any

__all__ = ["TooLong", "limited"]


class TooLong(HTTPException):
    """A reply that is longer than any reply of this interface."""


class _Bytes(io.RawIOBase):
    """The bytes of a socket, up to a size and a moment of ``time.monotonic``."""

    def __init__(self, sock: socket.socket, deadline: float, size: int) -> None:
        super().__init__()
        self._sock, self._deadline, self._left = sock, deadline, size
        self._file = sock.makefile("rb", buffering=0)  # the socket stays open as long as this

    def close(self) -> None:
        self._file.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("the reply took too long")
        if self._left <= 0:
            raise TooLong("the reply is too long")
        self._sock.settimeout(seconds)
        count = self._file.readinto(buffer) or 0
        self._left -= count
        return count


class _Limited:
    """What `http.client` reads a reply from: a socket whose file has limits."""

    def __init__(self, sock: socket.socket, deadline: float, size: int) -> None:
        self._bytes = _Bytes(sock, deadline, size)

    def makefile(self, mode: str) -> io.BufferedReader:
        assert mode == "rb"
        return io.BufferedReader(self._bytes)


def limited(sock: socket.socket, deadline: float, size: int) -> Any:
    """The socket, of which at most ``size`` bytes can be read, until the deadline."""
    return _Limited(sock, deadline, size)
