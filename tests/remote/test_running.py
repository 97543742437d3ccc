"""`RemoteStudy.optimize`: the runs of `Study.optimize`, with a server between."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi")

import stoic
from helpers.service import Service, serving
from stoic.errors import InvalidInput, StoreUnavailable
from stoic.optimize import Trial

LINE = {"x": (0.0, 1.0)}
SQUARE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
BASELINE = {"x": 0.9, "y": 0.1}


def bump(x: float) -> float:
    return 1.0 - (x - 0.3) ** 2


def noisy(x: float, y: float, number: int) -> float:
    bowl = (x - 0.3) ** 2 + (y - 0.6) ** 2
    return float(20.0 + 20.0 * bowl + 0.5 * np.random.default_rng(number).standard_normal())


def run(study: Any, **limits: Any) -> stoic.Result:
    """A run whose values depend on the number of the call alone."""
    calls = iter(range(10**6))
    result: stoic.Result = study.optimize(lambda x, y: noisy(x, y, next(calls)), **limits)
    return result


@pytest.mark.parametrize(
    "limits",
    [
        {"budget": 12, "confirm": False},
        {"budget": 24},
        {"budget": 30, "confirm": 8},
        {"budget": 60, "stop": "settled"},
    ],
    ids=["search", "finals", "eight", "settled"],
)
def test_a_run_is_the_same(
    service: Service, name: str, tmp_path: Path, limits: dict[str, Any]
) -> None:
    made: dict[str, Any] = {"space": SQUARE, "direction": "minimize", "baseline": BASELINE}
    with stoic.Study(tmp_path / "s.db", name, **made) as local:
        expected = run(local, **limits)
    with stoic.connect(service.url, name, **made) as study:
        result = run(study, **limits)
    assert result.to_dict() == expected.to_dict()
    assert result.trials == expected.trials
    assert str(result.verdict) == str(expected.verdict)
    assert result.ended_by == expected.ended_by


def test_time_ends_a_run(service: Service, name: str) -> None:
    def slow(x: float) -> float:
        time.sleep(0.2)
        return bump(x)

    with stoic.connect(service.url, name, space=LINE, direction="maximize") as study:
        result = study.optimize(slow, time=2.0, confirm=False)
        assert result.ended_by == "time"
        assert 2 <= len(result.trials) <= 10


def test_the_same_call_goes_on(service: Service, name: str) -> None:
    expected = stoic.maximize(bump, LINE, 9)
    for budget in (4, 9, 9):
        with stoic.connect(service.url, name, space=LINE, direction="maximize") as study:
            result = study.optimize(bump, budget)
            assert study.finished == budget
    assert result.trials == expected.trials


def test_jobs_run_at_the_same_time(service: Service, name: str) -> None:
    together = threading.Barrier(3, timeout=20)  # nobody passes alone

    def waits(x: float) -> float:
        together.wait()
        return bump(x)

    with stoic.connect(service.url, name, space=LINE, direction="maximize") as study:
        result = study.optimize(waits, 6, jobs=3)
    assert len(result.trials) == 6
    assert not result.failures


def test_workers_share_one_budget(service: Service, name: str) -> None:
    stoic.connect(service.url, name, space=LINE, direction="maximize", method="random").close()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            with stoic.connect(service.url, name) as study:
                study.optimize(bump, 15)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with stoic.connect(service.url, name) as study:
        assert len(study.trials) == study.finished == 15
        assert {record.attempt for record in study.trials} == {1}


@pytest.mark.parametrize("jobs", [1, 3])
def test_ctrl_c_gives_back_what_is_under_way(service: Service, name: str, jobs: int) -> None:
    calls: list[float] = []

    def interrupted(x: float) -> float:
        calls.append(x)
        if len(calls) == 6:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
        return bump(x)

    with stoic.connect(service.url, name, space=LINE, direction="maximize") as study:
        result = study.optimize(interrupted, 50, jobs=jobs)
        assert result.interrupted
        waiting = [t for t in study.trials if t.state == "open"]
        assert waiting
        assert all(t.lease_until == 0.0 for t in waiting)
        assert study.ask().number == waiting[0].number


def test_leases_are_renewed_while_evaluations_run(service: Service, name: str) -> None:
    stolen: list[Any] = []

    def slow(x: float) -> float:
        deadline = time.monotonic() + 2.5
        with stoic.connect(service.url, name) as other:
            while time.monotonic() < deadline:
                stolen.append(other.ask_within(1))
                time.sleep(0.1)
        return x

    made: dict[str, Any] = {"space": LINE, "direction": "maximize", "lease": 1.2}
    with stoic.connect(service.url, name, **made) as study:
        study.optimize(slow, 1)
        assert study.trials[0].attempt == 1
    assert set(stolen) == {None}


def test_a_trial_of_a_lost_worker_is_asked_again(service: Service, name: str) -> None:
    made: dict[str, Any] = {"space": LINE, "direction": "maximize"}
    with stoic.connect(service.url, name, worker="gone, but who knows", **made) as other:
        other.ask(lease=0.5)
    with stoic.connect(service.url, name) as study:
        assert len(study.optimize(bump, 2).trials) == 2
        assert [t.attempt for t in study.trials] == [2, 1]


def test_a_run_outlives_restarts_of_the_server(tmp_path: Path) -> None:
    calls: list[float] = []

    with serving(tmp_path / "s.db") as server:

        def restarts(x: float) -> float:
            calls.append(x)
            if len(calls) in (2, 4):
                server.kill()
                threading.Timer(0.5, server.start).start()
            return bump(x)

        with stoic.connect(server.url, space=LINE, direction="maximize") as study:
            assert len(study.optimize(restarts, 6).trials) == len(calls) == 6
            assert {record.attempt for record in study.trials} == {1}


def test_the_end_of_a_run_does_not_wait_for_a_dead_server(tmp_path: Path) -> None:
    began: list[float] = []
    with serving(tmp_path / "s.db") as server:

        def fn(x: float) -> float:
            if len(began) < 2:
                began.append(time.monotonic())
                return x
            server.kill()
            began.append(time.monotonic())
            raise KeyboardInterrupt

        made: dict[str, Any] = {"space": LINE, "direction": "minimize", "patience": 1.0}
        with (
            stoic.connect(server.url, **made) as study,
            pytest.raises(StoreUnavailable),  # the result needs the log
        ):
            study.optimize(fn, 5)
        assert time.monotonic() - began[-1] < 30.0


def test_mistakes_stop_the_run_and_give_the_trial_back(service: Service, name: str) -> None:
    with stoic.connect(service.url, name, space=LINE, direction="maximize") as study:
        with pytest.raises(InvalidInput, match="5 times out of 5"):
            study.optimize(lambda x: x + None, 50)
        assert [t.state for t in study.trials] == ["failed"] * 5
        assert study.optimize(bump, 8).failures


def test_callback_and_progress(
    service: Service, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(trial: Trial) -> None:
        if trial.number == 2:
            raise StopIteration

    with stoic.connect(service.url, name, space=LINE, direction="maximize") as study:
        assert len(study.optimize(bump, 50, callback=stop).trials) == 3
        study.optimize(bump, 5, progress=True)
    assert capsys.readouterr().err.splitlines()[-1].startswith("5/5: best estimate ")
