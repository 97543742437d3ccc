"""The commands with the address of a server as their store."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("typer")

from typer.testing import CliRunner, Result

import stoic as package
from helpers.programs import PARABOLA, STOIC, environment, program
from helpers.service import Service, serving
from stoic.cli.app import app

RUNNER = CliRunner()
SPACE = ("-p", "x=0.0:1.0", "--minimize")
SLOW = "import time\ntime.sleep(0.3)\n" + PARABOLA


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def here(*words: object, code: int = 0, **variables: str) -> Result:
    """A command in this process: quicker, where no signal is sent."""
    done = RUNNER.invoke(app, [str(word) for word in words], env={"COLUMNS": "120", **variables})
    assert done.exit_code == code, done.output
    return done


def tuned(folder: Path, url: str, name: str, *words: object) -> str:
    """What ``stoic tune`` printed."""
    command = [*program(folder, PARABOLA), "{x}"]
    return here("tune", *SPACE, "--store", url, "--name", name, *words, "--", *command).stdout


def answer(*words: object, code: int = 0, **variables: str) -> Any:
    """The data that a command printed."""
    done = here(*words, code=code, **variables)
    return json.loads(done.stdout if code < 2 else done.stderr)


def test_a_program_is_tuned_and_the_same_command_goes_on(
    service: Service, name: str, tmp_path: Path
) -> None:
    said = tuned(tmp_path, service.url, name, "--budget", 6, "--baseline", "x=0.9")
    assert len(re.findall(r"^ ?\d+/6  #\d+  x=", said, flags=re.M)) == 6
    said = tuned(tmp_path, service.url, name, "--budget", 16)
    assert f"study '{name}' in {service.url} goes on: 6 trials are done, 10 to go" in said
    assert "verdict" in said
    page = (tmp_path / f"{name}.html").read_text()
    assert page.count("stoic.logs") >= 1
    assert len(list((tmp_path / "stoic.logs" / name).glob("*.txt"))) == 16
    with package.connect(service.url, name) as study:
        assert study.finished == 16
        assert study.baseline == {"x": 0.9}


def test_two_workers_share_a_budget(service: Service, name: str, tmp_path: Path) -> None:
    command = [*program(tmp_path, SLOW), "{x}"]
    where = ("--store", service.url, "--name", name, "--no-report", "--budget", "10")
    line = [*STOIC, "tune", *SPACE, *where, "--jobs", "2", "--", *command]
    workers = [
        subprocess.Popen(line, cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [worker.wait(120) for worker in workers] == [0, 0]
    with package.connect(service.url, name) as study:
        assert len(study.trials) == study.finished == 10
        assert {record.attempt for record in study.trials} == {1}
        assert len({record.worker for record in study.trials}) == 2


def test_ctrl_c_gives_back_what_is_under_way(service: Service, name: str, tmp_path: Path) -> None:
    command = [*program(tmp_path, "import time\ntime.sleep(60)\n"), "{x}"]
    line = [*STOIC, "tune", *SPACE, "--store", service.url, "--name", name, "--budget", "9"]
    worker = subprocess.Popen(
        [*line, "--", *command], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
    )
    study = _when_there(service.url, name)
    while not study.asked:
        time.sleep(0.1)
    worker.send_signal(signal.SIGINT)
    said, _ = worker.communicate(timeout=60)
    assert worker.returncode == 130
    assert f"--store {service.url}" in said
    assert [(record.state, record.lease_until) for record in study.trials] == [("open", 0.0)]
    study.close()


def _when_there(url: str, name: str) -> package.remote.RemoteStudy:
    deadline = time.monotonic() + 60
    while True:
        try:
            return package.connect(url, name)
        except package.errors.UnknownStudy:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_run_outlives_a_killed_server(tmp_path: Path) -> None:
    command = [*program(tmp_path, SLOW), "{x}"]
    with serving(tmp_path / "s.db") as server:
        where = ("--store", server.url, "--no-report", "--budget", "8", "--name", "run")
        worker = subprocess.Popen(
            [*STOIC, "tune", *SPACE, *where, "--", *command],
            cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        study = _when_there(server.url, "run")
        while study.finished < 3:
            time.sleep(0.1)
        server.kill()
        time.sleep(2.0)
        server.start()
        said, warned = worker.communicate(timeout=120)
        assert worker.returncode == 0, warned
        assert "stoic: server unavailable, next try in" in warned
        assert len(re.findall(r"^\d/8  #\d+  x=", said, flags=re.M)) == 8
        assert study.finished == len(study.trials) == 8
        study.close()


def test_ask_tell_and_best(service: Service, name: str) -> None:
    where = ("--store", service.url, "--name", name)
    first = answer("ask", *SPACE, *where, "--lease", "5m")
    assert (first["trial"], first["study"], first["finished"]) == (0, name, 0)
    assert answer("tell", json.dumps(first), "--renew", "1m", *where)["renewed"] is True
    told = answer("tell", json.dumps(first), "-1.5", "--store", service.url)
    assert (told["state"], told["values"], told["finished"]) == ("told", [-1.5], 1)
    second = answer("ask", *where)
    line = json.dumps(second)
    assert answer("tell", line, "--release", *where)["released"] is True
    assert answer("ask", *where)["trial"] == second["trial"]
    assert answer("tell", "1", "--fail", "crashed", *where)["state"] == "failed"
    assert answer("ask", *where, "--budget", "2", code=1)["trial"] is None
    assert answer("best", *where)["best"]["params"] == first["params"]
    refused = answer("tell", "0", "3", *where, code=2)
    assert refused["error"] == "conflicting-value"


def test_studies_are_shown(service: Service, name: str, tmp_path: Path) -> None:
    tuned(tmp_path, service.url, name, "--budget", 8, "--no-report")
    where = ("--store", service.url)
    listed = answer("study", "list", service.url, "--json")
    (ours,) = [each for each in listed if each["name"] == name]
    assert (ours["trials"], ours["told"], ours["failed"], ours["open"]) == (8, 8, 0, 0)
    assert name in here("study", "list", service.url).stdout
    shown = answer("study", "show", name, *where, "--json")
    assert (shown["uid"], shown["told"], shown["store"]) == (ours["uid"], 8, service.url)
    assert service.url in here("study", "show", name, *where).stdout
    best = answer("study", "best", name, *where, "--json")
    assert best["params"] == shown["result"]["best"]["params"]
    here("study", "note", "3", "cold cache", name, *where)
    rows = answer("study", "trials", name, *where, "--json", "--last", "5")
    assert rows[0]["notes"] == ["cold cache"]
    here("study", "report", name, *where)
    assert (tmp_path / f"{name}.html").stat().st_size > 10_000
    here("study", "delete", name, *where, "--yes")
    assert name not in here("study", "list", service.url).stdout
    assert "[unknown-study]" in here("study", "show", name, *where, code=2).stderr


def test_an_export_is_a_study_again(service: Service, name: str, tmp_path: Path) -> None:
    tuned(tmp_path, service.url, name, "--budget", 5, "--no-report")
    with package.connect(service.url, name) as study:
        study.tell(2, 0.125, measurement=1)
        study.fail(study.ask(), "crashed")
        study.note(0, "cold cache")
        study.ask()
        there = [(record.params, record.values, record.notes) for record in study.trials]
        here("study", "export", "all.json", name, "--store", service.url)
        here("study", "export", "all.csv", name, "--store", service.url)
    here("study", "import", "all.json", "--store", "here.db")
    with package.Study("here.db", name) as copy:
        assert [(r.params, r.values, r.notes) for r in copy.trials] == there
        assert [record.state for record in copy.trials] == ["told"] * 5 + ["failed", "open"]
        assert len(copy.trials[2].values) == 2
    rows = (tmp_path / "all.csv").read_text().splitlines()
    assert len(rows) == 1 + 8
    assert "cold cache" in rows[1]
    assert rows[0] == "number,state,x,value,measurement,reason,asked,told,worker,attempt,notes"


@pytest.mark.parametrize(
    "words",
    [("doctor",), ("backup", "new.db", "--store"), ("import", "new.csv", "--store")],
    ids=lambda words: str(words[0]),
)
def test_what_needs_the_store_says_so(
    service: Service, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "new.csv").write_text("x,value\n0.5,1\n")
    done = here("study", *words, service.url, code=2)
    assert "got a server's address" in done.stderr


def test_lost_leases_are_counted_by_the_server(service: Service, name: str) -> None:
    line = (*SPACE, "--budget", "2", "--store", service.url, "--name", name)
    done = here("tune", *line, "--max-lost-leases", "2", "--", "echo", "{x}", code=2)
    assert "leave the limit out" in done.stderr


def test_a_token_of_the_environment(tmp_path: Path) -> None:
    made = here("token", "new", "--verb", "admin", "--file", "tokens.json").stdout.strip()
    reads = here("token", "new", "--verb", "read", "--file", "tokens.json").stdout.strip()
    with serving(tmp_path / "s.db", "--token-file", str(tmp_path / "tokens.json")) as server:
        line = ("ask", *SPACE, "--store", server.url, "--name", "one")
        refused = here(*line, code=2, STOIC_TOKEN="")
        assert json.loads(refused.stderr)["error"] == "access-denied"
        other = made[:-1] + ("a" if made[-1] != "a" else "b")
        wrong = here(*line, code=2, STOIC_TOKEN=other)
        assert json.loads(wrong.stderr)["error"] == "access-denied"
        assert made[:-1] not in wrong.output
        asked = json.loads(here(*line, STOIC_TOKEN=made).stdout)
        assert asked["trial"] == 0
        shown = here("study", "show", "--store", server.url, STOIC_TOKEN=reads)
        assert "1 open" in shown.stdout
        where = ("--store", server.url)
        denied = here("tell", "0", "1.5", *where, code=2, STOIC_TOKEN=reads)
        assert json.loads(denied.stderr)["error"] == "access-denied"


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    done = here("study", "list", f"http://127.0.0.1:{port}", code=2)
    lines = done.stderr.splitlines()
    assert "next try in" in lines[0]
    assert "is it running" in lines[-1]
    refused = here("best", "--store", "http://ann:hush@127.0.0.1", code=2)
    assert "hush" not in refused.stderr
