"""Ask, tell, fail, leases and answers of a persistent study, on every kind of store."""

from __future__ import annotations

import math
import os
import re
import sqlite3
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stoic
from stoic.errors import (
    ConflictingValue,
    InvalidInput,
    MissingExtra,
    StudyMismatch,
    UnknownStudy,
    UnknownTrial,
)
from stoic.study import delete, summaries
from stoic.study.store import ledger
from stoic.study.workers import gone, this_worker

LINE = {"x": (0.0, 1.0)}
MIXED = {"x": (1e-4, 1.0, "log"), "n": (1, 64), "gc": ["g1", "zgc", "é\u0000"], "on": [True, False]}


def play(study: stoic.Study, rounds: int) -> list[dict[str, Any]]:
    """Ask and tell; the configurations."""
    asked = []
    for _ in range(rounds):
        trial = study.ask()
        study.tell(trial, -((trial.params["x"] - 0.3) ** 2))
        asked.append(trial.params)
    return asked


# -- one worker -----------------------------------------------------------------------------------


def test_a_study_asks_what_an_optimiser_would(store: str) -> None:
    optimizer = stoic.Optimizer(LINE, direction="maximize", seed=3)
    with stoic.Study(store, space=LINE, direction="maximize", seed=3) as study:
        for number in range(11):
            trial = study.ask()
            assert trial.number == number
            assert trial.attempt == 1
            assert trial.study == study.uid
            expected = optimizer.ask()
            assert trial.params == expected
            value = math.sin(5.0 * expected["x"])
            study.tell(trial, value)
            optimizer.tell(expected, value)
        assert study.finished == 11
        assert study.recommend() == optimizer.recommend()
        assert study.luckiest == optimizer.luckiest
        assert study.suspects() == optimizer.suspects()
        result = study.result()
        assert [t.number for t in result.trials] == list(range(11))
        assert (result.direction, result.seed, result.objective) == ("maximize", 3, "value")


def test_what_was_stored_comes_back(store: str) -> None:
    with stoic.Study(store, "a", space=MIXED, direction="minimize", seed=7, objective="ms") as made:
        trials = [made.ask() for _ in range(4)]
        made.tell(trials[2], 0.1 + 0.2)
        made.tell(trials[2], -0.0, measurement=1)
        made.fail(trials[0], "Zeit über\x00 \ud800 🎲")
        before = made.trials
        uid = made.uid
    with stoic.Study(store, "a") as study:
        assert (study.direction, study.seed, study.method) == ("minimize", 7, "auto")
        assert (study.objective, study.name, study.uid) == ("ms", "a", uid)
        assert study.space == stoic.Space(MIXED)
        assert study.trials == before
        assert [t.params for t in study.trials] == [t.params for t in trials]
        assert [t.state for t in study.trials] == ["failed", "open", "told", "open"]
        assert study.trials[0].reason == "Zeit über\x00 \ud800 🎲"
        told = study.trials[2].values
        assert struct.pack("<2d", *told) == struct.pack("<2d", 0.1 + 0.2, -0.0)
        assert study.trials[2].told is not None
        assert study.finished == 2
        # in the order of the log, not of the numbers
        assert [t.number for t in study.result().trials] == [2, 2, 0]


@pytest.mark.parametrize("value", [5e-324, 1.7976931348623157e308, -1e-300, 1 / 3, 10**300, 7])
def test_values_survive_bit_by_bit(tmp_path: Path, value: float) -> None:
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        study.tell(study.ask(), value)
    with stoic.Study(tmp_path / "s.db") as study:
        assert struct.pack("<d", study.trials[0].values[0]) == struct.pack("<d", float(value))


def test_random_suggestions_depend_on_the_seed_and_the_number_alone(tmp_path: Path) -> None:
    def asked(name: str, seed: int, value: float) -> list[Any]:
        with stoic.Study(
            tmp_path / "s.db", name, space=MIXED, direction="maximize", seed=seed, method="random"
        ) as study:
            trials = [study.ask() for _ in range(20)]
            for trial in trials[::2]:
                study.tell(trial, value)
            trials += [study.ask() for _ in range(20)]
            return [t.params for t in trials]

    first = asked("a", 1, 1.0)
    assert first == asked("b", 1, 5.0)
    assert first != asked("c", 2, 1.0)
    assert len({str(params) for params in first}) == 40
    assert {params["gc"] for params in first} == set(MIXED["gc"])
    with stoic.Study(tmp_path / "s.db", "a") as study:
        assert study.method == "random"
        assert len(study.result().trials) == 10


# -- studies of a store ---------------------------------------------------------------------------


