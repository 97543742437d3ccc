"""The process that answers: the best, the verdict, the suspects, and what the page shows."""

from __future__ import annotations

from typing import Any

from stoic.errors import UnknownStudy
from stoic.server.store.opening import Studies

__all__ = ["Tasks"]

_MAX_OPEN = 32


class Tasks:
    """Computes answers."""

    def __init__(self, store: str) -> None:
        self._studies = Studies(store, _MAX_OPEN)

    def do(self, task: str, name: str, uid: str, arguments: dict[str, Any]) -> Any:
        """The result, or a snapshot."""
        del task, arguments
        try:
            return self._studies.get(name, uid).result().to_dict()
        except UnknownStudy:
            self._studies.forget(uid)
            raise
