"""A password through every command and every error: nothing that people see or keep holds it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

import stoic
from helpers.programs import PARABOLA, STOIC, environment, program
from helpers.servers import BINARIES, Server, server
from stoic.cli.app import app
from stoic.errors import StoicError
from stoic.study import Study
from stoic.study.store.schema import TABLES
from stoic.tune.output.captured import Captured

RUNNER = CliRunner()
MARK = "Hush7"
PASSWORD = "Hush7@/?"  # as it is; in a URL it is encoded
ENCODED = "Hush7%40%2F%3F"
SPACE = {"x": (0.0, 1.0)}


@pytest.fixture(scope="module")
def guarded() -> Iterator[Server]:
    """A server that asks ann for her password."""
    if not (BINARIES / "initdb").exists():
        pytest.skip("no PostgreSQL server is installed")
    with server() as made:
        with psycopg.connect(made.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE ROLE ann LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
        rules = made.folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all ann scram-sha-256\n{rules.read_text()}")
        with psycopg.connect(made.url("postgres"), autocommit=True) as connection:
            connection.execute("SELECT pg_reload_conf()")
        yield made


@pytest.fixture(params=["user", "query"])
def secret(request: pytest.FixtureRequest, guarded: Server) -> str:
    """A new store, with its password before the host or in the query."""
    url = guarded.fresh()
    if request.param == "user":
        return url.replace("stoic@", f"ann:{ENCODED}@")
    return url.replace("stoic@", "") + f"&user=ann&pass%77ord={ENCODED}"


@pytest.fixture
def filled(secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    with Study(secret, "s", space=SPACE, direction="maximize", method="random") as study:
        for _ in range(4):
            study.tell(study.ask(), 1.0)
    return secret


def kept(folder: Path) -> str:
    """All that was written."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    texts = [path.read_bytes().decode("latin-1") for path in files]
    return "\n".join([*texts, *(str(path.relative_to(folder)) for path in files)])


def stored(url: str) -> str:
    """All that the store holds."""
    with psycopg.connect(url) as connection:
        rows = []
        for table in TABLES:
            rows += connection.execute(f"SELECT * FROM {table}").fetchall()
    assert rows
    return repr(rows)


COMMANDS = [
    ("list", "{}"),
    ("list", "{}", "--json"),
    ("show", "--store", "{}"),
    ("show", "--store", "{}", "--json"),
    ("best", "--store", "{}"),
    ("best", "--store", "{}", "--json"),
    ("trials", "--store", "{}"),
    ("trials", "--store", "{}", "--json"),
    ("report", "--store", "{}"),
    ("doctor", "{}"),
    ("doctor", "{}", "--json"),
    ("show", "nobody", "--store", "{}"),
    ("show", "s", "{}"),
    ("list", "stoic.db", "{}"),
    ("delete", "nobody", "--store", "{}"),
    ("delete", "s", "--store", "{}"),
    ("import", "{}"),
]


def test_commands(filled: str, tmp_path: Path) -> None:
    for words in COMMANDS:
        asked = [word.format(filled) for word in words]
        done = RUNNER.invoke(app, ["study", *asked], input="n\n")
        assert MARK not in done.output, words
        assert not isinstance(done.exception, StoicError), words
    for kind in ("csv", "json", "parquet"):
        done = RUNNER.invoke(app, ["study", "export", f"t.{kind}", "--store", filled])
        assert done.exit_code == 0, done.output
        done = RUNNER.invoke(app, ["study", "import", f"t.{kind}", "s", "--store", filled])
        assert "4 known already" in done.output
    assert RUNNER.invoke(app, ["study", "delete", "s", "--yes", "--store", filled]).exit_code == 0
    empty = RUNNER.invoke(app, ["study", "list", filled])
    assert "holds no study" in empty.output
    unknown = RUNNER.invoke(app, ["study", "show", "--store", filled])
    assert "expected a study in postgresql" in unknown.output
    recovered = RUNNER.invoke(app, ["study", "doctor", filled, "--recover", filled])
    assert MARK not in empty.output + unknown.output + recovered.output + kept(tmp_path)


def test_the_library(filled: str) -> None:
    with Study(filled, "s") as study:
        assert MARK not in study.url + repr(study)
        assert "***" in study.url
        database = study._opened.database
        quoting = psycopg.OperationalError(f"no sense in\n{PASSWORD}")
        assert MARK not in str(database.explain(quoting))
        assert database.cause(quoting) is None
        assert database.cause(psycopg.OperationalError("no\nanswer")) is not None


WRONG = [
    "postgresql://ann:Hush7@Hush7@db/x",
    "postgresql://ann:Hush7",
    "postgresql://ann:Hush7/x",
    "postgresql://ann@db:Hush7/x",
    "postgresql://ann:Hush7@db:port/x",
    "postgresql//ann:Hush7@db/x",
    "postgresql:/ann:Hush7@db/x",
    "postgres:ann:Hush7@db",
    "ann:Hush7@db/x",
    "host=db user=ann password=Hush7",
    "host=db password='two Hush7'",
    "mysql://ann:Hush7@db/x",
    "postgresql://ann:Hush7@/x?host=/nowhere",
    "postgresql://ann:Hush7@host.invalid/x",
    "postgresql://ann@/x?host=/nowhere&password=Hush7",
    "postgresql://ann@/x?host=/nowhere&pasword=Hush7",
    "postgresql://ann@/x?host=/nowhere&sslmode=no&password=Hush7",
    "postgresql://ann:Hush7@/x?host=/nowhere&port=no",
    "postgresql://ann:Hush7@/x?host=/nowhere&plugin=no",
]


