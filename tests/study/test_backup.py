"""Copies of a store in use: consistent, verified, whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import stoic
from stoic.cli.app import app
from stoic.errors import InvalidInput, StoreUnavailable
from stoic.study.repair.backup import back_up
from stoic.study.repair.doctor import examine

SPACE = {"x": (0.0, 1.0)}

WRITER = """
import sys, stoic
how = {"space": {"x": (0.0, 1.0)}, "direction": "maximize", "method": "random"}
with stoic.Study(sys.argv[1], "second", **how) as study:
    for i in range(100_000):
        trial = study.ask()
        study.tell(trial, float(trial.number))
        print(trial.number, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s.db"
    with stoic.Study(path, space=SPACE, direction="maximize", method="random") as study:
        for i in range(5):
            study.tell(study.ask(), float(i))
    return path


def test_a_backup_while_a_worker_writes(path: Path, tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout is not None
        for i in range(4):
            acknowledged = int(writer.stdout.readline())
            new = tmp_path / f"copy-{i}.db"
            counts = back_up(path, new)
            assert counts["study"] == 5
            assert counts["second"] > acknowledged  # all that was acknowledged before is in it
            with stoic.Study(new, "second") as copy:
                told = [t for t in copy.trials if t.state == "told"]
                assert [t.values[0] for t in told] == [float(t.number) for t in told]
                assert len(told) > acknowledged
            assert examine(new).healthy
    finally:
        writer.kill()
        writer.communicate()
    assert sorted(p.name for p in tmp_path.iterdir() if "draft" in p.name) == []


def test_the_file_alone_is_not_all_of_it(path: Path, tmp_path: Path) -> None:
    """A copy made by `cp` is whole, but old: nothing in the file shows it."""
    with stoic.Study(path) as study:
        study.tell(study.ask(), 9.0)
        shutil.copy(path, tmp_path / "cp.db")
        study.backup(tmp_path / "backup.db")
    with stoic.Study(tmp_path / "cp.db") as lost, stoic.Study(tmp_path / "backup.db") as kept:
        assert (lost.finished, kept.finished) == (5, 6)


def test_files_that_exist(path: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    new.write_text("precious")
    with pytest.raises(InvalidInput, match="which exists"):
        back_up(path, new)
    assert new.read_text() == "precious"
    assert back_up(path, new, force=True) == {"study": 5}
    with stoic.Study(new) as used:
        used.tell(used.ask(), 1.0)
        assert back_up(path, new, force=True) == {"study": 5}
        with pytest.raises(StoreUnavailable, match="another file in its place"):
            used.ask()
    with stoic.Study(new) as copy:
        assert copy.finished == 5
    for same in (path, tmp_path / "." / "s.db"):
        with pytest.raises(InvalidInput, match="than the store itself"):
            back_up(path, same, force=True)
    with pytest.raises(InvalidInput, match="which is not a regular file"):
        back_up(path, tmp_path, force=True)
    with pytest.raises(StoreUnavailable, match="nowhere"):
        back_up(path, tmp_path / "nowhere" / "new.db")
    with pytest.raises(StoreUnavailable):
        back_up(tmp_path / "none.db", tmp_path / "copy.db")
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("umask", [0o022, 0o000])
def test_a_backup_is_its_owners(path: Path, tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        back_up(path, tmp_path / "new.db")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.db").stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new.db", "s.db", "s.db-lock"]


FULL = """
import resource, signal, sys
from stoic.errors import StoreUnavailable
from stoic.study.repair.backup import back_up
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    back_up(sys.argv[1], sys.argv[2], force=True)
except StoreUnavailable as error:
    print("refused:", error)
"""


def test_a_full_disk_leaves_the_last_backup(path: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    back_up(path, new)
    before = new.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(new)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("refused:"), done.stderr
    assert new.read_bytes() == before
    assert not [p for p in tmp_path.iterdir() if "draft" in p.name]


def test_a_server_has_its_own_way(store: str, tmp_path: Path) -> None:
    with stoic.Study(store, space=SPACE, direction="maximize") as study:
        if "://" in store:
            with pytest.raises(InvalidInput, match="pg_dump"):
                study.backup(tmp_path / "new.db")
        else:
            study.backup(tmp_path / "new.db")
            with pytest.raises(InvalidInput, match="name a file"):
                study.backup("postgresql://ann@db/tuning")


def test_from_the_shell(path: Path, tmp_path: Path) -> None:
    words = ["study", "backup", str(tmp_path / "new.db"), "--store", str(path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "'study' with 5 trials" in done.output
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 2
    assert "--force" in again.output
    assert CliRunner().invoke(app, [*words, "--force"]).exit_code == 0
