"""Asks with a key: the same trial again, whoever repeats them, and whatever was killed."""

from __future__ import annotations

import multiprocessing
import signal
import sqlite3
import time

import psycopg
import pytest

import stoic
from helpers.killed import ask_until_killed, asked_by, process
from stoic.errors import ConflictingValue, InvalidInput
from stoic.study.repair.doctor import examine
from stoic.study.store import open_store, schema
from stoic.study.store.ledger import _FIND_TOKEN
from stoic.study.store.rows import digest

LINE = {"x": (0.0, 1.0)}


def new(store: str, **more: object) -> stoic.Study:
    options: dict[str, object] = {"space": LINE, "direction": "maximize", "method": "random"}
    return stoic.Study(store, **(options | more))  # type: ignore[arg-type]


def test_the_same_key_gives_the_same_trial(store: str) -> None:
    with new(store) as study, stoic.Study(store) as other:
        first = study.ask(key="a")
        again = other.ask(key="a")
        assert (again.number, again.params, again.attempt, again.token) == (
            first.number, first.params, 1, first.token,
        )  # fmt: skip
        assert study.ask(key="b").number == 1
        assert study.ask().number == 2
        assert other.ask_within(3, key="b") is not None  # the budget is spent, the key is known
        assert other.ask_within(3, key="c") is None
        assert len(study.trials) == 3


def test_a_key_is_of_one_study(store: str) -> None:
    with new(store, name="one") as one, new(store, name="two") as two:
        assert one.ask(key="a").token != two.ask(key="a").token
        assert (len(one.trials), len(two.trials)) == (1, 1)


def test_a_repeated_ask_begins_the_lease_anew(store: str) -> None:
    with new(store) as study:
        first = study.ask(key="a", lease=0.05)
        time.sleep(0.06)
        again = study.ask(key="a", lease=60.0)  # late, and nobody else was quicker
        assert (again.number, again.attempt) == (first.number, 1)
        assert study.ask().number == 1
        assert study.renew(again)
        assert study.release(first)  # one lease, one token


def test_a_key_that_was_used_knows_its_trial_after_the_outcome(store: str) -> None:
    with new(store) as study:
        told, failed = study.ask(key="a"), study.ask(key="b")
        study.tell(told, 1.0)
        study.fail(failed, "crash")
    with stoic.Study(store) as study:
        for key, trial in (("a", told), ("b", failed)):
            again = study.ask(key=key)
            assert (again.number, again.params) == (trial.number, trial.params)
            assert not study.renew(again)
        study.tell(study.ask(key="a"), 1.0)
        with pytest.raises(ConflictingValue):
            study.tell(study.ask(key="a"), 2.0)
        assert [t.state for t in study.trials] == ["told", "failed"]


def test_a_trial_that_went_to_another_is_not_given_again(store: str) -> None:
    with new(store) as study:
        first = study.ask(key="a", lease=0.01)
        time.sleep(0.02)
        other = study.ask(key="b")
        assert (other.number, other.attempt) == (first.number, 2)
        anew = study.ask(key="a")
        assert anew.number == 1
        assert study.ask(key="a").number == 1
        assert study.ask(key="b").number == 0
        assert study.renew(other)


def test_a_trial_that_was_given_back_is_asked_anew(store: str) -> None:
    with new(store) as study:
        first = study.ask(key="a")
        assert study.release(first)
        again = study.ask(key="a")
        assert (again.number, again.attempt) == (first.number, 2)
        assert study.release(again)
        assert study.ask(key="b").number == first.number
        assert study.ask(key="a").number == 1


def test_a_trial_that_was_given_up(store: str) -> None:
    with new(store, max_lost_leases=1) as study:
        first = study.ask(key="a", lease=0.01)
        time.sleep(0.02)
        assert study.ask().number == 1
        assert study.ask(key="a").number == first.number
        assert study.trials[0].state == "failed"


@pytest.mark.parametrize("after", [True, False])
def test_the_process_is_killed_before_its_reply(store: str, after: bool) -> None:
    with new(store) as study:
        study.tell(study.ask(), 1.0)
    child = process(ask_until_killed, store, "a", after)
    child.join()
    assert child.exitcode == -signal.SIGKILL
    with stoic.Study(store) as study:
        assert study.asked == 1 + after
        trial = study.ask(key="a")
        assert (trial.number, trial.attempt) == (1, 1)
        assert study.ask(key="a").number == 1
        assert study.ask().number == 2
        assert study.trials[1].worker == study.worker  # else it would be taken back again
    with stoic.Study(store) as study:
        assert study.ask().number == 3
        assert study.ask(key="a").number == 1


