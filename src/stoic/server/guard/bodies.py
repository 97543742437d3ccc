"""Read a request's body: bounded in size and time, and as JSON that has one meaning only."""

from __future__ import annotations

import asyncio
import json
import math
import re
from typing import Any, NoReturn

from starlette.types import Receive

from stoic.server.problems import Problem
from stoic.server.settings import Limits

__all__ = ["parse_json", "read_body"]

# an unfinished string ends with the body: so the search takes linear time
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_CLOSE = {"Connection": "close"}  # the rest of the body is not read


async def read_body(receive: Receive, headers: Any, limits: Limits) -> bytes:
    """The body, or a problem as soon as it is too large or too slow."""
    announced = headers.get("content-length", "0")
    if not announced.isdecimal() or len(announced) > 18:
        raise Problem(400, "invalid-request", "expected Content-Length as a number", _CLOSE)
    if int(announced) > limits.body_bytes:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _received(receive, limits)
    except TimeoutError:
        raise Problem(
            408,
            "too-slow",
            f"expected the whole body within {limits.body_seconds:g} seconds",
            _CLOSE,
        ) from None


async def _received(receive: Receive, limits: Limits) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(400, "disconnected", "the request ended within its body", _CLOSE)
        part = message.get("body", b"")
        size += len(part)
        if size > limits.body_bytes:
            raise _too_large(limits)
        parts.append(part)
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large(limits: Limits) -> Problem:
    return Problem(
        413, "too-large", f"expected a body of at most {limits.body_bytes} bytes", _CLOSE
    )


def parse_json(body: bytes, depth: int) -> Any:
    """The data of a JSON text, or a problem.

    Refused are bytes that are not UTF-8, nesting of more than ``depth`` levels, a name that occurs
    twice in an object, and NaN, infinite, or overflowing numbers.
    """
    _check_depth(body, depth)
    try:
        return _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise _refused("expected JSON in UTF-8, got other bytes") from None
    except json.JSONDecodeError as error:
        raise _refused(f"expected JSON, got an error at character {error.pos}") from None
    except (ValueError, RecursionError):  # an integer of thousands of digits
        raise _refused("expected JSON with numbers of usual length") from None


def _check_depth(body: bytes, most: int) -> None:
    if body.count(b"[") + body.count(b"{") <= most:
        return
    level = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", body)):
        level += 1 if bracket[0] in b"[{" else -1
        if level > most:
            raise _refused(f"expected JSON of at most {most} levels, got more")


def _refused(detail: str) -> Problem:
    return Problem(400, "invalid-json", detail)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _refused("expected each name once in an object, got one twice")
    return found


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _refused("expected finite numbers, got one beyond the range of floats")
    return value


def _constant(name: str) -> NoReturn:
    raise _refused(f"expected finite numbers, got {name}")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=_number, parse_constant=_constant)
