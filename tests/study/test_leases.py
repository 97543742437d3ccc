"""Who holds a trial, for how long, and by which clock."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

import stoic
from stoic.errors import ConflictingValue, InvalidInput, StoreUnavailable
from stoic.study import StudyTrial
from stoic.study.repair.recovery import recover
from stoic.study.store import clocks, open_store, schema
from stoic.study.store.rows import digest

LINE = {"x": (0.0, 1.0)}
HOUR = 3600.0


# -- tokens ---------------------------------------------------------------------------------------


def test_who_does_not_hold_a_trial_can_neither_renew_nor_release_it(store: str) -> None:
    with (
        stoic.Study(store, space=LINE, direction="maximize", worker="holder") as holder,
        stoic.Study(store, worker="other") as other,
    ):
        held = holder.ask()
        forged = StudyTrial(held.number, held.params, held.attempt, held.lease_until, held.study)
        for theirs in (held.number, other.trials[0], forged):
            assert not other.release(theirs)  # type: ignore[arg-type]
            assert not other.renew(theirs, 1e6)  # type: ignore[arg-type]
        assert not holder.release(forged)
        assert holder.trials[0].lease_until < time.time() + 700.0
        assert other.ask().number == 1
        assert holder.renew(held.number)  # by its number: this very object was given the lease
        assert holder.renew(held)
        assert other.renew(held)  # whoever was handed the trial holds it with its token
        assert holder.release(held.number)
        assert not holder.release(held.number)  # given back once
        assert not holder.renew(held)
        assert other.ask().number == 0


def test_every_lease_has_a_token_of_its_own(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        first = study.ask(lease=0.01)
        time.sleep(0.02)
        assert study.renew(first, 0.01)  # late, and nobody else was quicker
        time.sleep(0.02)
        again = study.ask()
        assert (again.number, again.attempt) == (first.number, 2)
        assert again.token != first.token
        assert first.token not in repr(first)
        assert not study.renew(first)
        assert not study.release(first)
        study.tell(first, 1.0)  # a late outcome is welcome, and the first one stays
        with pytest.raises(ConflictingValue):
            study.tell(again.number, 2.0)
        assert not study.renew(again.number)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_holds_no_lease_of_its_parent(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        trial = study.ask()
        child = os.fork()
        if child == 0:
            ours = study.release(trial.number) or not study.renew(trial)
            os._exit(int(ours))
        assert os.waitpid(child, 0)[1] == 0
        assert study.renew(trial.number)


# -- clocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("off", [-HOUR, HOUR])
def test_no_clients_date_ends_a_lease_or_makes_it_last(
    store: str, off: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = time.time
    with stoic.Study(store, space=LINE, direction="maximize", worker="a") as study:
        held = study.ask(lease=60.0)
        monkeypatch.setattr(time, "time", lambda: right() + off)
        with stoic.Study(store, worker="b", lease=60.0) as wrong:
            theirs = wrong.ask()
            short = wrong.ask(lease=0.05)
            assert (held.number, theirs.number, short.number) == (0, 1, 2)  # none was taken
            monkeypatch.setattr(time, "time", right)
            time.sleep(0.1)
            assert study.ask().number == short.number  # and all end when they should
            assert study.ask().number == 3
            monkeypatch.setattr(time, "time", lambda: right() - off)  # set anew amid a lease
            assert wrong.ask().number == 4
            assert wrong.renew(theirs)


class Machine:
    """A machine that can be restarted, and whose clock the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name, self.seconds = "machine", 1e6
        monkeypatch.setattr(clocks, "machine", lambda: self.name)
        monkeypatch.setattr(clocks, "seconds", lambda: self.seconds)

    def restart(self, seconds: float = 5.0) -> None:
        self.name, self.seconds = self.name + "'", seconds


@pytest.mark.parametrize("uptime", [5.0, 1e8])
def test_leases_of_workers_that_a_restart_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uptime: float
) -> None:
    path, machine = tmp_path / "s.db", Machine(monkeypatch)
    with stoic.Study(
        path, space=LINE, direction="maximize", method="random", worker="a", lease=600.0
    ) as study:
        lost = study.ask()
        study.enqueue({"x": 0.5})
    machine.restart(uptime)
    for number in (1, None, None, None):  # processes that do not stay
        with stoic.Study(path, worker="b") as study:
            trial = study.ask_within(2)
            assert (trial and trial.number) == number
            if trial is not None:
                study.tell(trial, 1.0)
        machine.seconds += 199.0
    with stoic.Study(path, worker="c") as study:
        machine.seconds += 5.0
        again = study.ask_within(2)
        assert again is not None
        assert (again.number, again.attempt) == (lost.number, 2)


def test_a_live_worker_of_another_machine_keeps_its_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, machine = tmp_path / "s.db", Machine(monkeypatch)
    with stoic.Study(path, space=LINE, direction="maximize", worker="a", lease=60.0) as study:
        held = study.ask()
        for _ in range(4):
            before = machine.name, machine.seconds
            machine.name, machine.seconds = "another", before[1] * 1e-3
            with stoic.Study(path, worker="b") as other:
                assert other.ask_within(1) is None
            machine.name, machine.seconds = before[0], before[1] + 50.0
            assert study.renew(held)


