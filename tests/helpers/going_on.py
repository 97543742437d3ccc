"""Go on with a study in a process of its own: ``python going_on.py STORE NAME ROUNDS``."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import stoic


def value_of(number: int, params: dict[str, Any]) -> float | None:
    """A value that depends on the trial alone, wild at times; None for a crash."""
    if number % 7 == 5:
        return None
    wild = 1e6 if number % 11 == 3 else 0.0
    return sum(math.sin(3.0 * v) for v in params.values() if isinstance(v, float)) + wild


def tell(study: stoic.Study, trial: stoic.study.StudyTrial) -> None:
    """Tell a trial's outcome."""
    value = value_of(trial.number, trial.params)
    if value is None:
        study.fail(trial, "crash")
    else:
        study.tell(trial, value)


def go_on(study: stoic.Study, rounds: int, at_once: int = 1) -> list[dict[str, Any]]:
    """Ask ``at_once`` trials and tell the first of them, so many times; what was asked."""
    asked: list[dict[str, Any]] = []
    pending: list[stoic.study.StudyTrial] = []
    for _ in range(rounds):
        while len(pending) < at_once:
            pending.append(study.ask())
            asked.append(pending[-1].params)
        tell(study, pending.pop(0))
    for trial in pending:
        tell(study, trial)
    return asked


if __name__ == "__main__":
    with stoic.Study(sys.argv[1], sys.argv[2]) as opened:
        print(json.dumps(go_on(opened, int(sys.argv[3]))))
