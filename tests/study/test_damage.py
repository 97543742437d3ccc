"""Damaged and foreign files: a typed error, never a damaged study taken for a whole one."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.errors import StoicError, StoreDamaged, StoreError, StoreUnavailable
from stoic.study import summaries
from stoic.study.store.rows import TrialRow, digest
from stoic.study.store.schema import FORMAT

SPACE = {"x": (0.0, 1.0), "gc": ["g1", "zgc"]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of some trials, closed, so that all of it is in one file."""
    path = tmp_path_factory.mktemp("whole") / "s.db"
    with stoic.Study(path, space=SPACE, direction="maximize", method="random") as study:
        for number in range(40):
            trial = study.ask()
            if number % 5 == 4:
                study.fail(trial, "crash")
            elif number % 7 != 6:
                study.tell(trial, trial.params["x"])
    assert sorted(p.name for p in path.parent.iterdir()) == ["s.db", "s.db-lock"]
    return path


def opened(path: Path) -> tuple[Any, ...]:
    """Everything that a study reports, or its error."""
    with stoic.Study(path, space=SPACE, direction="maximize", method="random", lease=1e6) as study:
        return (study.uid, study.trials, study.finished, study.result().trials)


def test_flipped_bytes_are_found(whole: Path, tmp_path: Path) -> None:
    intact, good = opened(whole), whole.read_bytes()
    rng = np.random.default_rng(6)
    found = 0
    for _ in range(60):
        path = tmp_path / "s.db"
        bad = bytearray(good)
        bad[int(rng.integers(len(good)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(bad))
        try:
            assert opened(path) == intact  # a byte that nothing is kept in
        except (StoreDamaged, StoreUnavailable):
            found += 1
        for file in tmp_path.iterdir():
            file.unlink()
    assert found > 5  # much of a small file is empty


def test_every_flipped_byte_of_the_log_is_found(whole: Path, tmp_path: Path) -> None:
    good = whole.read_bytes()
    with sqlite3.connect(whole) as raw:
        values = [row[0] for row in raw.execute("SELECT seal FROM stoic_log ORDER BY seq")]
    raw.close()
    path = tmp_path / "s.db"
    for text in values[:: len(values) // 5]:
        bad = bytearray(good)
        bad[good.index(text.encode()) + 3] ^= 1
        path.write_bytes(bytes(bad))
        with pytest.raises(StoreDamaged, match=r"log|study"):
            opened(path)


def test_truncated_files_are_found(whole: Path, tmp_path: Path) -> None:
    good = whole.read_bytes()
    rng = np.random.default_rng(7)
    for cut in [1, 15, 99, 100, 4095, 4096, *rng.integers(1, len(good), 30).tolist()]:
        (tmp_path / "s.db").write_bytes(good[:cut])
        with pytest.raises((StoreDamaged, StoreUnavailable)):
            opened(tmp_path / "s.db")
        for file in tmp_path.iterdir():
            file.unlink()


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM stoic_log WHERE seq = 3",
        "DELETE FROM stoic_log WHERE seq = (SELECT max(seq) FROM stoic_log)",
        "DELETE FROM stoic_trials WHERE number = 7",
        "DELETE FROM stoic_trials WHERE number = 39",
        "UPDATE stoic_log SET value = '0.5' WHERE seq = 2",
        "UPDATE stoic_log SET value = 0.5 WHERE seq = 2",
        "UPDATE stoic_log SET reason = NULL, value = '1.0' WHERE seq = 5",
        "UPDATE stoic_log SET trial = 20 WHERE seq = 2",
        "UPDATE stoic_log SET told = told + 1",
        "UPDATE stoic_trials SET params = '{}' WHERE number = 1",
        "UPDATE stoic_trials SET state = 'open' WHERE number = 1",
        "UPDATE stoic_trials SET lease_until = 0",
        "UPDATE stoic_studies SET entries = entries - 1",
        "UPDATE stoic_studies SET next_number = next_number + 1",
        "UPDATE stoic_studies SET problem = replace(problem, '1.0', '2.0')",
        "UPDATE stoic_studies SET head = 'x'",
        "UPDATE stoic_studies SET seal = CAST(x'ff' AS TEXT)",
        "UPDATE stoic_meta SET format = 99",
        "DELETE FROM stoic_meta",
        "DROP TABLE stoic_log",
        "DROP INDEX stoic_open",
        "CREATE TRIGGER t AFTER INSERT ON stoic_log BEGIN DELETE FROM stoic_trials; END",
        "INSERT INTO stoic_log SELECT study, seq + 900, trial, 77, value, reason, told, seal "
        "FROM stoic_log WHERE seq = 1",
    ],
)
def test_changed_rows_are_found(whole: Path, tmp_path: Path, sql: str) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.db"))
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA foreign_keys=OFF")
    raw.execute(sql)
    raw.commit()
    raw.close()
    with pytest.raises(StoreDamaged):
        opened(path)


def test_what_another_process_damages_is_found_on_the_way(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with stoic.Study(path, space=SPACE, direction="maximize") as study, stoic.Study(path) as other:
        for _ in range(3):
            study.tell(study.ask(), 1.0)
        raw = sqlite3.connect(path)
        raw.execute("UPDATE stoic_log SET value = '7.0' WHERE seq = 3")
        raw.commit()
        raw.close()
        with pytest.raises(StoreDamaged, match="entry 3"):
            other.recommend()


@pytest.mark.parametrize("text", ["NaN", '{"x":NaN}', "[" * 100_000, '{"x":[1]}', "[]", "null"])
def test_sealed_nonsense_is_damage(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.db"
    with stoic.Study(path, space=SPACE, direction="maximize") as study:
        uid, trial = study.uid, study.ask()
        study.tell(trial, 1.0)
    raw = sqlite3.connect(path)
    found = raw.execute(f"SELECT {', '.join(TrialRow._fields)} FROM stoic_trials").fetchone()
    made = TrialRow._make(found)._replace(params=text).digest(uid)
    raw.execute("UPDATE stoic_trials SET params = ?, seal = ?", (text, made))
    raw.commit()
    raw.close()
    with pytest.raises(StoreDamaged, match="configuration"):
        stoic.Study(path)


def test_files_that_are_no_stores_are_left_as_they_are(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("nothing to see here, " * 500)
    other = tmp_path / "other.db"
    raw = sqlite3.connect(other)
    raw.execute("CREATE TABLE people (name TEXT)")
    raw.commit()
    raw.close()
    for path in (text, other):
        before = path.read_bytes()
        for use in (lambda p=path: opened(p), lambda p=path: summaries(p)):
            with pytest.raises(StoreDamaged, match="of Stoic"):
                use()
        assert path.read_bytes() == before


def test_an_empty_file_is_a_fresh_store(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.touch()
    with stoic.Study(path, space=SPACE, direction="maximize") as study:
        study.tell(study.ask(), 1.0)
    assert summaries(path)[0].told == 1


def test_a_store_that_was_emptied_is_not_fresh(whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.db"))
    shutil.copy(f"{whole}-lock", f"{path}-lock")
    opened(path)
    path.write_bytes(b"")
    with pytest.raises(StoreDamaged, match="name another file to begin anew"):
        opened(path)
    path.unlink()
    assert opened(path)[1] == ()


def killed(path: Path) -> None:
    """A study of 30 trials as a killed process leaves it: the last ones in the log beside."""
    with stoic.Study(
        path.parent / "first.db", space=SPACE, direction="maximize", method="random"
    ) as study:
        for _ in range(30):
            study.tell(study.ask(), 1.0)
        for end in ("", "-wal", "-lock"):
            shutil.copy(f"{path.parent}/first.db{end}", f"{path}{end}")


def test_a_damaged_log_of_sqlite_does_not_make_a_younger_study(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    killed(path)
    with stoic.Study(path) as study:
        assert study.finished == 30
    for at in (0.2, 0.5, 0.9, 0.99):
        killed(path)
        log = bytearray(Path(f"{path}-wal").read_bytes())
        log[int(at * len(log))] ^= 1
        Path(f"{path}-wal").write_bytes(bytes(log))
        with pytest.raises(StoreDamaged):
            stoic.Study(path)
    killed(path)
    Path(f"{path}-wal").unlink()
    with pytest.raises(StoreDamaged):
        stoic.Study(path)


def test_an_old_copy_is_taken_on_request_only(tmp_path: Path) -> None:
    path, copy = tmp_path / "s.db", tmp_path / "copy.db"
    with stoic.Study(path, space=SPACE, direction="maximize") as study:
        study.tell(study.ask(), 1.0)
    shutil.copy(path, copy)
    with stoic.Study(path) as study:
        study.tell(study.ask(), 2.0)
    shutil.copy(copy, path)
    with pytest.raises(StoreDamaged, match="if it is an old copy on purpose"):
        stoic.Study(path)
    Path(f"{path}-lock").unlink()
    with stoic.Study(path) as study:
        assert study.finished == 1


def test_a_newer_store_is_not_touched(whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.db"))
    raw = sqlite3.connect(path)
    rows = raw.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name LIKE 'stoic%' "
        "ORDER BY type, name"
    ).fetchall()
    newer = FORMAT + 1
    made = digest("meta", newer, *[ascii(tuple(row)) for row in rows])
    raw.execute("UPDATE stoic_meta SET format = ?, seal = ?", (newer, made))
    raw.commit()
    raw.close()
    with pytest.raises(StoreError, match="newer Stoic"):
        opened(path)


def test_damage_is_also_what_python_expects() -> None:
    assert issubclass(StoreDamaged, ValueError)
    assert issubclass(StoreUnavailable, OSError)
    assert issubclass(StoreError, StoicError)
