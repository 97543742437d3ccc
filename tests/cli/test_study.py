"""``stoic study`` as it is used."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import stoic
from stoic.cli.app import app

RUNNER = CliRunner()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    with stoic.Study("stoic.db", "server", space={"threads": (1, 64), "gc": ["g1", "zgc"]},
                     direction="minimize", objective="p99", method="random") as study:  # fmt: skip
        for number in range(12):
            trial = study.ask()
            if number == 4:
                study.fail(trial, "exit code 3: " + "x" * 100)
            elif number != 11:
                study.tell(trial, 100.0 / trial.params["threads"])
    return "stoic.db"


def run(*words: str, code: int = 0, given: str = "") -> str:
    done = RUNNER.invoke(app, ["study", *words], input=given)
    assert done.exit_code == code, done.output
    return done.output


def plain(*words: str) -> Any:
    return json.loads(run(*words, "--json"))


def test_looking(path: str) -> None:
    assert "server" in run("list")
    assert plain("list", path)[0]["told"] == 10
    assert "10 told, 1 failed, 1 open" in run("show")
    assert plain("show", "server")["result"]["objective"] == "p99"
    best = plain("best")
    assert best["interval"][0] <= best["value"] <= best["interval"][1]
    assert "p99: " in run("best", "server", "--store", path)
    lines = run("trials").splitlines()
    assert len(lines) == 13
    assert max(map(len, lines)) <= 80
    assert [t["number"] for t in plain("trials", "--last", "3")] == [9, 10, 11]
    assert [t["number"] for t in plain("trials", "--state", "failed")] == [4]


@pytest.mark.usefixtures("path")
def test_moving() -> None:
    assert "12 rows" in run("export", "trials.csv")
    run("export", "trials.json")
    made = ("import", "trials.csv", "copy", "-p", "threads=1:64", "-p", "gc=g1,zgc")
    assert "--minimize or --maximize for study 'copy'" in run(*made, code=2)
    assert len(plain("list")) == 1
    words = run(*made, "--minimize")
    assert "new study 'copy': 12 new trials, 11 new outcomes" in words
    assert "11 known already" in run("import", "trials.csv", "copy")
    assert "new study 'server'" in run("import", "trials.json", "--store", "other.db")
    run("import", "trials.json", "wide", "-p", "threads=1:99", "-p", "gc=g1,zgc")
    assert plain("show", "wide")["direction"] == "minimize"  # as the file tells
    run("delete", "wide", "--yes")
    assert "name of a study among 'server', 'copy'" in run("show", code=2)
    assert "Delete" in run("delete", "copy", code=1, given="n\n")
    run("delete", "copy", given="y\n")
    run("delete", "server", "--store", "other.db", "--yes")
    assert "holds no study" in run("list", "other.db")


@pytest.mark.usefixtures("path")
def test_reporting() -> None:
    run("report")
    assert "server" in Path("server.html").read_text(encoding="utf-8")
    run("report", "server", "--out", "r.html")
    assert Path("r.html").exists()


def test_reports_of_like_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/b", "a-b", "a b"):
        with stoic.Study("stoic.db", name, space={"x": (0.0, 1.0)}, direction="maximize") as study:
            study.tell(study.ask(), 1.0)
        run("report", name)
    written = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html")]
    assert len(written) == 3
    assert (tmp_path / "a-b.html").exists()
    assert all(any(f"<title>{name}" in text for text in written) for name in ("a/b", "a-b", "a b"))


def test_the_doctor(path: str) -> None:
    assert "healthy" in run("doctor")
    data = bytearray(Path(path).read_bytes())
    place = data.index(b"exit code 3")
    data[place] ^= 1
    Path(path).write_bytes(bytes(data))
    assert "damaged" in run("doctor", code=1)
    assert "11 of 11 values and failures kept" in run("doctor", path, "--recover", "n.db", code=1)
    assert plain("doctor", "n.db")["healthy"]


LOOKS = [
    ("list", "{}"),
    ("show", "--store", "{}"),
    ("best", "server", "--store", "{}"),
    ("trials", "--store", "{}"),
    ("export", "out.csv", "--store", "{}"),
    ("report", "server", "--store", "{}"),
    ("delete", "server", "--yes", "--store", "{}"),
    ("doctor", "{}"),
]


@pytest.mark.parametrize("words", LOOKS, ids=lambda words: words[0])
def test_to_look_leaves_no_trace(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.db").touch()
    Path("notes.txt").write_text("buy milk")
    Path("long.txt").write_text("buy milk\n" * 1000)
    for name, mode in (("other.db", "delete"), ("busy ?#%.db", "wal")):
        with closing(sqlite3.connect(name)) as other, other:
            other.execute(f"PRAGMA journal_mode={mode}")
            other.execute("CREATE TABLE t (x)")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    for name, said in (
        ("empty.db", "empty"),
        ("notes.txt", "8 bytes"),
        ("long.txt", "9000 bytes"),
        ("other.db", "another database"),
        ("busy ?#%.db", "another database"),
    ):
        done = RUNNER.invoke(app, ["study", *(word.format(name) for word in words)])
        assert "delete" not in done.output
        if words[0] == "doctor":
            assert done.exit_code == (name != "empty.db"), done.output
        else:
            assert done.exit_code == 2, done.output
            assert said in " ".join(done.output.split())
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_copy_without_its_notes_is_a_store(path: str) -> None:
    shutil.copy(path, "copy.db")
    assert plain("list", "copy.db")[0]["told"] == 10


def test_a_store_that_is_still_in_its_log_is_one(tmp_path: Path) -> None:
    with stoic.Study(tmp_path / "s.db", space={"x": (0.0, 1.0)}, direction="maximize") as study:
        study.tell(study.ask(), 1.0)
        for end in ("", "-wal"):
            shutil.copy(f"{tmp_path / 's.db'}{end}", f"{tmp_path / 'copy.db'}{end}")
    assert plain("list", str(tmp_path / "copy.db"))[0]["told"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("list", "nowhere.db"), "got none"),
        (("show", "nobody"), "'server'"),
        (("delete", "nobody", "--yes"), "'server'"),
        (("export", "trials.txt"), "csv, json, parquet"),
        (("export", "no/where/t.csv"), "no/where, which is not there; make it"),
        (("export", "no/where/t.parquet"), "no/where, which is not there; make it"),
        (("report", "--out", "no/where/r.html"), "no/where, which is not there; make it"),
        (("import", "nothing.csv"), "nothing.csv"),
        (("trials", "--state", "asleep"), "asleep"),
        (("doctor", "nowhere.db"), "nowhere.db"),
        (("list", "mysql://a/b"), "mysql"),
    ],
)
@pytest.mark.usefixtures("path")
def test_what_is_refused_is_said_in_a_line(words: tuple[str, ...], said: str) -> None:
    output = run(*words, code=2)
    assert said in output
    assert "Traceback" not in output
    assert "room and permission" not in output


def test_numbers_are_rounded_for_people_and_whole_in_json(tmp_path: Path) -> None:
    store = str(tmp_path / "fine.db")
    with stoic.Study(store, "fine", space={"x": (0.0, 1.0)}, direction="minimize") as study:
        for i in range(1, 6):
            study.add({"x": i / 7}, (i / 7 - 0.3) ** 2)
    for command in ("best", "show", "trials"):
        said = run(command, "--store", store)
        said = said.replace(store, "")
        assert not re.search(r"\.0*[1-9]\d{6}", said), said
        assert re.search(r"\d\.\d{3}", said), said
    assert plain("trials", "--store", store)[0]["params"]["x"] == 1 / 7
