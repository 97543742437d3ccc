"""A file that is ``-``: standard input or output, and then nothing else is printed there."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner, Result

import stoic
from helpers.programs import program
from stoic.cli.app import app

SPACE = 'direction = "minimize"\n[params]\nx = "0.0:1.0"\n'
SQUARE = "import sys; x = float(sys.argv[1]); print('warm-up 3 s'); print((x - 0.3) ** 2)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words: str, given: bytes = b"", code: int = 0) -> Result:
    done = CliRunner().invoke(app, list(words), input=given)
    assert done.exit_code == code, done.output
    assert not Path("-").exists(), "a file named -"
    return done


def study() -> None:
    with stoic.Study("stoic.db", "s", space={"x": (0.0, 1.0)}, direction="minimize") as made:
        for x in (0.1, 1 / 3, 0.7):
            made.add({"x": x}, (x - 0.3) ** 2)


def test_a_result_of_tune_as_json(folder: Path) -> None:
    command = [*program(folder, SQUARE), "{x}"]
    words = ("tune", "--space", "-", "--budget", "3", "--json-out", "-", "--no-report")
    done = call(*words, "--", *command, given=SPACE.encode())
    found = json.loads(done.stdout)
    assert len(found["trials"]) == 3
    assert "3/3" in done.stderr
    assert "estimate" in done.stderr


def test_a_report_of_tune(folder: Path) -> None:
    command = [*program(folder, SQUARE), "{x}"]
    words = ("tune", "--minimize", "-p", "x=0.0:1.0", "--budget", "3", "--report", "-")
    page = call(*words, "--", *command).stdout
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    said = call(*words, "--json-out", "-", "--", *command, code=2).stderr
    assert "got both" in said


def test_exports_and_reports_of_a_study() -> None:
    study()
    done = call("study", "export", "-")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [float(row["x"]) for row in rows] == [0.1, 1 / 3, 0.7], "to the last digit"
    assert "3 rows" in done.stderr
    as_json = call("study", "export", "-", "--format", "json").stdout_bytes
    assert len(json.loads(as_json)["trials"]) == 3
    assert call("study", "report", "--out", "-").stdout.startswith("<!DOCTYPE html>")
    said = call("study", "import", "-", "copy", "--format", "json", given=as_json).output
    assert "3 new trials" in said
    with stoic.Study("stoic.db", "copy") as copy:
        assert [trial.params["x"] for trial in copy.trials] == [0.1, 1 / 3, 0.7]
    words = ("study", "import", "t.csv", "new", "--space", "-")
    Path("t.csv").write_text("x,value\n0.5,1\n", encoding="utf-8")
    assert "1 new trials" in call(*words, given=SPACE.encode()).output


def test_measurements_from_standard_input() -> None:
    assert "4 values" in call("diagnose", "-", given=b"1\n2\n3\n4\n").stdout


def test_experiments_and_results_from_standard_input() -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    case: dict[str, object] = {"experiment": "e", "problem": "f", "noise": "n", "attack": "none"}
    case |= {"policy": "p", "schedule": "theory", "horizon": 9}
    pq.write_table(
        pa.Table.from_pylist([{**case, "trial": i, "t": 9, "regret": 1.0 + i} for i in range(3)]),
        "curves.parquet",
    )
    curves = Path("curves.parquet").read_bytes()
    assert "+0" in call("compare", "-", "curves.parquet", given=curves).stdout
    assert "got two" in call("compare", "-", "-", code=2).stderr
    assert "'problem' in the experiment" in call("run", "-", given=b"trials = 3", code=2).stderr
    assert "as a folder" in call("run", "-", "--out", "-", code=2).stderr


def test_a_store_is_no_stream() -> None:
    study()
    for words in (
        ("study", "list", "-"),
        ("study", "doctor", "--recover", "-"),
        ("tune", "--minimize", "-p", "x=0:1", "--budget", "1", "--store", "-", "--", "echo", "{x}"),
    ):
        assert "expected a file for the study" in call(*words, code=2).stderr


@pytest.mark.parametrize("words", [("tune", "--space"), ("run",)])
@pytest.mark.parametrize("source", ["big.toml", "-"])
def test_a_file_that_is_too_large_is_refused_not_cut(words: tuple[str, ...], source: str) -> None:
    if words == ("run",):
        pytest.importorskip("pyarrow")
    data = SPACE.encode() + b"# padding\n" * 120_000 + b"y = '0.0:1.0'\n"
    Path("big.toml").write_bytes(data)
    said = call(*words, source, given=data, code=2).stderr
    assert "expected at most 1,048,576 bytes in" in said
    assert "standard input" in said or source != "-"
