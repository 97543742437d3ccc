"""The address of a server and the token that goes there, both checked before anything is sent."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from stoic.errors import InvalidInput
from stoic.printable import visible
from stoic.redaction import redacted_url

__all__ = ["Address", "Token", "address", "is_address"]

_VARIABLE = "STOIC_TOKEN"
_ALLOWED = "STOIC_ALLOW_HTTP"  # set to 1 where plain HTTP may carry tokens beyond this machine
_SCHEMES = ("http", "https")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{1,500}")  # what RFC 6750 allows in a header
_HOST = re.compile(r"[A-Za-z0-9._:%-]{1,255}")
_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Token:
    """A secret that is never shown: it goes into one header, to one server."""

    text: str = field(repr=False)

    @classmethod
    def given(cls, token: object) -> Token | None:
        """The token that was given, else that of ``STOIC_TOKEN``, else none."""
        found = os.environ.get(_VARIABLE) or None if token is None else token
        if found is None:
            return None
        if not isinstance(found, str) or not _TOKEN.fullmatch(found):
            where = f"the variable {_VARIABLE}" if token is None else "token="
            raise InvalidInput(  # the text is not shown, since it may be nearly right
                f"expected a token as `stoic token new` printed it in {where}, got another text; "
                "copy it whole, without spaces"
            )
        return cls(found)


@dataclass(frozen=True)
class Address:
    """Where a server listens: scheme, host, port, and the path before ``/v1``, if a proxy has one.

    >>> str(address("https://tuning.example:443/stoic/"))
    'https://tuning.example/stoic'
    """

    scheme: str
    host: str
    port: int
    prefix: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.prefix}"

    @property
    def is_local(self) -> bool:
        """Whether it is this machine's loopback, which nobody else can listen to.

        >>> address("http://127.0.0.1:8313").is_local, address("http://10.0.0.1").is_local
        (True, False)
        """
        try:
            return ipaddress.ip_address(self.host.partition("%")[0]).is_loopback
        except ValueError:
            return self.host.lower() in ("localhost", "localhost.")

    def allow(self, token: Token | None) -> None:
        """Refuse to send a token where anyone on the way can read it."""
        exposed = self.scheme == "http" and not self.is_local
        if token is not None and exposed and os.environ.get(_ALLOWED) != "1":
            raise InvalidInput(
                f"expected an https address to send a token to, got {self}, where everyone on the "
                f"way can read it; use https, a tunnel to 127.0.0.1, or, in a network that you "
                f"trust, set {_ALLOWED}=1"
            )

    def path(self, *parts: str) -> str:
        """A path below ``/v1``; each part is one segment, whatever it contains."""
        return "/".join([f"{self.prefix}/v1", *(quote(part, safe=":") for part in parts)])


def is_address(store: object) -> bool:
    """Whether a store is a server's address.

    >>> is_address("http://127.0.0.1:8313"), is_address("stoic.db")
    (True, False)
    """
    return isinstance(store, str) and store.lower().startswith(("http://", "https://"))


def address(url: object) -> Address:
    """The parts of an address, or `InvalidInput`."""
    if not isinstance(url, str) or not url.isprintable() or not url.isascii():
        raise _malformed(url)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _malformed(url) from None
    prefix = parts.path.rstrip("/")
    if "@" in parts.netloc:
        raise InvalidInput(
            f"expected an address without a user and a password, got {redacted_url(url)}; give the "
            f"token as token=, or in the variable {_VARIABLE}"
        )
    sound = parts.scheme in _SCHEMES and _HOST.fullmatch(host) and _PATH.fullmatch(prefix)
    if not sound or parts.query or parts.fragment or port == 0:
        raise _malformed(url)
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], prefix)


def _malformed(url: object) -> InvalidInput:
    got = visible(redacted_url(url)[:200]) if isinstance(url, str) else type(url).__name__
    return InvalidInput(
        f"expected the address of a server, such as http://127.0.0.1:8313, got {got!r}; "
        "it has a scheme, a host and a port, and nothing behind them"
    )
