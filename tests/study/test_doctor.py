"""The doctor: reports damage, changes nothing, recovers what is readable."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import stoic
from stoic.errors import InvalidInput, StoreDamaged, StoreUnavailable
from stoic.study.repair.doctor import examine
from stoic.study.repair.recovery import readable, recover
from stoic.study.store.guards import check_store

SPACE = {"x": (0.0, 1.0), "gc": ["g1", "zgc"], "note": ["a" * 700, "b" * 2500]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two studies; rows of one are so long that they go over several pages."""
    path = tmp_path_factory.mktemp("whole") / "s.db"
    with stoic.Study(path, "long", space=SPACE, direction="maximize", method="random") as study:
        for number in range(30):
            trial = study.ask()
            if number % 5 == 4:
                study.fail(trial, "crash")
            elif number % 7 != 6:
                study.tell(trial, trial.params["x"])
    arms = stoic.policies.GPUCB(stoic.Arms(np.linspace(0, 1, 5)), stoic.Matern(2.5, 0.3))
    with stoic.Study(path, "arms", policy=arms) as study:
        for number in range(12):
            study.tell(study.ask(), float(number % 3))
    return path


def damaged(path: Path) -> str:
    """What is wrong, in words."""
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    found = examine(path)
    after = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    assert {k: v for k, v in after.items() if not k.endswith("-lock")} == {
        k: v for k, v in before.items() if not k.endswith("-lock")
    }
    return "\n".join(str(each) for each in found.issues if each.kind == "damage")


def changed(whole: Path, folder: Path, sql: str) -> Path:
    path = Path(shutil.copy(whole, folder / "s.db"))
    raw = sqlite3.connect(path)
    raw.execute(sql)
    raw.commit()
    raw.close()
    return path


def test_a_whole_store_is_healthy(whole: Path) -> None:
    found = examine(whole)
    assert found.healthy
    assert "30 trials, all digests right, none missing" in str(found)
    assert "goes on" in str(found)
    assert damaged(whole) == ""