def test_a_clock_that_jumps_back_delays_a_lease_by_its_own_time_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, machine = tmp_path / "s.db", Machine(monkeypatch)  # of a system that names no start
    with stoic.Study(path, space=LINE, direction="maximize", worker="a", lease=60.0) as study:
        study.ask()
    machine.seconds = 3.0
    with stoic.Study(path) as study:
        assert study.ask_within(1) is None
        machine.seconds += 61.0
        assert study.ask_within(1) is not None


# -- lost leases ----------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 3, None])
def test_how_many_leases_may_be_lost(store: str, most: int | None) -> None:
    with stoic.Study(store, space=LINE, direction="maximize", max_lost_leases=most) as study:
        for attempt in range(1, (most or 12) + 1):
            assert study.ask(lease=0.001).attempt == attempt
            time.sleep(0.002)
        assert study.ask().number == (0 if most is None else 1)
        reason = (
            None
            if most is None
            else f"given up: lost {most} lease{'s' * (most > 1)} and never reported"
        )
        assert study.trials[0].reason == reason


def test_leases_that_were_given_back_were_not_lost(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize", max_lost_leases=2) as study:
        for _ in range(4):
            assert study.release(study.ask())
        study.ask(lease=0.001)
        time.sleep(0.002)
        assert study.ask().attempt == 6  # one was lost


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "5", True])
def test_a_limit_that_is_none(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(InvalidInput, match="max_lost_leases"):
        stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize", max_lost_leases=wrong)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


# -- stores of format 1 ---------------------------------------------------------------------------


def first_format(store: str) -> None:
    """Make a store what it was in format 1: no columns for leases, and digests without them."""
    database = open_store(store, make=False)
    with database.write() as raw:
        columns = "study, " + ", ".join((*schema.TRIAL_COLUMNS[:7], "seal"))
        trials = raw.execute(f"SELECT {columns} FROM stoic_trials").fetchall()
        log = raw.execute("SELECT * FROM stoic_log").fetchall()
        studies = raw.execute("SELECT * FROM stoic_studies").fetchall()
        for table in reversed(schema.TABLES):
            raw.execute(f"DROP TABLE {table}" + " CASCADE" * ("://" in store))
        schema.create_first(raw)
        for table, rows in (("studies", studies), ("log", log)):
            places = ", ".join("?" * len(rows[0]))
            raw.execute_all(f"INSERT INTO stoic_{table} VALUES ({places})", rows)
        ((_, uid, *_),) = studies
        kept = [(*row[:8], digest("trial", uid, *row[1:8])) for row in trials]
        raw.execute_all(f"INSERT INTO stoic_trials ({columns}) VALUES (?,?,?,?,?,?,?,?,?)", kept)
        made = digest("meta", 1, *schema.definitions(raw))
        raw.execute("INSERT INTO stoic_meta (id, format, seal) VALUES (1, 1, ?)", (made,))
    database.close()


@pytest.fixture
def old(store: str) -> str:
    """A store of format 1: a trial told, one failed, one given back, one leased, one enqueued."""
    with stoic.Study(
        store, space=LINE, direction="maximize", method="random", worker="w", lease=300.0
    ) as study:
        study.tell(study.ask(), 1.0)
        study.fail(study.ask(), "crash")
        back = study.ask()
        study.ask()
        study.release(back)
        study.enqueue({"x": 0.5})
    first_format(store)
    return store


def test_a_store_of_format_1_is_not_converted_where_it_must_not_change(old: str) -> None:
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="got format 1; open it once for writing"):
            open_store(old, make=False, convert=False)
    open_store(old, make=False).close()
    open_store(old, make=False, convert=False).close()


def test_a_store_of_format_1_opens_and_goes_on(old: str) -> None:
    with stoic.Study(old, worker="v") as study:
        assert [t.state for t in study.trials] == ["told", "failed", "open", "open", "open"]
        assert [study.ask().number for _ in range(3)] == [2, 4, 5]  # 3 is leased still
        session = study._opened
        with session.database.read() as connection:
            present, leased = session.ledger.present(connection), session.known(connection, 3)
            assert not present.foreign(leased)
            assert not present.over(leased)
            assert leased.lease == pytest.approx(300.0)
            assert 0.0 < leased.expires - present.lease_now <= 300.0
            assert connection.value("SELECT format FROM stoic_meta") == schema.FORMAT
        for number in (2, 3, 4, 5):
            study.tell(number, 1.0)
    with stoic.Study(old) as study:
        assert study.finished == 6


def test_damage_in_a_store_of_format_1_is_not_hidden(old: str) -> None:
    connect: Callable[[str], Any] = psycopg.connect if "://" in old else sqlite3.connect
    raw = connect(old)
    raw.execute("UPDATE stoic_trials SET worker = 'x' WHERE number = 2")
    raw.commit()
    raw.close()
    with pytest.raises(stoic.errors.StoreDamaged, match="trial 2"):
        stoic.Study(old)


def test_a_store_of_format_1_is_recovered(old: str, tmp_path: Path) -> None:
    (found,) = recover(old, tmp_path / "new.db")
    assert (found.trials, found.entries, found.lost_entries) == (5, 2, 0)
    with stoic.Study(tmp_path / "new.db") as study:
        assert [t.state for t in study.trials] == ["told", "failed", "open", "open", "open"]
        assert {study.ask().number for _ in range(2)} == {2, 4}
