"""Replies that report a problem, as the typed errors that a local study raises."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn

from stoic.errors import (
    AccessDenied,
    InvalidInput,
    StoicError,
    StoreError,
    StoreUnavailable,
    UnknownName,
)
from stoic.printable import visible
from stoic.redaction import masked, redacted_url
from stoic.remote.address import Address, Token
from stoic.remote.connections import Reply

__all__ = ["Garbled", "data_of", "error_of", "words_of"]

_MAX_WORDS_CHARACTERS = 2000
_OF_STATUS: dict[int, type[StoicError]] = {
    400: InvalidInput, 401: AccessDenied, 403: AccessDenied, 404: UnknownName,
    413: InvalidInput, 415: InvalidInput, 422: InvalidInput,
}  # fmt: skip


class Garbled(Exception):
    """A reply that ought to be data, and is not."""


def _classes(base: type[StoicError]) -> Iterator[type[StoicError]]:
    yield base
    for each in base.__subclasses__():
        yield from _classes(each)


_OF_CODE = {each.code: each for each in _classes(StoicError) if each.__module__ == "stoic.errors"}


def data_of(reply: Reply) -> dict[str, Any]:
    """The object of a reply, or `Garbled`."""
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", "application/problem+json"):
        raise Garbled(f"a reply of the type {visible(kind)[:60] or 'unknown'}")
    try:
        text = reply.body.decode("utf-8")
        data = json.loads(text, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError):
        raise Garbled("a reply that is not JSON") from None
    if not isinstance(data, dict):
        raise Garbled("a reply that is no object")
    return data


def _refused(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _refused(digits)


def error_of(reply: Reply, address: Address, token: Token | None) -> StoicError:
    """The error that a reply with another status than 2xx stands for."""
    if 300 <= reply.status < 400:
        where = visible(redacted_url(reply.headers.get("location", "another address")[:200]))
        return StoreUnavailable(
            f"expected an answer of the server at {address}, got a redirection to {where}, which "
            "is never followed; give that address if you trust it"
        )
    try:
        problem = data_of(reply)
    except Garbled as found:
        return _of_others(reply.status, address, str(found))
    code = problem.get("code")
    kind = _OF_CODE.get(code) if isinstance(code, str) else None
    kind = kind or _OF_STATUS.get(reply.status, StoreError)
    return kind(_words(problem, token) or f"the server answered with status {reply.status}")


def words_of(reply: Reply, token: Token | None) -> str:
    """What a reply says about its problem; empty where it says nothing."""
    try:
        return _words(data_of(reply), token)
    except Garbled:
        return ""


def _words(problem: dict[str, Any], token: Token | None) -> str:
    detail = problem.get("detail")
    words = visible(detail[:_MAX_WORDS_CHARACTERS]) if isinstance(detail, str) else ""
    return masked(words, [] if token is None else [token.text])


def _of_others(status: int, address: Address, found: str) -> StoicError:
    """The error for a reply that no Stoic server gives, such as one of a proxy."""
    kind = AccessDenied if status in (401, 403) else StoreUnavailable
    return kind(
        f"expected a server of Stoic at {address}, got status {status} and {found}; is the address "
        "right?"
    )