@pytest.mark.parametrize("wrong", WRONG)
def test_errors(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoicError) as caught:
        Study(wrong, space=SPACE, direction="maximize")
    assert MARK not in "".join(traceback.format_exception(caught.value))
    Path("f.csv").write_text("x,value\n0.5,1\n")
    Path("space.toml").write_text(f"store = {json.dumps([wrong + 'x' * 60])}\n")
    for words in (
        ("study", "list", wrong),
        ("study", "show", "--store", wrong),
        ("study", "doctor", wrong),
        ("study", "export", "t.csv", "s", "--store", wrong),
        ("study", "import", "f.csv", "-p", "x=0:1", "--minimize", "--store", wrong),
        ("study", "delete", "s", "--store", wrong),
        ("tune", "--minimize", "--budget", "2", "-p", "x=0:1", "--store", wrong, "true", "{x}"),
        ("tune", "--space", "space.toml"),
    ):
        done = RUNNER.invoke(app, words)
        assert done.exit_code == 2, (words, done.output, done.exception)
        assert MARK not in done.output, words
    Path("space.toml").unlink()
    assert MARK not in kept(tmp_path)


def test_a_path_is_no_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("./a=1 b=2.db", "host=a.db", "runs:3.db", "./u:v@w.db", "postgres.db"):
        with stoic.Study(name, space=SPACE, direction="maximize") as study:
            assert study.url.startswith("sqlite")


TALKATIVE = """
import os, sys
assert "Hush7@/?" in " ".join(sys.argv) and sys.argv[-1] != "***", sys.argv
print("called with", *sys.argv[1:])
if float(sys.argv[1]) < 0.4: sys.exit("no such option: " + " ".join(sys.argv[2:]))
print(float(sys.argv[1]))
"""


@pytest.mark.parametrize(
    "given",
    [
        ("--password", PASSWORD),
        (f"--token={PASSWORD}",),
        (f"DB_PASSWORD={PASSWORD}",),
        (f"--db=https://ann:{PASSWORD}@db/x",),
    ],
    ids=lambda given: given[0][:8],
)
def test_a_program_gets_its_secrets_and_nobody_else(
    given: tuple[str, ...], guarded: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = [*program(tmp_path, TALKATIVE), "{x}", *given]
    store = guarded.fresh().replace("stoic@", f"ann:{ENCODED}@")
    words = ["tune", "--minimize", "-p", "x=0.0:1.0", "--json-out", "out.json", "--store", store]
    first = RUNNER.invoke(app, [*words, "--budget", "6", "--", *command])
    assert first.exit_code == 0, first.output
    again = RUNNER.invoke(app, [*words, "--budget", "7", "--", *command])
    assert "6 trials are done, 1 to go" in again.output
    other = RUNNER.invoke(app, [*words, "--budget", "8", "--name", "bench", "--", *command, "y"])
    assert "expected the command that study" in other.output
    (tmp_path / "bench.py").unlink()
    assert MARK not in first.output + again.output + other.output
    assert MARK not in kept(tmp_path)
    assert MARK not in stored(store)
    assert "***" in (tmp_path / "bench.html").read_text(encoding="utf-8")
    assert "failed" in first.output


@pytest.mark.parametrize("before", range(100, 160, 7))
def test_a_secret_is_hidden_before_a_line_is_cut(before: int) -> None:
    secret = f"{MARK}-and-much-more"
    captured = Captured(secrets=[secret])
    captured.write(f"{'x' * before}{secret}\n".encode())
    assert "Hu" not in captured.in_short()
    assert "Hu" not in captured.shown


def test_a_value_that_is_no_number_is_quoted_without_its_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    secret = MARK + "x" * 60  # longer than what is quoted
    words = ["tune", "--minimize", "-p", "x=0.0:1.0", "--budget", "2", "--metric", "token (.*)"]
    done = RUNNER.invoke(app, [*words, "--", "echo", "{x}", "--token", secret])
    assert done.exit_code == 1, done.output
    assert "not a whole number" in done.output
    assert MARK not in done.output + kept(tmp_path)


def test_the_name_of_a_study_is_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = "true https://ann:Hush7@db/; echo {x}"
    words = ["tune", "--minimize", "-p", "x=0.0:1.0", "--budget", "2", "--", "sh", "-c", script]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0, done.output
    assert MARK not in done.output + kept(tmp_path)


SLOW = """
import pathlib, sys, time
pathlib.Path("begun").touch()
time.sleep(60)
"""


def test_to_go_on_needs_no_password_in_the_command(secret: str, tmp_path: Path) -> None:
    command = [*program(tmp_path, SLOW), "{x}", "--password", PASSWORD]
    words = ["tune", "--minimize", "-p", "x=0.0:1.0", "--budget", "3", "--no-report"]
    process = subprocess.Popen(
        [*STOIC, *words, "--store", secret, "--", *command],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert MARK not in said
    assert "PGPASSWORD" in said
    assert "*** stands for" in said
    found = re.search(r"^to go on   stoic (.*)$", said, flags=re.M)
    assert found is not None
    program(tmp_path, PARABOLA)
    line = [PASSWORD if word == "***" else word for word in shlex.split(found[1])]
    done = subprocess.run(
        [*STOIC, *line],
        cwd=tmp_path,
        env={**environment(), "PGPASSWORD": PASSWORD},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3/3" in done.stdout
    assert MARK not in done.stdout + done.stderr
    assert sys.executable in " ".join(line)
    assert os.listdir(tmp_path / "stoic.logs")