def test_a_store_holds_several_studies(store: str) -> None:
    with stoic.Study(store, "one", space=LINE, direction="maximize", objective="loss") as one:
        play(one, 2)
        one.fail(one.ask())
        one.ask()
    with stoic.Study(store, "two", space=LINE, direction="minimize"):
        pass
    first, second = summaries(store)
    assert (first.name, first.objective, first.direction) == ("one", "loss", "maximize")
    assert (first.trials, first.told, first.failed, first.open) == (4, 2, 1, 1)
    assert first.last is not None
    assert first.made <= first.last <= time.time() + 60
    assert (second.name, second.trials, second.last) == ("two", 0, None)
    delete(store, "one")
    assert [s.name for s in summaries(store)] == ["two"]
    with pytest.raises(UnknownStudy, match="'two'"):
        stoic.Study(store, "one")
    with pytest.raises(UnknownStudy, match="'two'"):
        delete(store, "one")


def test_a_study_deleted_under_our_hands_is_unknown(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        trial = study.ask()
        delete(store, "study")
        with stoic.Study(
            store, "other", space=LINE, direction="maximize"
        ):  # may take the place of the former
            for use in (study.ask, lambda: study.tell(trial, 1.0), study.result):
                with pytest.raises(UnknownStudy, match="deleted"):
                    use()


def test_a_study_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownStudy, match="'study'"):
        stoic.Study(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_new_study_needs_a_direction(store: str) -> None:
    for _ in range(2):  # a store that is not there, then one that holds another study
        with pytest.raises(InvalidInput, match='direction="maximize" or direction="minimize"'):
            stoic.Study(store, space=LINE)
        with stoic.Study(store, "other", space=LINE, direction="minimize"):
            pass
    with stoic.Study(store, "other", space=LINE) as study:
        assert study.direction == "minimize"


def test_a_refused_study_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="direction"):
        stoic.Study(tmp_path / "s.db", space=LINE)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong",
    [
        {"space": {"x": (0.0, 0.5)}},
        {"space": LINE, "direction": "minimize"},
        {"space": LINE, "seed": 1},
        {"method": "random"},
        {"objective": "ms"},
        {"policy": stoic.policies.Uniform(stoic.Arms([0.0, 1.0]), stoic.Matern(2.5, 0.5))},
    ],
    ids=str,
)
def test_another_definition_under_the_same_name(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize", seed=0):
        pass
    with pytest.raises(StudyMismatch, match="another name"):
        stoic.Study(tmp_path / "s.db", **wrong)
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize", seed=0):
        pass


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "a\nb"},
        {"name": 3},
        {"name": "n" * 201},
        {"direction": "up"},
        {"seed": -1},
        {"seed": 1.5},
        {"method": "grid"},
        {"objective": 3},
        {"lease": 0.0},
        {"lease": math.nan},
        {"lease": "10"},
        {"worker": ""},
        {"store": ""},
        {"store": 3},
        {"store": ":memory:"},
        {"store": "sqlite://"},
        {"store": "mysql://here/db"},
        {"policy": 3, "space": None},
        {"policy": stoic.policies.Uniform(stoic.Arms([0.0, 1.0]), stoic.Matern(2.5, 0.5))},
        {"space": {"x": (1.0, 0.0)}},
    ],
    ids=str,
)
def test_bad_arguments_are_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput):
        stoic.Study(**{"store": "s.db", "space": LINE, "direction": "maximize", **wrong})
    assert not list(tmp_path.iterdir())


def test_paths_and_urls_name_the_same_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with stoic.Study(space=LINE, direction="maximize") as study:
        monkeypatch.chdir("/")
        study.tell(study.ask(), 1.0)
        assert str(tmp_path / "stoic.db") in study.url
    for same in (tmp_path / "stoic.db", f"sqlite:///{tmp_path}/stoic.db"):
        with stoic.Study(same) as study:
            assert study.finished == 1


# -- idempotence and conflicts --------------------------------------------------------------------


