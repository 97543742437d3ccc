"""No room, no access, no server: a typed error, nothing acknowledged lost, and it goes on."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import stoic
from helpers.servers import Server
from stoic.errors import StoreUnavailable
from stoic.study import summaries
from stoic.study.store import sqlite

SPACE = {"x": (0.0, 1.0)}

FULL = """
import resource, sys
import stoic
from stoic.errors import StoreUnavailable

space = {"x": (0.0, 1.0)}
with stoic.Study(sys.argv[1], space=space, direction="maximize", method="random") as study:
    told = 0
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, hard))
    try:
        for _ in range(100_000):
            study.tell(study.ask(), 1.0)
            told += 1
    except StoreUnavailable as error:
        assert "disk" in str(error), error
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        study.tell(study.ask(), 1.0)  # with room again, the same study goes on
        print(told + 1)
"""


def test_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with stoic.Study(path) as study:
        assert study.finished >= int(done.stdout) > 10
        study.tell(study.ask(), 1.0)


def test_the_limit_of_the_last_test_is_not_ours() -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


READ_ONLY = """
import os, sys
import stoic
from stoic.errors import StoreUnavailable

with stoic.Study(sys.argv[2], space={"x": (0.0, 1.0)}, direction="maximize"):
    pass  # has all imports behind it
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
try:
    stoic.Study(sys.argv[1], space={"x": (0.0, 1.0)}, direction="maximize")
except StoreUnavailable as error:
    print(error)
"""


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_is_read_only(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "s.db"
    if there:
        with stoic.Study(path, space=SPACE, direction="maximize") as study:
            study.tell(study.ask(), 1.0)
        for file in folder.iterdir():
            file.chmod(0o444)
    folder.chmod(0o555)
    for parent in folder.parents[:3]:
        parent.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(path), str(tmp_path / "other.db")],
        capture_output=True,
        text=True,
        check=False,
    )
    folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert "writable" in done.stdout
    if there:
        for file in folder.iterdir():
            file.chmod(0o644)
        with stoic.Study(path) as study:
            assert study.finished == 1


def test_a_folder_instead_of_a_file_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="name a file"):
        stoic.Study(tmp_path, space=SPACE, direction="maximize")
    with pytest.raises(StoreUnavailable, match="make its folder"):
        stoic.Study(tmp_path / "none" / "s.db", space=SPACE, direction="maximize")
    with pytest.raises(StoreUnavailable, match="check the path"):
        summaries(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_store_that_another_program_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_PATIENCE_SECONDS", 0.2)
    path = tmp_path / "s.db"
    with stoic.Study(path, space=SPACE, direction="maximize") as study:
        trial = study.ask()
        raw = sqlite3.connect(path, isolation_level=None)
        raw.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked by another program"):
            study.tell(trial, 1.0)
        raw.execute("ROLLBACK")
        raw.close()
        study.tell(trial, 1.0)
        with (
            stoic.Study(path) as other,
            other._opened.database.write(),
            pytest.raises(StoreUnavailable, match="a process that hangs"),
        ):
            study.ask()
        assert study.ask().number == 1


def test_a_server_that_goes_away_and_comes_back(postgres: Server) -> None:
    store = postgres.fresh()
    with stoic.Study(store, space=SPACE, direction="maximize") as study:
        trial = study.ask()
        study.tell(trial, 1.0)
        postgres.stop()
        try:
            for use in (study.ask, lambda: study.tell(trial, 1.0), lambda: study.finished):
                with pytest.raises(StoreUnavailable, match="check the server"):
                    use()
            with pytest.raises(StoreUnavailable, match="check the server"):
                stoic.Study(store)
        finally:
            postgres.start()
        study.tell(trial, 1.0)
        assert study.finished == 1
        postgres.stop()
        postgres.start()
        assert study.ask().number == 1  # a connection that was lost in between is made anew
        assert "@" in study.url


def test_commits_are_durable_whatever_the_server_is_set_to(postgres: Server) -> None:
    store = postgres.fresh() + "%20-csynchronous_commit%3Doff"
    expected = {"synchronous_commit": "on", "lock_timeout": "1min"}
    with (
        stoic.Study(store, space=SPACE, direction="maximize") as study,
        study._opened.database.read() as connection,
    ):
        for name, value in expected.items():
            assert connection.value(f"SHOW {name}") == value


def test_files_are_synced_at_every_commit(tmp_path: Path) -> None:
    store, expected = tmp_path / "s.db", {"synchronous": 2, "journal_mode": "wal"}
    with (
        stoic.Study(store, space=SPACE, direction="maximize") as study,
        study._opened.database.read() as connection,
    ):
        for name, value in expected.items():
            assert connection.value(f"PRAGMA {name}") == value


def test_no_such_database_or_user(postgres: Server) -> None:
    for wrong in (postgres.url("none"), postgres.url("postgres").replace("stoic@", "nobody@")):
        with pytest.raises(StoreUnavailable, match=r"none|nobody"):
            stoic.Study(wrong, space=SPACE, direction="maximize")


def test_passwords_are_not_shown(postgres: Server) -> None:
    secret = postgres.fresh().replace("stoic@", "stoic:hush@")
    with stoic.Study(secret, space=SPACE, direction="maximize") as study:
        assert "hush" not in study.url + repr(study)
    with pytest.raises(StoreUnavailable) as caught:
        stoic.Study(secret.replace("/postgres?", "/none?"), space=SPACE, direction="maximize")
    assert "hush" not in str(caught.value)


def test_what_is_closed_is_closed(store: str) -> None:
    study = stoic.Study(store, space=SPACE, direction="maximize")
    study.close()
    study.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        study.ask()
    files = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    assert not any(os.path.exists(f) and store in os.readlink(f) for f in files)
