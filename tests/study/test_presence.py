"""Stores that are deleted, moved or replaced under an open worker: no report is lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import stoic
from stoic.errors import StoreDamaged, StoreUnavailable

SPACE = {"x": (0.0, 1.0)}


def made(path: Path, count: int = 3) -> stoic.Study:
    study = stoic.Study(path, space=SPACE, direction="maximize", method="random")
    for i in range(count):
        study.tell(study.ask(), float(i))
    return study


@pytest.mark.parametrize("ends", [("",), ("", "-wal", "-shm"), ("", "-wal", "-shm", "-lock")])
def test_a_deleted_store(tmp_path: Path, ends: tuple[str, ...]) -> None:
    path = tmp_path / "s.db"
    with made(path) as old:
        trial = old.ask()
        for end in ends:
            os.unlink(f"{path}{end}")
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="that was opened, got none"):
                old.tell(trial, 1.0)
            with pytest.raises(StoreUnavailable, match="that was opened, got none"):
                old.recommend()
        assert not path.exists()
        with stoic.Study(
            path, space=SPACE, direction="maximize", method="random"
        ) as new:  # not called damaged
            new.tell(new.ask(), 5.0)
            for way in (lambda: old.tell(trial, 1.0), old.ask, lambda: old.finished):
                with pytest.raises(StoreUnavailable, match="another file in its place"):
                    way()
            old.close()
            new.tell(new.ask(), 6.0)
        with stoic.Study(path) as again:
            assert [t.values for t in again.trials] == [(5.0,), (6.0,)]


def test_what_was_in_a_log_that_was_left_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with made(path) as old:
        os.unlink(path)
        log = Path(f"{path}-wal").read_bytes()
        with stoic.Study(path, space=SPACE, direction="maximize", method="random") as new:
            assert new.finished == 0
        assert Path(f"{path}-wal.old").read_bytes() == log
        del old


def test_a_store_that_vanishes_within_a_transaction(tmp_path: Path) -> None:
    """Between the first statement and the commit: the commit succeeds, into nothing."""
    path = tmp_path / "s.db"
    with made(path) as study:
        database = study._opened.database
        gone = pytest.raises(StoreUnavailable, match="nothing more was acknowledged")
        with gone, database.write():
            os.unlink(path)


def test_a_store_that_is_moved_and_put_back(tmp_path: Path) -> None:
    path, away = tmp_path / "s.db", tmp_path / "away.db"
    with made(path) as study:
        trial = study.ask()
        path.rename(away)
        with pytest.raises(StoreUnavailable):
            study.tell(trial, 7.0)
        away.rename(path)
        study.tell(trial, 7.0)
        assert study.trials[3].values == (7.0,)
    with stoic.Study(path) as study:
        assert study.finished == 4


def test_another_store_at_the_same_place(tmp_path: Path) -> None:
    path, other = tmp_path / "s.db", tmp_path / "other.db"
    made(other, 1).close()
    with made(path) as study:
        os.replace(other, path)
        with pytest.raises(StoreUnavailable, match="another file in its place"):
            study.ask()
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    with stoic.Study(path) as study:  # the notes are those of the store before
        assert study.finished == 1
    made(path, 5).close()
    shutil.copy(path, other)
    with stoic.Study(path) as study:
        study.tell(study.ask(), 1.0)
    os.replace(other, path)
    with pytest.raises(StoreDamaged, match="old copy"):  # its notes hold all the same
        stoic.Study(path)


def test_a_deleted_log_is_saved_by_who_has_it_open(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with made(path) as study:
        trial = study.ask()
        os.unlink(f"{path}-wal")
        with pytest.raises(StoreDamaged, match="SQLite would drop"):
            stoic.Study(path)  # what it would see is old
        with pytest.raises(StoreUnavailable, match="-wal"):
            study.tell(trial, 7.0)
        study.tell(trial, 7.0)  # its connection was closed, and the log saved on the way
        assert study.finished == 4
    with stoic.Study(path) as study:
        assert study.finished == 4


def test_a_deleted_log_of_two_workers(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with made(path) as first, stoic.Study(path) as second:
        trial = first.ask()
        os.unlink(f"{path}-wal")
        with pytest.raises(StoreUnavailable, match="end the other workers"):
            first.tell(trial, 7.0)
        with pytest.raises(StoreDamaged):
            first.tell(trial, 7.0)  # the other one has the log
        second.close()
        first.tell(trial, 7.0)
        assert first.finished == 4


def test_a_deleted_lock_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    lock = Path(f"{path}-lock")
    with made(path) as study:
        lock.unlink()
        study.tell(study.ask(), 7.0)
        assert lock.exists()
        with stoic.Study(path) as other:
            assert os.path.samestat(
                lock.stat(),
                os.fstat(other._opened.database._lock_file.file),  # type: ignore[attr-defined]
            )
            other.tell(other.ask(), 8.0)
        study.tell(study.ask(), 9.0)
        assert study.finished == 6
        assert lock.stat().st_size > 0  # its notes go on


def test_a_link_and_its_target_are_one_store(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "s.db", tmp_path / "there" / "t.db"
    link.symlink_to(target)
    with made(link) as study, stoic.Study(target) as other:
        other.tell(other.ask(), 4.0)
        assert study.finished == 4
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s.db", "there"]
