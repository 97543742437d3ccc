"""Stores, logs and locks are their owner's; what a user names follows the umask."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import stoic
from stoic.cli.app import app
from stoic.errors import InvalidInput
from stoic.study.exchange.transfer import export
from stoic.study.repair.recovery import recover

SPACE = {"x": (0.0, 1.0)}
ENDS = ("", "-wal", "-shm", "-lock")


@pytest.fixture(params=[0o022, 0o000, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path | str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("wanted", [0o600, 0o640, 0o660])
def test_files_of_a_store(tmp_path: Path, umask: int, wanted: int) -> None:
    path = tmp_path / "s.db"
    with stoic.Study(path, space=SPACE, direction="maximize", mode=wanted) as study:
        study.tell(study.ask(), 1.0)
        assert {mode(f"{path}{end}") for end in ENDS} == {wanted}
        os.unlink(f"{path}-lock")
        study.tell(study.ask(), 2.0)
    with stoic.Study(path) as study:  # files that come anew are as the store is
        study.tell(study.ask(), 3.0)
        assert {mode(f"{path}{end}") for end in ENDS} == {wanted}
        export(path, "study", tmp_path / "trials.csv")
    assert mode(tmp_path / "trials.csv") == 0o666 & ~umask
    recover(path, tmp_path / "new.db")
    assert mode(tmp_path / "new.db") == mode(tmp_path / "new.db-lock") == 0o600


def test_by_default_a_store_is_its_owners(tmp_path: Path, umask: int) -> None:
    del umask
    path = tmp_path / "s.db"
    with stoic.Study(path, space=SPACE, direction="maximize") as study:
        study.tell(study.ask(), 1.0)
        assert {mode(f"{path}{end}") for end in ENDS} == {0o600}


@pytest.mark.parametrize("bad", [0o644, 0o777, 0, "600", True, None, 0o600 + 0.5])
def test_other_modes(tmp_path: Path, bad: object) -> None:
    with pytest.raises(InvalidInput, match="expected mode among 0o600, 0o640, 0o660"):
        stoic.Study(tmp_path / "s.db", space=SPACE, direction="maximize", mode=bad)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("flags", "file", "folder"), [
    ([], 0o600, 0o700),
    (["--group-readable"], 0o640, 0o750),
])  # fmt: skip
def test_what_tune_keeps(
    tmp_path: Path, umask: int, flags: list[str], file: int, folder: int
) -> None:
    store = tmp_path / "s.db"
    words = ["tune", "--minimize", "--budget", "2", "-p", "x=0:1", "--store", str(store)]
    words += ["--name", "t", "--report", str(tmp_path / "r.html"), *flags, "--", "echo", "{x}"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    logs = tmp_path / "s.db.logs"
    assert mode(store) == mode(f"{store}-lock") == file
    assert mode(logs) == mode(logs / "t") == folder
    written = [path for path in logs.rglob("*") if path.is_file()]
    assert len(written) == 3  # two trials and what they were measured with
    assert {mode(path) for path in written} == {file}
    assert mode(tmp_path / "r.html") == 0o666 & ~umask


GROUP = """
import os, sys
from stoic.study.repair.doctor import examine
examine(sys.argv[1])  # has all imports behind it
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(65534)
print(examine(sys.argv[1]).healthy)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_group_may_examine_a_readable_store() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are for their owner alone
        Path(folder).chmod(0o755)
        path = Path(folder) / "s.db"
        with stoic.Study(path, space=SPACE, direction="maximize", mode=0o640) as study:
            study.tell(study.ask(), 1.0)
            command = [sys.executable, "-c", GROUP, str(path), str(os.stat(path).st_gid)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr
