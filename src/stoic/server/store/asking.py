"""Asks as operations on a study, with the keys that let them be repeated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stoic.study import Proposal, Study, StudyTrial

__all__ = ["Asking", "Take", "ask_all", "taking"]

Take = Callable[[Study, Proposal, bool], StudyTrial | None]  # whether it may be out of date


@dataclass(frozen=True)
class Asking:
    """What a client asks for."""

    count: int = 1
    worker: str = ""
    lease: float = 600.0
    budget: int | None = None
    key: str | None = None  # of a request that may be repeated


def ask_all(study: Study, asking: Asking) -> tuple[list[StudyTrial], int]:
    """Ask a study whose suggestions take no time."""
    found = []
    for index in range(asking.count):
        if asking.budget is None:
            trial: StudyTrial | None = study.ask(**_options(asking, index))
        else:
            trial = study.ask_within(asking.budget, **_options(asking, index))
        if trial is None:
            break
        found.append(trial)
    return found, study.finished


def taking(asking: Asking, index: int) -> Take:
    """Ask a study for one of several trials, with a proposal."""

    def take(study: Study, proposal: Proposal, stale_ok: bool) -> StudyTrial | None:
        options = _options(asking, index)
        if asking.budget is None:
            return study.ask(**options, proposal=proposal, stale_ok=stale_ok)
        return study.ask_within(asking.budget, **options, proposal=proposal, stale_ok=stale_ok)

    return take


def _options(asking: Asking, index: int) -> dict[str, Any]:
    key = None if asking.key is None else f"{asking.key}#{index}"
    return {"lease": asking.lease, "key": key, "worker": asking.worker}
