"""Host and origin of a request: against DNS rebinding, and against requests by foreign pages."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from stoic.server.access import SAFE
from stoic.server.problems import Problem
from stoic.server.settings import Settings, is_loopback

__all__ = ["Hosts"]

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_SAME = ("same-origin", "none")  # of Sec-Fetch-Site
_MAX_CACHED = 256


class Hosts:
    """The names by which this server may be called.

    A page of another site can let its own name point here (DNS rebinding), and then read replies.
    So the name must be known. Where the server listens beyond loopback, addresses are accepted as
    well: they can't be rebound.
    """

    def __init__(self, settings: Settings) -> None:
        own = settings.host.lower()
        bracketed = f"[{own}]" if ":" in own else own
        names = (*_LOOPBACK, bracketed, *(name.lower() for name in settings.allow_hosts))
        self._names = frozenset(names)
        self._addresses = not is_loopback(settings.host)
        self._known: set[str] = set()  # values of the header that were accepted

    def check(self, method: str, headers: Headers) -> None:
        """Let a request pass, or raise a `Problem`."""
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        if host not in self._known:
            self._check_host(host)
        if method not in SAFE:
            self._check_origin(host, headers)

    def _check_host(self, host: str) -> None:
        found = _HOST.fullmatch(host)
        if found is None or not self._accepted(found["name"].lower()):
            raise Problem(
                421,
                "wrong-host",
                "expected the name of this server in the header Host, got another; start the "
                "server with --allow-host NAME to add one",
            )
        if len(self._known) < _MAX_CACHED:
            self._known.add(host)

    def _accepted(self, name: str) -> bool:
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self._addresses

    def _check_origin(self, host: str, headers: Headers) -> None:
        site = headers.get("sec-fetch-site")
        origins = headers.getlist("origin")
        if (site is not None and site not in _SAME) or any(
            not _same_host(origin, host) for origin in origins
        ):
            raise Problem(
                403,
                "access-denied",
                "expected a request of this server's own pages, or of a program, got one that a "
                "page of another site sent",
            )


def _same_host(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
