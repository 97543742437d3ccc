"""A study that is stopped anywhere goes on bit by bit as one that never stopped."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import stoic
from stoic.study import StudyTrial
from study.bars import Figure, Watch, at_most

SPACE = {"x": (0.0, 1.0), "n": (1, 20), "gc": ["g1", "zgc"]}
_COMPARED_SUGGESTIONS = 2  # suggestions that are compared after each stop


def tell(study: stoic.Study, trial: StudyTrial) -> None:
    """An outcome that depends on the trial alone: noisy, absurd or failed at times."""
    chance = random.Random(trial.number)
    if trial.number % 13 == 6:
        study.fail(trial, "crash")
        return
    value = (trial.params["x"] - 0.3) ** 2 + 0.01 * trial.params["n"] + chance.gauss(0.0, 0.05)
    study.tell(trial, value + (1e9 if trial.number % 17 == 3 else 0.0))
    if trial.number % 9 == 2:
        study.tell(trial, value + 0.01, measurement=1)


def resume(folder: Path, stops: int, watch: Watch, seed: int = 0) -> list[Figure]:
    """Compare the next suggestions after so many random stops with those of one long run."""
    length = max(12, stops + stops // 5)
    asked: list[dict[str, Any]] = []
    copies: list[Path] = []
    with stoic.Study(folder / "long.db", space=SPACE, direction="minimize", seed=3) as study:
        for number in watch.steps("one long run", length):
            trial = study.ask()
            asked.append(trial.params)
            tell(study, trial)
            copies.append(folder / f"stop{number + 1}.db")
            for end in ("", "-wal"):
                shutil.copyfile(f"{folder / 'long.db'}{end}", f"{copies[-1]}{end}")
    chance = random.Random(seed)
    last = length - _COMPARED_SUGGESTIONS
    points = sorted(chance.sample(range(1, last), min(stops, last - 1)))
    different = 0
    for i in watch.steps("resumed", len(points)):
        point = points[i]
        with stoic.Study(copies[point - 1]) as study:
            for ahead in range(_COMPARED_SUGGESTIONS):
                trial = study.ask()
                different += repr(trial.params) != repr(asked[point + ahead])
                tell(study, trial)
    what = f"resumed at {len(points)} random points: suggestions that differ"
    return [at_most(what, different, 0)]
