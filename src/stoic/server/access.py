"""Who may do what: one table of routes and verbs, which the server and its tests read.

A route that is not in the table can't be added to the server. A token has verbs and studies; the
verb ``admin`` includes the others. A study that a token may not see is answered as one that does
not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["SAFE", "TABLE", "Access", "Verb"]

SAFE = frozenset({"GET", "HEAD"})  # methods that change nothing


class Verb(StrEnum):
    """What a token may do."""

    READ = "read"
    ASK = "ask"
    TELL = "tell"
    ADMIN = "admin"


@dataclass(frozen=True)
class Access:
    """What a route asks of a request.

    ``verb``: None for everybody. ``study``: the path names a study, which the token must see.
    ``page``: for browsers: forms instead of JSON, with the session's CSRF token, and errors as
    HTML. ``serves_read_only``: whether it is served with ``--read-only`` though it is not a GET.
    """

    verb: Verb | None
    study: bool = False
    page: bool = False
    serves_read_only: bool = False


_ANYBODY = Access(None)
_READ = Access(Verb.READ)
_STUDY = "/v1/studies/{study}"

_ASKING = ("ask", "renew", "release", "enqueue", "finals", "reclaim")
_TELLING = ("tell", "fail", "add", "note")
_GOVERNING = ("exclude", "include", "widen")
_READING = (
    "", "/best", "/verdict", "/suspects", "/luckiest", "/result", "/trials", "/log", "/events",
)  # fmt: skip

TABLE: dict[tuple[str, str], Access] = {
    ("GET", "/healthz"): _ANYBODY,
    ("GET", "/readyz"): _ANYBODY,
    ("GET", "/metrics"): _READ,
    ("GET", "/openapi.json"): _ANYBODY,
    ("GET", "/v1"): _READ,
    ("GET", "/v1/studies"): _READ,
    # opens a study of the same definition; to make one needs the verb admin as well
    ("POST", "/v1/studies"): Access(Verb.ASK),
    ("DELETE", _STUDY): Access(Verb.ADMIN, study=True),
    **{("POST", f"{_STUDY}:{name}"): Access(Verb.ASK, study=True) for name in _ASKING},
    **{("POST", f"{_STUDY}:{name}"): Access(Verb.TELL, study=True) for name in _TELLING},
    **{("POST", f"{_STUDY}:{name}"): Access(Verb.ADMIN, study=True) for name in _GOVERNING},
    **{("GET", _STUDY + name): Access(Verb.READ, study=True) for name in _READING},
    # the page
    ("GET", "/"): Access(Verb.READ, page=True),
    ("GET", "/login"): Access(None, page=True),
    ("POST", "/login"): Access(None, page=True, serves_read_only=True),
    ("POST", "/logout"): Access(None, page=True, serves_read_only=True),
    ("GET", "/static/{name}"): _ANYBODY,
    ("GET", "/studies/{study}"): Access(Verb.READ, study=True, page=True),
    ("GET", "/studies/{study}/live"): Access(Verb.READ, study=True, page=True),
    ("GET", "/studies/{study}/points"): Access(Verb.READ, study=True, page=True),
    ("POST", "/studies/{study}/again"): Access(Verb.ASK, study=True, page=True),
    ("POST", "/studies/{study}/exclude"): Access(Verb.ADMIN, study=True, page=True),
    ("POST", "/studies/{study}/include"): Access(Verb.ADMIN, study=True, page=True),
}
