"""Errors as replies: problem details of RFC 9457, with Stoic's codes and without internals.

Messages of `InvalidInput` and its like are written for users and are shown. What else went wrong
is in the log alone, under an id that the reply has.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from stoic import errors
from stoic.errors import (
    REFERENCE,
    AccessDenied,
    ConflictingValue,
    InvalidInput,
    MissingExtra,
    StoicError,
    StoreUnavailable,
    StudyMismatch,
    UnknownStudy,
    UnknownTrial,
)
from stoic.printable import visible
from stoic.redaction import redacted

__all__ = ["Problem", "busy", "problem_of", "reply", "shown"]

_LOG = logging.getLogger("stoic.server")
_MAX_DETAIL_CHARACTERS = 2000
_SERVERS_OWN = "docs/do/serve.md#errors"  # where the codes are explained that are no class
_KINDS = (getattr(errors, name) for name in errors.__all__)
_KNOWN = frozenset(
    kind.code for kind in _KINDS if isinstance(kind, type) and issubclass(kind, StoicError)
)
_TITLES = {
    400: "The request can't be read",
    401: "A token is needed",
    403: "Not allowed",
    404: "Not found",
    405: "Another method is needed",
    408: "The request came too slowly",
    409: "In conflict with what is stored",
    413: "The request is too large",
    414: "The request is too large",
    415: "Another type of content is needed",
    421: "Another host is meant",
    422: "The request is not valid",
    429: "Too many requests",
    431: "The headers are too large",
    500: "The server failed",
    503: "The server is busy",
}


class Problem(Exception):
    """A reply that is an error."""

    def __init__(
        self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.headers = dict(headers or {})


def busy(detail: str, seconds: int = 1) -> Problem:
    """The problem of a server that can't answer now; the same request may be sent again."""
    return Problem(503, "busy", detail, {"Retry-After": str(seconds)})


_STATUS: tuple[tuple[type[StoicError], int], ...] = (
    (AccessDenied, 403),
    (UnknownStudy, 404),
    (UnknownTrial, 404),
    (ConflictingValue, 409),
    (StudyMismatch, 409),
    (InvalidInput, 422),
    (MissingExtra, 422),
)


def problem_of(error: BaseException) -> Problem:
    """Any error as a problem; what is not meant for clients is logged under an id."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, StoicError):
        for kind, status in _STATUS:
            if isinstance(error, kind):
                return Problem(status, error.code, str(error))
    key = secrets.token_hex(6)
    if isinstance(error, StoreUnavailable):
        _LOG.error("%s: the store is not available: %s", key, visible(redacted(str(error))))
        return Problem(
            503,
            error.code,
            f"expected the store to answer, got no answer; try again (log id {key})",
            {"Retry-After": "2"},
        )
    _LOG.error("%s: a request failed", key, exc_info=error)
    code = error.code if isinstance(error, StoicError) else "internal"
    return Problem(500, code, f"the reason is in the server's log under id {key}")


def shown(problem: Problem) -> dict[str, Any]:
    """What a client is told of a problem."""
    return {
        "type": f"{REFERENCE}#{problem.code}" if problem.code in _KNOWN else _SERVERS_OWN,
        "title": _TITLES.get(problem.status, "Not possible"),
        "status": problem.status,
        "code": problem.code,
        "detail": visible(redacted(problem.detail))[:_MAX_DETAIL_CHARACTERS],
    }


def reply(problem: Problem) -> Response:
    """The reply of a problem."""
    data = shown(problem)
    body = json.dumps(data, separators=(",", ":")).encode()
    return Response(body, problem.status, problem.headers, "application/problem+json")
