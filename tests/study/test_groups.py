"""Groups of operations: one transaction, one sync; each is undone alone, all or none are kept."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

import psycopg
import pytest

import stoic
from helpers.killed import group_until_killed, groups, process
from helpers.worker import acknowledged
from stoic.errors import (
    ConflictingValue,
    InvalidInput,
    InvalidParams,
    InvalidPayoff,
    StoicError,
    StoreUnavailable,
    UnknownStudy,
    UnknownTrial,
)
from stoic.study import delete, open_store
from stoic.study.repair.doctor import examine

LINE = {"x": (0.0, 1.0)}


def new(store: object, name: str = "study", **more: object) -> stoic.Study:
    options: dict[str, object] = {"space": LINE, "direction": "maximize", "method": "random"}
    return stoic.Study(store, name, **(options | more))  # type: ignore[arg-type]


def test_nobody_sees_a_part_of_a_group(store: str) -> None:
    with new(store) as study, stoic.Study(store) as other:
        first = study.ask()
        with study.group():
            study.tell(first, 1.0)
            trials = [study.ask() for _ in range(3)]
            assert (study.finished, study.asked) == (1, 4)
            assert [t.number for t in trials] == [1, 2, 3]
            if "://" in store:  # a file has one reader's moment after the other
                assert (other.finished, other.asked) == (0, 1)
        assert (other.finished, other.asked) == (1, 4)
    assert examine(store).healthy


def test_an_operation_that_raises_leaves_no_trace_and_disturbs_no_other(store: str) -> None:
    with new(store) as study:
        one, two, three = (study.ask() for _ in range(3))
        errors: list[type[StoicError]] = []

        def attempt(operation: object) -> None:
            try:
                operation()  # type: ignore[operator]
            except StoicError as error:
                errors.append(type(error))

        with study.group():
            study.tell(one, 1.0)
            attempt(lambda: study.tell(one, 2.0))
            attempt(lambda: study.tell(99, 1.0))
            study.fail(two, "crash")
            attempt(lambda: study.tell(two, 1.0))
            attempt(lambda: study.enqueue({"x": 7.0}))
            attempt(lambda: study.add({"x": 0.5}, float("nan")))
            study.enqueue({"x": 0.25})
            assert study.ask(key="a").params == {"x": 0.25}
            study.note(one, "kept")
        assert errors == [
            ConflictingValue, UnknownTrial, ConflictingValue, InvalidParams, InvalidPayoff,
        ]  # fmt: skip
        expected = study.trials
        assert [t.state for t in expected] == ["told", "failed", "open", "open"]
        assert expected[0].notes == ("kept",)
        assert study.renew(three)
    with stoic.Study(store) as study:
        assert study.trials[0] == expected[0]
        assert study.ask(key="a").number == 3
    assert examine(store).healthy


def test_an_operation_that_fails_halfway_is_undone(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with new(store) as study:
        ledger = study._opened.ledger
        save = ledger.save
        with study.group():
            study.tell(study.ask(), 1.0)
            monkeypatch.setattr(ledger, "save", lambda *_: 1 / 0)  # after the rows are written
            with pytest.raises(ZeroDivisionError):
                study.ask()
            with pytest.raises(ZeroDivisionError):
                study.enqueue({"x": 0.5})
            monkeypatch.setattr(ledger, "save", save)
            assert study.ask().number == 1
        assert [t.state for t in study.trials] == ["told", "open"]
    assert examine(store).healthy
    stoic.Study(store).close()


def test_a_group_that_raises_writes_nothing(store: str) -> None:
    with new(store, method="auto") as study:
        study.tell(study.ask(), 0.5)
        before = study.trials
        for _ in range(2):
            with pytest.raises(KeyError), study.group():
                study.tell(study.ask(), 1.0)
                study.add({"x": 0.25}, 9.0)
                assert study.result().luckiest is not None  # the adviser has seen them
                assert len(study.result().trials) == 3
                raise KeyError
            assert study.trials == before
            assert len(study.result().trials) == 1
        study.tell(study.ask(), 0.75)
        assert [t.value for t in study.result().trials] == [0.5, 0.75]
    assert examine(store).healthy
    stoic.Study(store).close()


def test_what_was_asked_in_a_group_is_what_was_asked_alone(store: str) -> None:
    asked: dict[str, list[dict[str, float]]] = {}
    for name in ("alone", "group"):
        with new(store, name, method="auto") as study:
            for _ in range(6):
                if name == "group":
                    with study.group():
                        trials = [study.ask(), study.ask()]
                    with study.group():
                        for trial in trials:
                            study.tell(trial, -((trial.params["x"] - 0.3) ** 2))
                else:
                    trials = [study.ask(), study.ask()]
                    for trial in trials:
                        study.tell(trial, -((trial.params["x"] - 0.3) ** 2))
                asked.setdefault(name, []).extend(t.params for t in trials)
    assert asked["alone"] == asked["group"]


@pytest.mark.parametrize("after", [False, True])
def test_a_kill_within_a_group_loses_all_or_nothing(store: str, after: bool) -> None:
    with new(store) as study:
        for _ in range(4):
            study.ask()
    child = process(group_until_killed, store, after)
    child.join()
    assert child.exitcode == -signal.SIGKILL
    with stoic.Study(store) as study:
        states = [t.state for t in study.trials]
        assert states == (["told"] * 4 + ["open"] * 5 if after else ["open"] * 4)
        numbers = [study.ask(key=f"group {i}").number for i in range(5)]
        assert numbers == list(range(4, 9))
        assert study.asked == 9
    assert examine(store).healthy


def test_kills_at_any_moment_lose_nothing_that_was_acknowledged(store: str, tmp_path: Path) -> None:
    new(store).close()
    chance, told = random.Random(7), dict[int, float]()
    for turn in range(4):
        outs = [tmp_path / f"{turn} {i}" for i in range(2)]
        workers = [process(groups, store, str(out)) for out in outs]
        while not all(out.exists() and out.stat().st_size for out in outs):
            time.sleep(0.01)
        time.sleep(0.2 * chance.random())
        for worker, out in zip(workers, outs, strict=True):
            worker.kill()
            worker.join()
            mine = acknowledged(out)
            assert not told.keys() & mine.keys()
            told |= mine
    with stoic.Study(store) as study:
        known = {t.number: t.values for t in study.trials}
        assert {number: known[number] for number in told} == {k: (v,) for k, v in told.items()}
        assert len(known) % 8 == 0
        assert study.finished == len(known)


def test_other_threads_wait_for_the_end_of_a_group(store: str) -> None:
    with new(store) as study:
        began, seen = threading.Event(), list[int]()

        def look() -> None:
            began.wait()
            seen.append(study.asked)

        thread = threading.Thread(target=look)
        thread.start()
        with study.group():
            study.ask()
            began.set()
            time.sleep(0.05)
            study.ask()
        thread.join()
        assert seen == [2]


def test_a_group_waits_for_no_thread_that_thinks(store: str) -> None:
    with new(store, method="auto") as study:
        (proposal,) = study.suggest()
        thinks, over = threading.Event(), threading.Event()

        def think() -> None:
            with study._opened.thinking:
                thinks.set()
                over.wait(30.0)

        thread = threading.Thread(target=think)
        thread.start()
        thinks.wait()
        with study.group():
            with pytest.raises(StoreUnavailable, match="proposal"):
                study.ask()
            assert study.ask(proposal=proposal).number == 0
            study.tell(0, 1.0)
        over.set()
        thread.join()
        assert study.finished == 1


def test_studies_share_a_store_and_a_group(store: str) -> None:
    database = open_store(store, make=True)
    with new(database, "one") as one, new(database, "two") as two:
        with database.group():
            with one.group():  # within another: a part of it
                one.tell(one.ask(), 1.0)
            two.tell(two.ask(), 2.0)
        one.close()
        assert two.finished == 1  # the store stays open
        with stoic.Study(database, "one") as again, pytest.raises(KeyError), database.group():
            again.ask()
            two.ask()
            raise KeyError
        with pytest.raises(UnknownStudy):
            stoic.Study(database, "three")
        with two.group(), pytest.raises(InvalidInput, match="apart from a group"):
            new(database, "two", space={"x": (0.0, 2.0)})
    with stoic.Study(database, "one") as one:
        assert (one.asked, one.finished) == (1, 1)
    database.close()
    with pytest.raises(StoreUnavailable):
        two.ask()
    for name in ("one", "two"):
        with stoic.Study(store, name) as study:  # its counters are right
            assert study.asked == 1


def test_a_database_that_gives_up_within_a_group(store: str) -> None:
    with new(store) as study:
        study.tell(study.ask(), 1.0)
        with pytest.raises(StoreUnavailable), study.group():
            study.ask()
            database = study._opened.database
            with database.read() as connection:
                if "://" in store:
                    pid = connection.value("SELECT pg_backend_pid()")
                    with psycopg.connect(store, autocommit=True) as server:
                        server.execute("SELECT pg_terminate_backend(%s)", (pid,))
                else:
                    pages = connection.value("PRAGMA page_count")
                    connection.execute(f"PRAGMA max_page_count = {pages}")
            for number in range(2000):
                try:
                    study.add({"x": 0.5}, float(number))
                except StoreUnavailable:
                    break
            else:
                raise AssertionError("expected no more room")
            study.ask()
        study._opened.database.drop()  # a new connection has room again
        assert (study.asked, study.finished) == (1, 1)
        assert study.ask().number == 1
    assert examine(store).healthy


def test_a_study_that_was_deleted_in_a_group(store: str) -> None:
    with new(store, "one") as one, new(store, "two") as two:
        one.ask()
        database = one._opened.database
        with database.group():
            one.ask()
            with database.write() as connection:
                for table, column in (("log", "study"), ("trials", "study"), ("studies", "id")):
                    connection.execute(
                        f"DELETE FROM stoic_{table} WHERE {column} = ?", (one._opened.ledger.id,)
                    )
                database.deleted(one._opened.ledger.id)
            with pytest.raises(UnknownStudy):
                one.ask()
        two.ask()
    stoic.Study(store, "two").close()  # the counters know of no other
    delete(store, "two")
    with new(store, "one") as one:
        assert one.ask().number == 0


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_that_is_forked_within_a_group_has_no_part_in_it(store: str) -> None:
    with new(store) as study:
        with study.group():
            study.ask()
            child = os.fork()
            if child == 0:
                try:
                    seen = study.asked
                except StoreUnavailable:  # a file of which SQLite would take the parent's locks
                    seen = -1
                os._exit(seen != (0 if "://" in store else -1))
            code = os.waitpid(child, 0)[1]
            study.ask()
        assert code == 0
        assert study.asked == 2
