"""Excluded measurements: as if they had never been made, and, taken back, as if they always had."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

import stoic
from stoic.errors import InvalidInput, StoreDamaged, UnknownTrial
from stoic.study.exchange.transfer import export, import_file
from stoic.study.repair.backup import back_up
from stoic.study.repair.doctor import examine
from stoic.study.repair.recovery import recover
from stoic.study.store.rows import digest

SPACE = {"x": (0.0, 1.0), "kind": ["a", "b"]}
ROGUE = range(3, 18, 4)  # trials that a rogue worker reports


def new(store: str, name: str = "study", **more: object) -> stoic.Study:
    options: dict[str, object] = {"space": SPACE, "direction": "maximize", "seed": 3}
    return stoic.Study(store, name, **(options | more))  # type: ignore[arg-type]


def value(params: dict[str, Any]) -> float:
    return float(-((params["x"] - 0.3) ** 2) + 0.1 * (params["kind"] == "a"))


def fill(study: stoic.Study, trials: int = 18) -> None:
    """Ask and tell, some in the name of a rogue, who reports nonsense and crashes."""
    for number in range(trials):
        trial = study.ask()
        if number == ROGUE[1]:
            study.fail(trial, "nonsense", worker="bad/1")
        elif number in ROGUE:
            study.tell(trial, 40.0 + number, worker="bad/2")
        else:
            study.tell(trial, value(trial.params), worker="good/1")
    study.tell(0, value(study.trials[0].params) + 0.01, measurement=1)


def shown(study: stoic.Study) -> dict[str, Any]:
    """All conclusions; the numbers of trials apart."""
    result = study.result().to_dict()
    return json.loads(json.dumps(result, default=str))  # type: ignore[no-any-return]


def without(of: stoic.Study, study: stoic.Study, keep: Callable[[int, int], bool]) -> None:
    """Make a study that never had what is not kept, reported in the same order."""
    known = {}
    for order in (0, 1):
        for record in of.trials:
            for i, y in list(enumerate(record.values))[order : order + 1]:
                if keep(record.number, i):
                    if i == 0:
                        study.enqueue(record.params)
                        known[record.number] = study.ask()
                    study.tell(known[record.number], y, measurement=i)


def suggestions(study: stoic.Study) -> list[dict[str, Any]]:
    return [proposal.params for proposal in study.suggest(3)]


def estimate(study: stoic.Study) -> tuple[object, ...]:
    answer = study.recommend()
    lucky = study.luckiest
    return answer.params, answer.value, answer.interval, lucky.trial.params, lucky.trial.value


def test_all_of_a_worker(store: str) -> None:
    with new(store) as study, new(store, "never") as never, stoic.Study(store) as other:
        fill(study)
        before, asked = shown(study), suggestions(study)
        other.informed()  # it has the whole log, and must begin again
        assert study.luckiest.trial.value == 40.0 + ROGUE[-1]
        assert "excluded" not in str(study.result())
        assert study.exclude_worker("bad/")
        assert not study.exclude_worker("bad/")
        result = study.result()
        assert result.excluded == result.to_dict()["excluded"] == len(ROGUE)
        assert f"; {len(ROGUE)} more excluded." in str(result)
        without(study, never, lambda number, _: number not in ROGUE)
        for each in (study, other):
            assert estimate(each) == estimate(never)
            assert suggestions(each) == suggestions(never)
            assert len(each.result().trials) == len(never.result().trials)
        assert [t.number for t in study.trials if t.excluded] == list(ROGUE)
        assert study.trials[ROGUE[1]].excluded == (0,)
        assert (study.finished, study.asked) == (18, 18)
        (rule,) = study.excluded
        assert (rule.worker, rule.trial, rule.measurement) == ("bad/", None, None)
    with stoic.Study(store) as study:  # and so it stays
        with new(store, "never") as never:
            assert estimate(study) == estimate(never)
        assert study.include_worker("bad/")
        assert not study.include_worker("bad/")
        assert (shown(study), suggestions(study)) == (before, asked)
        assert study.excluded == ()
        assert not any(t.excluded for t in study.trials)
    with stoic.Study(store) as study:
        assert (shown(study), suggestions(study)) == (before, asked)
    assert examine(store).healthy


def test_a_trial_and_a_measurement(store: str) -> None:
    with new(store) as study, new(store, "never") as never:
        fill(study)
        before = shown(study), suggestions(study)
        assert study.exclude(study.trials[5])
        assert study.exclude(0, 1)
        assert not study.exclude(0, 1)
        assert not study.exclude(5, 0)
        without(study, never, lambda n, i: n != 5 and (n, i) != (0, 1))
        # the failure is not among what is kept: exclude it here, too
        assert study.exclude(ROGUE[1])
        assert estimate(study) == estimate(never)
        assert suggestions(study) == suggestions(never)
        assert [(t.number, t.excluded) for t in study.trials if t.excluded] == [
            (0, (1,)), (5, (0,)), (ROGUE[1], (0,)),
        ]  # fmt: skip
        study.tell(5, 0.5, measurement=4)  # of an excluded trial: it is excluded, too
        assert list(study.trials[5].excluded) == [0, 1]
        assert study.include(5, 4)
        assert list(study.trials[5].excluded) == [0]
        assert study.exclude(5)
        assert study.include(5)
        assert not study.include(5)
        assert study.include(0)
        assert study.include(ROGUE[1])
        assert study.excluded == ()
        study.exclude(5, 4)
        assert list(study.trials[5].excluded) == [1]
        now = shown(study)
        assert now.pop("excluded") == 1  # what was told later is the only difference
        assert (now, suggestions(study)) == before


def test_what_workers_report_later_is_excluded_too(store: str) -> None:
    with new(store) as study, new(store, "never") as never:
        study.exclude_worker("bad/")  # before there is any trial
        assert study.asked == 0
        fill(study)
        without(study, never, lambda number, _: number not in ROGUE)
        assert estimate(study) == estimate(never)
        assert [t.number for t in study.trials if t.excluded] == list(ROGUE)


def test_the_teller_counts_and_not_who_asked(store: str) -> None:
    with new(store, worker="server") as study:
        first, second = study.ask(worker="good/1"), study.ask(worker="good/1")
        study.tell(first, 1.0, worker="bad/1")
        study.tell(first, 1.0, worker="good/1")  # the same again changes nothing
        study.tell(first, 2.0, measurement=1, worker="good/1")
        study.tell(second, 1.0)
        study.add({"x": 0.5, "kind": "a"}, 3.0, worker="bad/2")
        assert [t.worker for t in study.trials] == ["bad/1", "good/1", "bad/2"]
        assert study.worker_of(first) == "bad/1"
        study.exclude_worker("bad/")
        assert [t.excluded for t in study.trials] == [(0, 1), (), (0,)]


@pytest.mark.parametrize("method", ["random", "policy"])
def test_other_methods(store: str, method: str) -> None:
    policy = stoic.policies.GPUCB(stoic.Arms([[0.0], [0.5], [1.0]]), stoic.SquaredExponential(0.2))
    of_arms = method == "policy"
    with stoic.Study(store, policy=policy) if of_arms else new(store, method="random") as study:
        for number in range(8):
            trial = study.ask()
            study.tell(trial, 1e6 if number == 3 else 0.1 * number)
        before = study.recommend()
        assert study.exclude(3)
        assert study.luckiest.trial.value == pytest.approx(0.7)
        assert study.include(3)
        assert study.recommend() == before
        assert study.ask().number == 8


def test_finals_go_on(store: str) -> None:
    with new(store, baseline={"x": 0.9, "kind": "b"}) as study:
        for _ in range(12):
            trial = study.ask()
            study.tell(trial, value(trial.params))
        assert study.start_finals(6)
        finals = study.informed().finals
        for _ in range(6):
            trial = study.ask()
            study.tell(trial, value(trial.params))
        before = study.verdict, shown(study)
        for number in (2, 13):
            assert study.exclude(number)
            assert study.informed().finals == finals  # as many are finished
        assert study.verdict is not None
        assert study.include(2)
        assert study.include(13)
        assert (study.verdict, shown(study)) == before
        study.end_finals()
        study.exclude(13)
        assert study.ask().number == 18


def test_nothing_is_left(store: str) -> None:
    with new(store) as study:
        first = study.suggest()[0].params
        study.tell(study.ask(), 1.0)
        study.exclude(0)
        assert study.suggest()[0].params == first
        assert study.result().best is None
        with pytest.raises(InvalidInput):
            study.recommend()


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_exports_and_imports_have_them(tmp_path: Path, kind: str) -> None:
    store, file = tmp_path / "s.db", tmp_path / f"s.{kind}"
    with new(str(store)) as study:
        fill(study)
        export(store, "study", file)
        assert b"excluded" not in file.read_bytes()
        study.exclude_worker("bad/")
        study.exclude(0, 1)
        expected, records = estimate(study), study.trials
        frame = study.to_frame()
        assert frame[frame.excluded].trial.tolist() == [0, *ROGUE]
    export(store, "study", file)
    import_file(store, None, file)  # nothing is new
    with stoic.Study(store) as study:
        assert len(study.excluded) == 2
        assert study.trials == records
    with new(str(tmp_path / "new.db")) as study:
        import_file(tmp_path / "new.db", "study", file)
        assert [t.excluded for t in study.trials] == [t.excluded for t in records]
        assert estimate(study) == expected
        before = study.excluded
        import_file(tmp_path / "new.db", "study", file)
        assert study.excluded == before


def test_what_is_no_flag_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    file.write_text("x,kind,value,excluded\n0.5,a,1.0,maybe\n")
    new(str(tmp_path / "s.db")).close()
    with pytest.raises(InvalidInput, match="excluded as true or false"):
        import_file(tmp_path / "s.db", "study", file)


def test_copies_and_what_is_saved_have_them(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with new(str(store)) as study:
        fill(study)
        study.exclude_worker("bad/")
        study.exclude(0, 1)
        study.exclude(4)
        study.include(4)
        expected, rules = estimate(study), study.excluded
    assert examine(store).healthy
    back_up(store, tmp_path / "copy.db")
    (kept,) = recover(store, tmp_path / "new.db")
    assert kept.share == 1.0
    for name in ("copy.db", "new.db"):
        with stoic.Study(tmp_path / name) as study:
            assert estimate(study) == expected
            assert study.excluded == rules
        assert examine(tmp_path / name).healthy


def test_damage_in_them_is_found(store: str) -> None:
    with new(store) as study:
        fill(study, 4)
        study.exclude(2)
        uid = study.uid
    connect: Callable[[str], Any] = psycopg.connect if "://" in store else sqlite3.connect
    raw = connect(store)
    ((seq, trial, which, told),) = raw.execute(
        "SELECT seq, trial, measurement, told FROM stoic_log WHERE measurement < 0"
    ).fetchall()
    ((head,),) = raw.execute(f"SELECT seal FROM stoic_log WHERE seq = {seq - 1}").fetchall()
    for content in ('{"exclude":true}', '{"exclude":[1]}', '{"include":"x"}', '{"exclude":1.5}'):
        entry = digest(head, seq, trial, which, None, content, told)  # a forger's right digest
        raw.execute(
            f"UPDATE stoic_log SET reason = '{content}', seal = '{entry}' WHERE seq = {seq}"
        )
        ((row),) = raw.execute(
            "SELECT id, uid, name, made, problem_seal, next_number, finished, entries "
            "FROM stoic_studies"
        ).fetchall()
        raw.execute(f"UPDATE stoic_studies SET head = '{entry}', seal = '"
                    f"{digest('study', *row, entry)}'")  # fmt: skip
        raw.commit()
        with pytest.raises(StoreDamaged, match="exclusion"):
            stoic.Study(store)
    raw.execute("UPDATE stoic_log SET reason = '{\"exclude\":3}'")
    raw.commit()
    raw.close()
    with pytest.raises(StoreDamaged):
        stoic.Study(store)
    assert len(uid) == 32


def test_what_cannot_be_excluded(store: str) -> None:
    with new(store) as study:
        open_ = study.ask()
        for wrong in (7, -1):
            with pytest.raises(UnknownTrial):
                study.exclude(wrong)
        for measurement in (0, 5, -1, 1.5, True):
            with pytest.raises(InvalidInput):
                study.exclude(open_, measurement)  # type: ignore[arg-type]
        for prefix in ("", "a\n", 3):
            with pytest.raises(InvalidInput):
                study.exclude_worker(prefix)  # type: ignore[arg-type]
        assert not study.include(open_)
        assert not study.include_worker("bad/")
        assert study.excluded == ()
        assert study.exclude(open_)  # what it will report
        study.tell(open_, 1.0)
        assert study.trials[0].excluded == (0,)


def test_repeated_additions(store: str) -> None:
    with new(store) as study:
        first = study.add({"x": 0.5, "kind": "a"}, 1.0, key="a")
        assert study.add({"x": 0.5, "kind": "a"}, 1.0, key="a").number == first.number
        for _ in range(2):
            study.enqueue({"x": 0.25, "kind": "b"}, key="a")
        assert study.asked == 2
        assert not study.renew(study.trials[1].number)
        assert study.ask(key="a").params == {"x": 0.25, "kind": "b"}
        assert study.ask(key="b").number == 2
        study.tell(1, 1.0)
        study.enqueue({"x": 0.25, "kind": "b"}, key="a")  # it was asked and told meanwhile
        study.enqueue({"x": 0.25, "kind": "b"}, key="b")
        assert [t.number for t in study.trials if t.attempt == 0] == [3]
        assert study.result().best is not None  # what keys were used is nothing to the adviser
    assert examine(store).healthy
