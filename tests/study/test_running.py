"""Study.optimize: budgets, failures, interrupts, threads, processes and a Dask cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import stoic
from helpers.cluster import cluster
from helpers.servers import Server
from stoic.errors import InvalidInput, InvalidPayoff
from stoic.optimize import Trial
from stoic.runs import patience

LINE = {"x": (0.0, 1.0)}


def bump(x: float) -> float:
    return 1.0 - (x - 0.3) ** 2


def test_it_does_what_maximize_does(store: str) -> None:
    seen: list[Trial] = []
    expected = stoic.maximize(bump, LINE, 11, seed=2)
    with stoic.Study(store, space=LINE, direction="maximize", seed=2, objective="bump") as study:
        result = study.optimize(bump, 11, callback=seen.append)
        assert result.to_dict() == expected.to_dict()
        assert tuple(seen) == result.trials
        assert study.optimize(bump, 11).trials == result.trials  # the budget is spent


def test_the_same_call_goes_on(tmp_path: Path) -> None:
    expected = stoic.maximize(bump, LINE, 10)
    for budget in (4, 7, 10, 10):
        with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
            result = study.optimize(bump, budget)
            assert study.finished == budget
    assert result.trials == expected.trials


def test_failures_are_told_with_their_reason(tmp_path: Path) -> None:
    def crashes(x: float) -> float | None:
        if x > 0.6:
            raise OSError("disk full")
        return None if x > 0.5 else x

    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        result = study.optimize(crashes, 12)
        assert result.failures
        assert set(result.failures) <= {"OSError: disk full", "returned None"}
        assert sum(t.state == "failed" for t in study.trials) == sum(result.failures.values())
        assert study.finished == 12


def test_mistakes_stop_the_run_and_give_the_trial_back(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        with pytest.raises(InvalidPayoff, match="real number"):
            study.optimize(lambda x: str(x), 5)
        with pytest.raises(InvalidInput, match="5 times out of 5"):
            study.optimize(lambda x: x + None, 50)
        assert [t.state for t in study.trials] == ["failed"] * 5
        assert study.trials[0].attempt == 2
        assert study.optimize(bump, 8).failures


@pytest.mark.parametrize("jobs", [1, 3])
def test_ctrl_c_gives_back_what_is_under_way(store: str, jobs: int) -> None:
    calls: list[float] = []

    def interrupted(x: float) -> float:
        calls.append(x)
        if len(calls) == 6:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
        return bump(x)

    with stoic.Study(store, space=LINE, direction="maximize") as study:
        result = study.optimize(interrupted, 50, jobs=jobs)
        assert result.interrupted
        assert len(result.trials) <= 6
        waiting = [t for t in study.trials if t.state == "open"]
        assert waiting
        assert all(t.lease_until == 0.0 for t in waiting)
        assert study.ask().number == waiting[0].number


def test_jobs_run_at_the_same_time(store: str) -> None:
    together = threading.Barrier(3, timeout=20)  # nobody passes alone

    def waits(x: float) -> float:
        together.wait()
        return bump(x)

    with stoic.Study(store, space=LINE, direction="maximize") as study:
        result = study.optimize(waits, 6, jobs=3)
    assert len(result.trials) == 6
    assert not result.failures


def test_leases_are_renewed_while_evaluations_run(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    stolen: list[Any] = []

    def slow(x: float) -> float:
        deadline = time.monotonic() + 0.9
        with stoic.Study(path) as other:
            while time.monotonic() < deadline:
                stolen.append(other.ask_within(1))
                time.sleep(0.1)
        return x

    with stoic.Study(path, space=LINE, direction="maximize", lease=0.3) as study:
        study.optimize(slow, 1)
        assert study.trials[0].attempt == 1
    assert set(stolen) == {None}


def test_several_runs_share_one_budget(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    stoic.Study(path, space=LINE, direction="maximize", method="random").close()

    def run() -> None:
        with stoic.Study(path) as study:
            study.optimize(bump, 12)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with stoic.Study(path) as study:
        assert len(study.trials) == study.finished == 12


def test_a_run_waits_for_the_lease_of_another(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with stoic.Study(path, space=LINE, direction="maximize", worker="gone, but who knows") as other:
        other.ask(lease=0.5)
    with stoic.Study(path) as study:
        assert len(study.optimize(bump, 2).trials) == 2
        assert [t.attempt for t in study.trials] == [2, 1]


def test_a_run_outlives_a_restart_of_the_server(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[float] = []

    def restarts(x: float) -> float:
        calls.append(x)
        if len(calls) == 2:
            postgres.stop()
            threading.Timer(0.5, postgres.start).start()
        return bump(x)

    monkeypatch.setattr(patience, "RETRY_SECONDS", (0.2,) * 100)
    with stoic.Study(postgres.fresh(), space=LINE, direction="maximize") as study:
        assert len(study.optimize(restarts, 4).trials) == len(calls) == 4


def test_the_callback_may_stop(tmp_path: Path) -> None:
    def stop(trial: Trial) -> None:
        if trial.number == 2:
            raise StopIteration

    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        result = study.optimize(bump, 50, callback=stop)
        assert len(result.trials) == 3
        assert not result.interrupted


def test_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        study.optimize(bump, 5, progress=True)
    assert capsys.readouterr().err.splitlines()[-1].startswith("5/5: best estimate ")


def test_a_policy_is_run(tmp_path: Path) -> None:
    policy = stoic.policies.GPUCB(stoic.Arms([0.0, 0.3, 0.6]), stoic.SquaredExponential(0.2))
    with stoic.Study(tmp_path / "s.db", policy=policy) as study:
        result = study.optimize(lambda arm: [0.0, 1.0, 0.5][arm], 12)
    assert result.best is not None
    assert result.best.params == {"arm": 1}


def test_a_dask_cluster_of_which_one_worker_is_killed(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()

    def slow(x: float) -> float:
        (begun / f"{os.getpid()} {time.time()}").touch()
        time.sleep(0.15)
        return 1.0 - (x - 0.3) ** 2

    with (
        cluster(tmp_path) as machines,
        stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize", method="random") as study,
    ):

        def kill(trial: Trial) -> None:
            if trial.number == 6:
                machines.kill_a_worker()

        result = study.optimize(
            slow, 16, jobs=4, engine="dask", scheduler=machines.address, callback=kill
        )
        assert len({file.name.split()[0] for file in begun.iterdir()}) >= 2
        assert len(result.trials) == study.finished == 16
        assert not result.failures
        assert [t.attempt for t in study.trials] == [1] * 16
