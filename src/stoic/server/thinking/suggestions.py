"""The process that suggests: it follows the log of its studies, and holds their models."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from stoic.errors import UnknownStudy
from stoic.server.store.opening import Following, Studies

__all__ = ["Tasks"]

_MAX_OPEN = 64


class Tasks:
    """Computes suggestions, each accounting for those before."""

    def __init__(self, store: str) -> None:
        self._studies = Studies(store, _MAX_OPEN, Following)

    def do(self, task: str, name: str, uid: str, arguments: dict[str, Any]) -> Any:
        """Proposals for the next trials; or finals begin or end, which needs the whole log too."""
        try:
            study = self._studies.get(name, uid)
            if task == "begin finals":
                return study.start_finals(arguments["evaluations"], arguments["contenders"])
            if task == "end finals":
                return study.end_finals()
            beside = arguments["beside"]
            found = study.suggest(arguments["count"], quick=arguments["quick"], beside=beside)
        except UnknownStudy:
            self._studies.forget(uid)
            raise
        return [asdict(proposal) for proposal in found]
