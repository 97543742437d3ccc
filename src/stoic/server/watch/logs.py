"""The access log: a line of JSON for each request, without headers, queries and bodies."""

from __future__ import annotations

import json
import logging
import re
import time

from starlette.types import Scope

from stoic.redaction import MASK, redacted

__all__ = ["AccessLog"]

_LOG = logging.getLogger("stoic.server.access")
_TOKEN = re.compile(r"stoic_[a-z0-9]{8}_[A-Za-z0-9_-]+")
_MAX_PATH_CHARACTERS = 200


class AccessLog:
    """Writes to the logger ``stoic.server.access``."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted

    def write(self, scope: Scope, status: int, seconds: float) -> None:
        """Log a request that was answered."""
        if not self._wanted or not _LOG.isEnabledFor(logging.INFO):
            return
        client = scope.get("client")
        line = {
            "time": round(time.time(), 3),
            "client": client[0] if client else None,
            "token": scope.get("stoic.token"),
            "method": scope["method"],
            "path": _shown(scope["path"]),
            "status": status,
            "ms": round(1000 * seconds, 1),
        }
        _LOG.info(json.dumps(line, separators=(",", ":")))


def _shown(path: str) -> str:
    """A path without what looks like a secret."""
    short = path[:_MAX_PATH_CHARACTERS]
    if "stoic_" in short:
        short = _TOKEN.sub(MASK, short)
    return redacted(short) if "=" in short or "@" in short else short
