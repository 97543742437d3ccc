"""What a server is started with, and the limits that protect it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from stoic.errors import InvalidInput

__all__ = ["Limits", "Settings", "is_loopback"]


@dataclass(frozen=True)
class Limits:
    """Bounds on what clients may send, and on what they may occupy.

    They were chosen so that a server under attack stays below 300 MB and answers
    (``benchmarks/server/hostile.py``), and 64 honest clients never meet one of them.
    """

    body_bytes: int = 2**20  # of a request
    body_seconds: float = 15.0  # until a request's body must be there
    header_bytes: int = 16 * 1024  # request line and headers
    headers: int = 64
    header_seconds: float = 10.0  # until a request's headers must be there
    json_depth: int = 32
    connections: int = 1024
    requests: int = 512  # under way at once; more are told to come again
    request_seconds: float = 60.0  # until a reply begins, and until it is taken
    streams: int = 256  # of events, at once
    streams_of_token: int = 64
    studies: int = 1000  # of the store, for new ones through the API
    parameters: int = 200  # of a space
    batch: int = 100  # trials of one ask
    page: int = 1000  # trials, entries or studies of one reply
    per_second: float = 5000.0  # requests of one token; a whole team may share one
    burst: float = 10_000.0
    refused_per_second: float = 5.0  # requests of one address with a wrong token
    refused_burst: float = 50.0


@dataclass(frozen=True)
class Settings:
    """How a server is run; ``stoic serve`` has an option for most of them."""

    store: str = "stoic.db"
    host: str = "127.0.0.1"
    port: int = 8313
    token_file: str | None = None
    read_only: bool = False
    behind_proxy: bool = False
    allow_hosts: tuple[str, ...] = ()
    advisers: int = 1  # processes that compute suggestions
    deadline: float = 0.25  # seconds that an ask waits for the model while others work as well
    access_log: bool = True
    limits: Limits = field(default_factory=Limits)

    def checked(self) -> Settings:
        """These settings, if they are safe; else `InvalidInput`."""
        if not 0 <= self.port <= 65535:
            raise InvalidInput(f"expected a port from 0 to 65535, got {self.port}")
        if not 1 <= self.advisers <= 64:
            raise InvalidInput(f"expected 1 to 64 advisers, got {self.advisers}")
        if not 0 < self.deadline <= 60:
            raise InvalidInput(f"expected a deadline of at most 60 seconds, got {self.deadline}")
        if self.token_file is None and not is_loopback(self.host):
            raise InvalidInput(
                f"expected tokens to serve on {self.host}, which other machines can reach, got "
                "none; make one with `stoic token new`, and give its file with --token-file"
            )
        if self.token_file is None and self.behind_proxy:
            raise InvalidInput(
                "expected tokens behind a proxy, which passes on the requests of others, got none; "
                "make one with `stoic token new`, and give its file with --token-file"
            )
        return self


def is_loopback(host: str) -> bool:
    """Whether a host to listen on can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
