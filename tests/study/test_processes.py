"""Many processes on one study: none in another's way, none missed when killed."""

from __future__ import annotations

import random
import time
from pathlib import Path

import stoic
from helpers.worker import acknowledged, start


def test_many_processes_begin_at_once_and_lose_nothing(store: str, tmp_path: Path) -> None:
    outs = [tmp_path / f"out{i}" for i in range(8)]
    workers = [start(store, 8, 600.0, out) for out in outs]
    told: dict[int, float] = {}
    for worker, out in zip(workers, outs, strict=True):
        worker.join()
        assert worker.exitcode == 0
        mine = acknowledged(out)
        assert len(mine) == 8
        assert not told.keys() & mine.keys()
        told |= mine
    with stoic.Study(store) as study:
        assert {t.number: t.values for t in study.trials} == {k: (v,) for k, v in told.items()}
        assert study.finished == 64


def test_workers_that_are_killed_lose_nothing_and_keep_nothing(store: str, tmp_path: Path) -> None:
    chance = random.Random(4)
    told: dict[int, float] = {}
    for turn in range(4):
        outs = [tmp_path / f"out{turn}{i}" for i in range(2)]
        workers = [start(store, 10_000, 0.3, out) for out in outs]
        while not all(out.exists() and out.stat().st_size for out in outs):
            time.sleep(0.01)
        time.sleep(0.05 + 0.1 * chance.random())
        for worker, out in zip(workers, outs, strict=True):
            worker.kill()
            worker.join()
            told |= acknowledged(out)
    assert told
    with stoic.Study(store) as study:
        known = {t.number: t.values for t in study.trials if t.values}
        assert {k: known.get(k) for k in told} == {k: (v,) for k, v in told.items()}
        count = len(study.trials)
        while study.finished < count:  # all that is open comes back, and nothing twice
            trial = study.ask()
            assert trial.number < count
            study.tell(trial, trial.params["x"])
        assert study.ask().number == count