def test_a_store_on_a_server(store: str) -> None:
    with stoic.Study(store, space={"x": (0.0, 1.0)}, direction="maximize") as study:
        for _ in range(3):
            study.tell(study.ask(), 1.0)
    assert examine(store).healthy


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM stoic_log WHERE seq IN (3, 4) AND study = 1", "missing: 2 (3, 4)"),
        ("DELETE FROM stoic_trials WHERE number = 7 AND study = 1", "trials that are missing: 1"),
        ("UPDATE stoic_log SET value = '9.5' WHERE seq = 2 AND study = 1", "log entries that are"),
        ("UPDATE stoic_trials SET worker = 'x' WHERE number = 2", "trials that are not as they"),
        ("UPDATE stoic_studies SET finished = 3", "is not as it was written"),
        ("UPDATE stoic_studies SET problem = '{}'", "definition"),
        ("DROP TABLE stoic_meta", "tables"),
        ("DROP INDEX stoic_open", "tables"),
    ],
)
def test_changed_rows_are_named(whole: Path, tmp_path: Path, sql: str, words: str) -> None:
    assert words in damaged(changed(whole, tmp_path, sql))


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"x", "first bytes"), (b"SQLite format 3\0" + bytes(84), "application id")],
)
def test_foreign_files(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(data)
    assert words in damaged(path)
    path.write_bytes(b"")
    assert examine(path).healthy
    with pytest.raises(StoreUnavailable, match="got none"):
        examine(tmp_path / "nowhere.db")


def test_a_whole_store_is_recovered_as_it_is(whole: Path, tmp_path: Path) -> None:
    kept = recover(whole, tmp_path / "new.db")
    assert [each.share for each in kept] == [1.0, 1.0]
    for name in ("long", "arms"):
        with stoic.Study(whole, name) as old, stoic.Study(tmp_path / "new.db", name) as new:
            assert old.uid == new.uid
            assert old.trials == new.trials
            assert old.result().trials == new.result().trials
    with pytest.raises(InvalidInput, match="exists"):
        recover(whole, tmp_path / "new.db")


def test_lost_rows_are_named_and_asked_again(whole: Path, tmp_path: Path) -> None:
    path = changed(whole, tmp_path, "DELETE FROM stoic_trials WHERE study = 1 AND number = 7")
    raw = sqlite3.connect(path)
    raw.execute("UPDATE stoic_log SET value = '77.125' WHERE study = 1 AND seq = 3")
    raw.execute("UPDATE stoic_log SET value = '77.125', seal = 'x' WHERE study = 1 AND seq = 11")
    raw.commit()
    raw.close()
    kept = recover(path, tmp_path / "new.db")[0]
    assert kept.lost_trials == (7,)
    assert len(kept.reopened) == 3  # of seq 3, 11, and 12, whose digest follows from 11
    assert "lost trials, to be asked anew: 7" in str(kept)
    with stoic.Study(tmp_path / "new.db", "long") as study:
        lost = {7, *kept.reopened}
        with stoic.Study(whole, "long") as old:
            for before, after in zip(old.trials, study.trials, strict=True):
                assert after.state == ("open" if after.number in lost else before.state)
                assert after.number == 7 or after.params == before.params
        assert {study.ask().number for _ in lost} == lost
    assert examine(tmp_path / "new.db").healthy


def test_one_wrong_byte_is_mended(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    good = whole.read_bytes()
    with sqlite3.connect(whole) as raw:
        problem = raw.execute("SELECT problem FROM stoic_studies WHERE id = 1").fetchone()[0]
        digest = raw.execute("SELECT seal FROM stoic_log WHERE study = 1 AND seq = 5").fetchone()[0]
    raw.close()
    bad = bytearray(good)
    bad[good.index(problem.encode()) + 40] = 0xFF
    bad[good.index(digest.encode()) + 3] ^= 1
    path.write_bytes(bytes(bad))
    assert damaged(path)
    assert [each.complete for each in readable(path)] == [True, True]


def test_a_damaged_page_that_the_log_holds_anew(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    shutil.copy(whole, path)
    with sqlite3.connect(path, isolation_level=None) as raw:
        raw.execute("PRAGMA wal_autocheckpoint=0")
        raw.execute("CREATE TABLE more (x)")  # writes the first page to the log
        raw.execute("DROP TABLE more")
        files = {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal")}
    raw.close()
    place = files[""].index(b"CREATE TABLE stoic_log")
    files[""] = files[""][: place + 8] + b"\xe3" + files[""][place + 9 :]
    for end in ("-shm", "-lock"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    for end, data in files.items():
        Path(f"{path}{end}").write_bytes(data)
    with stoic.Study(path, "arms") as study:
        assert study.finished == 12


def test_a_format_that_sqlite_does_not_know(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    good = whole.read_bytes()
    path.write_bytes(good[:47] + b"\x07" + good[48:])
    with pytest.raises(StoreDamaged, match="unsupported file format"):
        stoic.Study(path, "arms")
    path.with_name("s.db-lock").unlink(missing_ok=True)
    assert "unsupported file format" in damaged(path)


def test_damage_that_sqlite_can_only_quote(whole: Path, tmp_path: Path) -> None:
    # its message then holds the damaged bytes, which are no text
    path = tmp_path / "s.db"
    good = whole.read_bytes()
    place = good.index(b"CREATE TABLE stoic_log")
    path.write_bytes(good[: place + 8] + b"\xe3" + good[place + 9 :])
    with pytest.raises(StoreDamaged):
        check_store(str(path))
    with pytest.raises(StoreDamaged):
        stoic.Study(path, "arms")
    assert damaged(path)


def test_a_part_of_a_file(whole: Path, tmp_path: Path) -> None:
    path = changed(whole, tmp_path, "VACUUM")  # table after table: the end is not the beginning
    data = path.read_bytes()
    path.write_bytes(data[: 9 * len(data) // 10 + 100])
    assert "its header has" in damaged(path)
    kept = recover(path, tmp_path / "new.db")
    assert any(0.0 < each.share < 1.0 for each in kept)
    for each in kept:
        with stoic.Study(tmp_path / "new.db", each.name) as study:
            study.tell(study.ask(), 1.0)
    data = whole.read_bytes()
    path.write_bytes(data[: len(data) // 2])  # without the definitions of the studies
    assert [each.share for each in recover(path, tmp_path / "newer.db")] == [0.0, 0.0]


def test_a_store_that_fell_back(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with stoic.Study(path, space={"x": (0.0, 1.0)}, direction="maximize", method="random") as study:
        study.tell(study.ask(), 1.0)
    old = path.read_bytes()
    with stoic.Study(path) as study:
        study.tell(study.ask(), 2.0)
    path.write_bytes(old)
    assert "missing" in damaged(path)


def test_nothing_readable(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(os.urandom(20_000))
    assert recover(path, tmp_path / "new.db") == ()


def test_issues_are_data(whole: Path, tmp_path: Path) -> None:
    kinds = {(issue.kind, issue.code) for issue in examine(whole).issues}
    assert {("fine", code) for code in ("header", "wal", "pages", "tables", "log")} <= kinds
    sql = "DELETE FROM stoic_trials WHERE study = 1 AND number = 7"
    (found,) = (
        each
        for each in examine(changed(whole, tmp_path, sql)).issues
        if each.code == "trials" and each.kind == "damage"
    )
    assert (found.where, found.message) == ("study 'long'", "trials that are missing: 1 (7)")


def test_an_error_has_its_damage_apart_from_the_advice(whole: Path, tmp_path: Path) -> None:
    path = changed(whole, tmp_path, "UPDATE stoic_trials SET worker = 'x' WHERE number = 7")
    with pytest.raises(StoreDamaged) as caught:
        stoic.Study(path, "long")
    assert caught.value.what == "the row of trial 7 is not as it was written"
    assert str(caught.value).startswith(f"{caught.value.what}; restore")
