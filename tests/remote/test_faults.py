"""Lost requests, lost replies, a server that is killed: nothing is lost, nothing counts twice."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

import stoic
from helpers.losing import losing
from helpers.service import Service, serving
from stoic.remote import RemoteStudy
from stoic.study import TrialRecord

LINE = {"x": (0.0, 1.0)}
MADE: dict[str, Any] = {"space": LINE, "direction": "minimize", "method": "random"}


def work(study: RemoteStudy, budget: int, told: dict[int, float]) -> None:
    """Ask and tell until the budget is spent; remember what was acknowledged."""
    while (trial := study.ask_within(budget)) is not None:
        value = trial.params["x"] ** 2
        assert trial.number not in told, "leased to two workers"
        study.tell(trial, value)
        told[trial.number] = value


def assert_history(trials: tuple[TrialRecord, ...], told: dict[int, float], budget: int) -> None:
    """Each trial once, each acknowledged value as it was told, and nothing else."""
    assert [record.number for record in trials] == list(range(budget))
    assert {record.number: record.values for record in trials} == {
        number: (value,) for number, value in told.items()
    }
    assert {record.attempt for record in trials} == {1}, "a lease was lost"


def test_lost_replies(service: Service, name: str) -> None:
    told: dict[int, float] = {}
    with losing(service.port, 0.08) as proxy, ThreadPoolExecutor(4) as pool:
        studies = [stoic.connect(proxy.url, name, **MADE) for _ in range(4)]
        for done in [pool.submit(work, study, 120, told) for study in studies]:
            done.result()
        for study in studies:
            study.close()
        assert min(proxy.fates[fate] for fate in ("request lost", "reply lost", "reply cut")) >= 10
    with stoic.connect(service.url, name) as study:
        assert_history(study.trials, told, 120)


def test_what_is_added_counts_once(service: Service, name: str) -> None:
    with losing(service.port, 0.15) as proxy, stoic.connect(proxy.url, name, **MADE) as study:
        added = [study.add({"x": 0.5}, float(i)) for i in range(20)]
        for i in range(20):
            study.enqueue({"x": i / 20})
        assert min(proxy.fates[fate] for fate in ("reply lost", "reply cut")) >= 4
    with stoic.connect(service.url, name) as kept:
        trials = kept.trials
    assert [each.number for each in added] == list(range(20))
    assert [record.values for record in trials[:20]] == [(float(i),) for i in range(20)]
    waiting = [record.params["x"] for record in trials[20:]]
    assert waiting == [i / 20 for i in range(20)], "one enqueued twice, or not at all"


def test_a_killed_server(tmp_path: Path) -> None:
    told: dict[int, float] = {}

    def restart() -> None:
        for count in (40, 80, 120):
            while len(told) < count:
                time.sleep(0.002)
            server.kill()
            time.sleep(0.1)
            server.start()

    with serving(tmp_path / "s.db") as server, ThreadPoolExecutor(4) as pool:
        studies = [stoic.connect(server.url, **MADE) for _ in range(3)]
        kills = pool.submit(restart)
        for done in [pool.submit(work, study, 160, told) for study in studies]:
            done.result()
        kills.result()
        assert_history(studies[0].trials, told, 160)
        for study in studies:
            study.close()
    with stoic.Study(tmp_path / "s.db") as kept:
        assert_history(kept.trials, told, 160)


def test_an_ask_that_failed_for_good_is_not_lost(tmp_path: Path) -> None:
    with serving(tmp_path / "s.db") as server, losing(server.port, 0.0) as proxy:
        study = stoic.connect(proxy.url, patience=0.3, **MADE)
        first = study.ask()
        proxy.loss = 0.5  # half of the requests are lost, and of the rest all replies
        proxy.draw.seed(2)
        with pytest.raises(stoic.errors.StoreUnavailable):
            for _ in range(50):
                proxy.draw.random = lambda: 0.7  # type: ignore[method-assign]  # a lost reply
                study.ask()
        proxy.loss = 0.0
        second = study.ask()  # the trial that the lost replies were about
        assert (first.number, second.number) == (0, 1)
        assert study.asked == 2
        study.close()
