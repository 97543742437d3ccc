"""Sessions of browsers: made by signing in with a token, kept in memory, ended by time."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass

from stoic.server.problems import Problem

__all__ = ["COOKIE", "Session", "Sessions", "check_csrf"]

COOKIE = "stoic_session"
_SECONDS = 12 * 3600.0
_MAX_SESSIONS = 1000  # the oldest is dropped


@dataclass(frozen=True)
class Session:
    """One browser that signed in."""

    key: str
    csrf: str  # in every form of its pages
    token: str  # id of the token that signed in
    until: float


class Sessions:
    """All sessions of this process."""

    def __init__(self) -> None:
        self._found: OrderedDict[str, Session] = OrderedDict()
        # of pages without a session, on loopback without tokens: foreign pages can't read it
        self.anonymous = Session("", secrets.token_urlsafe(24), "local", float("inf"))

    def begin(self, token: str) -> Session:
        """A new session of a token."""
        key, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
        session = Session(key, csrf, token, time.monotonic() + _SECONDS)
        self._found[key] = session
        if len(self._found) > _MAX_SESSIONS:
            self._found.popitem(last=False)
        return session

    def find(self, key: str | None) -> Session | None:
        """The session of a cookie; None where there is none, or it ended."""
        session = None if key is None else self._found.get(key)
        if session is not None and time.monotonic() > session.until:
            self.end(session)
            return None
        return session

    def end(self, session: Session) -> None:
        """End a session."""
        self._found.pop(session.key, None)


def check_csrf(session: Session, presented: str) -> None:
    """Let a form pass that is of a page of this session; else raise a `Problem`."""
    if not hmac.compare_digest(session.csrf.encode(), presented.encode("utf-8", "replace")):
        raise Problem(403, "access-denied", "expected a form of this page; load it again")