def test_another_worker_takes_the_trial_of_a_killed_process_first(store: str) -> None:
    new(store).close()
    process(ask_until_killed, store, "a", True).join()
    with stoic.Study(store) as study:
        assert study.ask(key="b").number == 0
        assert study.ask(key="a").number == 1


def test_many_processes_with_the_same_keys(store: str) -> None:
    new(store).close()
    keys = [f"k{i}" for i in range(12)]
    answers = multiprocessing.get_context("forkserver").Queue()
    workers = [process(asked_by, store, keys[::step], 2, answers) for step in (1, -1, 1, -1)]
    found = [answers.get(timeout=60.0) for _ in workers]
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    orders = {tuple(numbers) for both in found for numbers in both}
    assert len(orders) == 2
    one, two = orders
    assert one == two[::-1]
    assert sorted(one) == list(range(12))
    with stoic.Study(store) as study:
        assert study.asked == 12


def test_they_ask_in_the_name_of_others(store: str) -> None:
    with new(store, worker="server") as study:
        study.ask(worker="token/anna")
        study.ask(key="a", worker="token/ben")
        study.ask(key="a", worker="token/ben's heir")
        study.ask()
        assert [t.worker for t in study.trials] == ["token/anna", "token/ben's heir", "server"]


@pytest.mark.parametrize("key", ["", "a\n", "x" * 501, 3, b"a"])
def test_what_is_no_key_is_refused(tmp_path: object, key: object) -> None:
    with new(f"{tmp_path}/s.db") as study:
        with pytest.raises(InvalidInput, match="expected key"):
            study.ask(key=key)  # type: ignore[arg-type]
        assert study.asked == 0


def test_suggestions_do_not_depend_on_keys(store: str) -> None:
    asked: dict[str, list[dict[str, float]]] = {}
    for name in ("plain", "keyed"):
        with new(store, name=name, method="auto") as study:
            for number in range(8):
                key = f"key {number}" if name == "keyed" else None
                trial = study.ask(key=key)
                if key is not None:
                    assert study.ask(key=key).params == trial.params
                study.tell(trial, -((trial.params["x"] - 0.3) ** 2))
                asked.setdefault(name, []).append(trial.params)
    assert asked["plain"] == asked["keyed"]


@pytest.mark.parametrize("made_as", [2, 3])
def test_a_store_of_an_older_format_gets_the_index(store: str, made_as: int) -> None:
    with new(store) as study:
        study.tell(study.ask(), 1.0)
        held = study.ask()
    database = open_store(store, make=False)
    with database.write() as raw:
        raw.execute("DROP INDEX stoic_token")
        made = digest("meta", made_as, *schema.definitions(raw))
        raw.execute("UPDATE stoic_meta SET format = ?, seal = ?", (made_as, made))
    database.close()
    with stoic.Study(store) as study:
        assert [t.state for t in study.trials] == ["told", "open"]
        assert study.renew(held)
        assert [study.ask(key="a").number for _ in range(2)] == [2, 2]
        with study._opened.database.read() as connection:
            assert connection.value("SELECT format FROM stoic_meta") == schema.FORMAT
    assert examine(store).healthy


def test_keys_are_found_by_an_index(store: str) -> None:
    with new(store) as study:
        study.ask(key="a")
    sql = f"EXPLAIN {'' if '://' in store else 'QUERY PLAN '}{_FIND_TOKEN}"
    if "://" in store:
        with psycopg.connect(store) as server:
            server.execute("SET enable_seqscan TO off")
            server.execute("SET enable_bitmapscan TO off")
            rows = server.execute(sql.replace("?", "%s"), (1, "k")).fetchall()
    else:
        file = sqlite3.connect(store)
        rows = file.execute(sql, (1, "k")).fetchall()
        file.close()
    assert "stoic_token" in str(rows)
    assert "token=?" in str(rows) or "Index Cond: (token =" in str(rows)  # one, not a range
