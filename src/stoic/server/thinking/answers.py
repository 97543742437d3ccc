"""The process that answers: the best, the verdict, the suspects, and what the page shows."""

from __future__ import annotations

from typing import Any

from stoic.errors import UnknownStudy
from stoic.server.page.snapshot import Snapshots
from stoic.server.store.opening import Following, Studies
from stoic.study import Study

__all__ = ["Tasks"]

_MAX_OPEN = 32


class Tasks:
    """Computes answers."""

    def __init__(self, store: str) -> None:
        self._studies = Studies(store, _MAX_OPEN, Following)
        self._snapshots: dict[str, Snapshots] = {}

    def _snapshot(self, study: Study, seconds: float) -> dict[str, Any]:
        found = self._snapshots.pop(study.uid, None)
        if found is None or found.study is not study:
            found = Snapshots(study)
        self._snapshots[study.uid] = found  # the one used last comes last
        while len(self._snapshots) > _MAX_OPEN:
            del self._snapshots[next(iter(self._snapshots))]
        return found.take(seconds)

    def do(self, task: str, name: str, uid: str, arguments: dict[str, Any]) -> Any:
        """The result, or a snapshot for the page."""
        try:
            study = self._studies.get(name, uid)
            if task == "snapshot":
                return self._snapshot(study, arguments["seconds"])
            return study.result().to_dict()
        except UnknownStudy:
            self._studies.forget(uid)
            raise
