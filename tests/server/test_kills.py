"""A short form of benchmarks/server/faults.py, and that its check finds faults of every kind."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from helpers.servers import BINARIES, server
from server import faults
from server.checking import faults as check
from server.working import History, Lease
from stoic.study import StudyTrial, TrialRecord
from study.bars import Watch


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_server_that_is_killed_under_load(tmp_path: Path, kind: str) -> None:
    plan = faults.Plan(kills=2, every=(0.5, 1.5), clients=4)
    if kind == "postgresql":
        if not (BINARIES / "initdb").exists():
            pytest.skip("no PostgreSQL server is installed")
        with server(sync=True) as made:
            figures = faults.figures(made.fresh(), plan, Watch())
    else:
        figures = faults.figures(str(tmp_path / "s.db"), plan, Watch())
    assert not [each for each in figures if each.met is False]
    counts = {each.what.partition(": ")[2]: each.figure for each in figures}
    assert int(counts["acknowledged"]) > 10
    assert int(counts["requests that were repeated"]) > 0


PARAMS = {"x": 0.5}


def record(number: int, *values: float, **more: Any) -> TrialRecord:
    state = "told" if values else "open"
    made = TrialRecord(number, PARAMS, state, values, None, 0.0, None, "w", 1, 0.0)
    return replace(made, **more)


def lease(number: int, client: int = 0, *, attempt: int = 1, received: float = 1.0) -> Lease:
    trial = StudyTrial(number, PARAMS, attempt, 0.0, "uid", f"token {client} {attempt}")
    return Lease(client, trial, received - 0.1, received, 10.0)


def told(**more: Any) -> History:
    """Two trials that were asked and told."""
    history = History(leases=[lease(0), lease(1)], told={(0, 0): 1.0, (1, 0): 2.0})
    history.sent = {(0, 0, 1.0), (1, 0, 2.0)}
    return replace(history, **more)


WHOLE = [record(0, 1.0), record(1, 2.0)]


def test_a_whole_store_has_no_fault() -> None:
    assert not any(check(told(), WHOLE).values())
    again = lease(0, 1, attempt=2, received=30.0)  # when the lease of the first had ended
    assert not any(check(told(leases=[again, lease(0), lease(1)]), WHOLE).values())
    early = lease(0)
    early.ended = 2.0  # given back
    again = lease(0, 1, attempt=2, received=3.0)
    assert not any(check(told(leases=[early, again, lease(1)]), WHOLE).values())


@pytest.mark.parametrize(
    ("kind", "history", "trials"),
    [
        ("lost", told(), WHOLE[:1]),
        ("lost", told(), [WHOLE[0], record(1)]),
        ("lost", told(), [WHOLE[0], record(1, 2.0, params={"x": 0.25})]),
        ("lost", told(failed={1: "crash"}), WHOLE),
        ("lost", told(added={5.0: 2}), WHOLE),
        ("lost", told(enqueued={0.75}), WHOLE),
        ("duplicated", told(), [WHOLE[0], record(1, 2.0, 2.0)]),
        ("duplicated", told(added={5.0: 2}), [*WHOLE, record(2, 5.0), record(3, 5.0)]),
        ("duplicated", told(enqueued={0.5}), WHOLE),
        ("phantom", told(), [*WHOLE, record(2)]),
        ("phantom", told(), [WHOLE[0], record(1, 2.0, 3.0)]),
        ("double-leased", told(leases=[lease(0), lease(1), lease(1, 1, attempt=2)]), WHOLE),
        ("double-leased", told(leases=[lease(0), lease(1), lease(1)]), WHOLE),
    ],
)
def test_each_kind_of_fault_is_found(
    kind: str, history: History, trials: list[TrialRecord]
) -> None:
    found = check(history, trials)
    assert found[kind]
