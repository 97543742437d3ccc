"""`stoic tune --engine dask`: the programs of trials run on the workers of a cluster."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers.cluster import Cluster, cluster
from stoic import Study
from stoic.cli.app import app

RUNNER = CliRunner()
PROGRAM = """
import os, sys, time
print(f"parent {os.getppid()}")
time.sleep(float(sys.argv[2]))
print((float(sys.argv[1]) - 0.3) ** 2, sys.argv[3:] and sys.argv[3])
"""


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


def command(folder: Path, machines: Cluster, *words: str, seconds: float = 0.0) -> list[str]:
    program = folder / "program.py"
    program.write_text(PROGRAM.replace(", sys.argv[3:] and sys.argv[3]", ""))
    return [
        "tune", "--minimize", "-p", "x=0.0:1.0", "--store", str(folder / "s.db"), "--name", "far",
        "--no-report", "--engine", "dask", "--scheduler", machines.address, "--jobs", "2", *words,
        "--", sys.executable, str(program), "{x}", str(seconds),
    ]  # fmt: skip


def test_programs_run_on_the_workers(tmp_path: Path, machines: Cluster) -> None:
    done = RUNNER.invoke(app, command(tmp_path, machines, "--budget", "12", "--confirm", "no"))
    assert done.exit_code == 0, done.output
    with Study(tmp_path / "s.db", "far") as study:
        assert study.finished == 12
        assert not study.result().failures
        assert {note for t in study.trials for note in t.notes} == {
            f"machine {socket.gethostname()}"
        }
    logs = [file.read_text() for file in (tmp_path / "s.db.logs" / "far").glob("*.txt")]
    assert len(logs) == 12
    parents = {line for log in logs for line in log.splitlines() if line.startswith("parent ")}
    assert len(parents) == 2  # both workers
    assert f"parent {os.getpid()}" not in parents


def test_what_is_running_there_ends_with_the_run(tmp_path: Path, machines: Cluster) -> None:
    words = command(tmp_path, machines, "--budget", "4", seconds=600.0)
    run = subprocess.Popen([sys.executable, "-m", "stoic", *words], stdout=subprocess.PIPE)
    mine = f"{tmp_path}/program.py".encode()

    def running() -> int:
        count = 0
        for status in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = status.read_bytes().split(b"\0")
            except OSError:
                continue
            count += mine in words and b"600.0" in words and b"--engine" not in words
        return count

    def until(count: int) -> None:
        deadline = time.monotonic() + 60.0
        while running() != count:
            assert time.monotonic() < deadline
            time.sleep(0.1)

    until(2)
    run.send_signal(signal.SIGINT)
    output = run.communicate(timeout=60)[0].decode()
    assert run.returncode == 130, output
    until(0)
    with Study(tmp_path / "s.db", "far") as study:
        assert study.finished == 0


def test_a_program_that_is_nowhere(tmp_path: Path, machines: Cluster) -> None:
    words = command(tmp_path, machines, "--budget", "3")
    words[words.index(sys.executable)] = "no-such-program-there"
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert "expected a program that can be started, got no-such-program-there" in said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--engine", "dask"], "expected --scheduler with --engine dask"),
        (["--engine", "dask", "--scheduler", "tcp://h:1"], "expected --jobs with --engine dask"),
        (["--scheduler", "tcp://h:1"], "expected --engine dask with --scheduler"),
        (["--engine", "ray"], "expected --engine to be one of"),
    ],
)
def test_half_of_a_cluster_is_refused(tmp_path: Path, words: list[str], expected: str) -> None:
    store = str(tmp_path / "s.db")
    given = ["tune", "--minimize", "-p", "x=0:1", "--budget", "3", "--store", store, *words]
    done = RUNNER.invoke(app, [*given, "--", "echo", "{x}"])
    assert done.exit_code == 2
    assert expected in " ".join(done.output.split())
    assert not os.path.exists(store)
