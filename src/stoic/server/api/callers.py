"""How callers are named in a study: by the token that they used."""

from __future__ import annotations

from stoic.server.problems import Problem
from stoic.server.routing import Call

__all__ = ["key_of", "worker_of"]

_MAX_KEY_CHARACTERS = 200


def worker_of(call: Call, worker: str) -> str:
    """The name of a worker: it begins with the id of the token that it used."""
    return f"{call.who.id}/{worker}"


def key_of(call: Call) -> str | None:
    """The key of a request that may be repeated, apart for each token."""
    given = call.headers.getlist("idempotency-key")
    if not given:
        return None
    if len(given) > 1 or not 0 < len(given[0]) <= _MAX_KEY_CHARACTERS or not given[0].isascii():
        raise Problem(
            422,
            "invalid-request",
            f"expected one Idempotency-Key of 1 to {_MAX_KEY_CHARACTERS} ASCII characters",
        )
    return f"{call.who.id}/{given[0]}"