def test_tell_again_is_fine_and_another_value_is_not(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        first, second, third = (study.ask() for _ in range(3))
        for _ in range(3):
            study.tell(first, 1.5)
            study.tell(first.number, 1.5)
            study.tell(first, 2.5, measurement=1)
            study.fail(second, "no")
            study.fail(second, "another reason, the same failure")
        conflicts: list[Callable[[], None]] = [
            lambda: study.tell(first, 1.6),
            lambda: study.tell(first, 1.5, measurement=1),
            lambda: study.fail(first),
            lambda: study.tell(second, 1.0),
            lambda: study.tell(second, 1.0, measurement=1),
        ]
        for wrong in conflicts:
            with pytest.raises(ConflictingValue, match="the first one stays"):
                wrong()
        study.tell(third, 4.0, measurement=9)
        study.tell(third, 5.0)
        assert [t.values for t in study.trials] == [(1.5, 2.5), (), (4.0, 5.0)]
        assert study.trials[1].reason == "no"
        assert study.finished == 3
        assert len(study.result().trials) == 5


# -- leases ---------------------------------------------------------------------------------------


def test_the_trial_of_a_worker_that_stopped_responding_comes_back(store: str) -> None:
    with (
        stoic.Study(store, space=LINE, direction="maximize", lease=50.0, worker="a") as slow,
        stoic.Study(store, worker="b") as other,
    ):
        lost, late = slow.ask(), slow.ask()
        assert lost.lease_until <= time.time() + 60
        for trial in (lost, late):  # only now: a busy machine may take a while for an ask
            assert slow.renew(trial, 0.05)
        time.sleep(0.1)
        again = other.ask()
        assert (again.number, again.params, again.attempt) == (lost.number, lost.params, 2)
        assert again.lease_until > time.time() + 500
        assert other.trials[0].worker == "b"
        slow.tell(late, 1.0)  # late, and welcome: its slot is open
        other.tell(again, 2.0)
        slow.tell(lost, 2.0)  # the same value
        with pytest.raises(ConflictingValue):
            slow.tell(lost, 3.0)
        assert other.ask().number == 2
        assert not slow.renew(lost)


def test_leases_are_renewed_and_given_back(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        short = study.ask(lease=0.05)
        assert study.renew(short, 300.0)
        time.sleep(0.1)
        second = study.ask()
        assert second.number == 1
        assert study.release(short)
        again = study.ask()
        assert (again.number, again.attempt) == (0, 2)
        assert not study.release(short)  # no longer ours
        assert not study.renew(short)
        study.tell(again, 1.0)
        assert not study.renew(again)
        with pytest.raises(UnknownTrial):
            study.renew(99)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it has threads
def test_trials_of_processes_that_ended_here_come_back_at_once(store: str) -> None:
    child = os.fork()
    if child == 0:
        stoic.Study(store, space=LINE, direction="maximize").ask()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with stoic.Study(store) as study:
        assert study.ask().attempt == 2
    assert not gone(this_worker())
    assert not gone("elsewhere:1:12-000000000000")
    assert not gone("a worker of mine")


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_study_that_was_forked_has_its_own_connection(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize", method="random") as study:
        study.ask()
        child = os.fork()
        if child == 0:
            for _ in range(20):
                study.tell(study.ask(), 1.0)
            os._exit(0)
        for _ in range(20):
            study.tell(study.ask(), 1.0)
        assert os.waitpid(child, 0)[1] == 0
        assert study.finished == 40
        assert len(study.trials) == 41


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_holds_its_trials_itself(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize", method="random") as study:
        mine = study.ask()
        child = os.fork()
        if child == 0:
            study.ask()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert study.reclaim() == 1
        again = study.ask()
        assert (mine.number, again.number, again.attempt) == (0, 1, 2)


def test_a_trial_that_is_lost_again_and_again_is_given_up(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        lost = study.ask(lease=0.01)
        for attempt in range(2, 6):
            time.sleep(0.02)
            again = study.ask_within(1, lease=0.01)
            assert again is not None
            assert (again.number, again.attempt) == (0, attempt)
        time.sleep(0.02)
        assert study.ask_within(1) is None  # given up for good, though nothing else was leased
        assert study.finished == 1
        assert study.trials[0].reason == "given up: lost 5 leases and never reported"
        assert study.ask().number == 1
        with pytest.raises(ConflictingValue):
            study.tell(lost, 1.0)
    with stoic.Study(store) as later:
        assert [trial.state for trial in later.trials] == ["failed", "open"]


def test_a_lost_trial_that_is_given_up_makes_room_for_the_next(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        for attempt in range(1, 6):
            for trial in (study.ask(), study.ask()):
                assert trial.attempt == attempt
                assert study.renew(trial, 0.001)
            time.sleep(0.01)
        assert study.ask().number == 2
        assert [trial.state for trial in study.trials] == ["failed", "failed", "open"]


def test_a_trial_that_is_given_back_is_never_given_up(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        for attempt in range(1, 9):
            trial = study.ask()
            assert (trial.number, trial.attempt) == (0, attempt)
            assert study.release(trial)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_trial_that_ends_its_workers_is_given_up(store: str) -> None:
    for _ in range(5):
        child = os.fork()
        if child == 0:
            stoic.Study(store, space=LINE, direction="maximize", method="random").ask()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    with stoic.Study(store) as study:
        assert study.reclaim() == 0  # once was enough
        assert study.ask().number == 1
        assert study.trials[0].state == "failed"


# -- trials from elsewhere ------------------------------------------------------------------------


def test_enqueued_trials_are_asked_first(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        study.enqueue({"x": 0.25})
        study.enqueue({"x": 0.75})
        assert study.trials[0].attempt == 0
        first, second = study.ask(), study.ask()
        assert [first.params, second.params] == [{"x": 0.25}, {"x": 0.75}]
        assert (first.attempt, second.attempt) == (1, 1)
        assert study.ask().params not in (first.params, second.params)


def test_added_measurements_count(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="minimize") as study:
        for x in (0.1, 0.3, 0.5, 0.9):
            trial = study.add({"x": x}, (x - 0.3) ** 2)
        assert trial.number == 3
        assert study.finished == 4
        assert 0.2 < study.recommend().params["x"] < 0.4
        assert study.ask().params["x"] not in (0.1, 0.3, 0.5, 0.9)


# -- many workers ---------------------------------------------------------------------------------


def test_others_tells_are_taken_in(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as one, stoic.Study(store) as two:
        play(one, 4)
        play(two, 3)
        play(one, 3)
        assert two.finished == 10
        assert one.ask().params != two.ask().params  # the second reckons with the first
        assert one.recommend() == two.recommend()
        assert one.result().trials == two.result().trials
        two.refresh()


def test_suggestions_account_for_all_that_is_open(store: str) -> None:
    optimizer = stoic.Optimizer(LINE, direction="maximize")
    with stoic.Study(store, space=LINE, direction="maximize") as study:
        open_trials = [study.ask() for _ in range(12)]
        pending: list[Any] = []
        for trial in open_trials:
            assert trial.params == optimizer.ask(pending=pending)
            pending.append(trial.params)
        for trial in (open_trials[7], open_trials[2], open_trials[11]):
            study.tell(trial, trial.params["x"])
            optimizer.tell(trial.params, trial.params["x"])
            pending.remove(trial.params)
            following = study.ask()
            assert following.params == optimizer.ask(pending=pending)
            pending.append(following.params)


def test_a_suggestion_that_comes_too_late_is_made_anew(store: str) -> None:
    optimizer = stoic.Optimizer(LINE, direction="maximize")
    with stoic.Study(store, space=LINE, direction="maximize") as study, stoic.Study(store) as other:
        adviser: Any = study.informed()
        suggest, calls = adviser.suggest, []

        def disturbed(number: int, pending: Any) -> Any:
            calls.append(number)
            if len(calls) <= 3:  # the fourth one is made while nobody else can write
                params = {"x": 0.1 * len(calls)}
                other.add(params, 1.0)
                optimizer.tell(params, 1.0)
            return suggest(number, pending)

        adviser.suggest = disturbed
        trial = study.ask()
        assert calls == [0, 1, 2, 3]
        assert trial.number == 3
        assert trial.params == optimizer.ask()


def test_threads_share_a_study(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize", method="random") as study:

        def work() -> None:
            for _ in range(10):
                study.tell(study.ask(), 1.0)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert study.finished == 40
        assert [t.number for t in study.trials] == list(range(40))


def test_budgets_are_kept_among_workers(store: str) -> None:
    with stoic.Study(store, space=LINE, direction="maximize") as one, stoic.Study(store) as two:
        first, second = one.ask_within(2), two.ask_within(2)
        assert first is not None
        assert second is not None
        assert one.ask_within(2) is None
        one.tell(first, 1.0)
        assert two.ask_within(2) is None
        two.release(second)
        again = one.ask_within(2)
        assert again is not None
        assert again.number == 1


# -- cost -----------------------------------------------------------------------------------------


def test_no_statement_goes_through_all_trials(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        study.ask()
        raw = sqlite3.connect(tmp_path / "s.db")
        for sql in (
            ledger._FIND_TRIAL,
            ledger._FIND_ENTRY,
            ledger._SOME_TRIALS,
            ledger._SOME_ENTRIES,
            ledger._ENTRIES_AND_TRIALS,
            ledger._EXPIRED,
            ledger._OPEN,
            ledger._CHANGE_TRIAL,
        ):
            plan = raw.execute(f"EXPLAIN QUERY PLAN {sql}", [1] * sql.count("?")).fetchall()
            for *_, step in plan:
                # by one number or a range of them; or by the index of what is open
                assert re.search(r"study=\? AND (number|seq|trial|expires)[=<>]", step), step
        raw.close()


# -- without the packages -------------------------------------------------------------------------


def test_missing_packages_name_their_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"stoic\[postgres\]"):
        stoic.Study("postgresql://nobody@nowhere/none", space=LINE, direction="maximize")
    with stoic.Study(tmp_path / "s.db", space=LINE, direction="maximize") as study:
        assert study.finished == 0  # a file needs no package
