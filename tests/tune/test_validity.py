"""``stoic tune --valid``: invalid configurations never reach the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from helpers.programs import program
from stoic.cli.app import app
from stoic.study import Study

RUNNER = CliRunner()
PRODUCT = """\
import sys
a, b = int(sys.argv[1]), float(sys.argv[2])
print(a + b if a * b <= 16 and a != 3 else "invalid!")
"""
RANGES = ("-p", "a=1:16", "-p", "b=0.5:16.0", "--maximize", "--no-report", "--plain")


def stoic(folder: Path, *words: object, code: int = 0) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = RUNNER.invoke(app, [*map(str, words)])
    assert result.exit_code == code, result.output
    return result.output


def test_options_and_files_state_constraints(tmp_path: Path) -> None:
    command = ["--", *program(tmp_path, PRODUCT), "{a}", "{b}"]
    words = ["tune", *RANGES, "--valid", "a * b <= 16", "--valid", "a != 3", "--json-out", "o.json"]
    said = stoic(tmp_path, *words, "--budget", 12, *command)
    assert "failed" not in said
    found = json.loads((tmp_path / "o.json").read_text())
    assert found["space"]["valid"] == ["a * b <= 16", "a != 3"]
    for trial in found["trials"]:
        assert trial["params"]["a"] * trial["params"]["b"] <= 16
    short = found["command"].split()
    assert int(short[-2]) * float(short[-1]) <= 16
    file = tmp_path / "tune.toml"
    file.write_text('valid = ["a*b <= 16"]\ndirection = "maximize"\n[params]\na = "1:16"\n')
    same = ["tune", "--space", file, "-p", "b=0.5:16.0", "--valid", "a != 3", "--no-report"]
    assert "13/13" in stoic(tmp_path, *same, "--plain", "--budget", 13, *command)
    assert "a * b <= 16" in stoic(tmp_path, "study", "show", "bench")
    with Study(tmp_path / "stoic.db", "bench") as study:
        assert study.space.valid == ("a * b <= 16", "a != 3")
    (tmp_path / "more.csv").write_text("a,b,value\n2,3.0,5.0\n")
    importing = ("study", "import", "more.csv", "copy", *RANGES[:5], "--valid", "a * b <= 5")
    assert "a * b <= 5" in " ".join(stoic(tmp_path, *importing, code=2).split())
    assert "1 new" in stoic(tmp_path, *importing[:-1], "a * b <= 6")


@pytest.mark.parametrize(
    ("valid", "said"),
    [
        ("a * c <= 16", "got 'c' at column 5"),
        ("a * b <=", "at column 9"),
        ("a * b < 0", "got 0 of 131072 tried"),
        ("a < 1 and a > 2", "got 0 of 131072 tried"),
    ],
)
def test_what_is_refused_before_anything_runs(tmp_path: Path, valid: str, said: str) -> None:
    words = ("tune", *RANGES, "--budget", 3, "--valid", valid, "--", "true", "{a}", "{b}")
    assert said in " ".join(stoic(tmp_path, *words, code=2).split())
    assert not (tmp_path / "stoic.db").exists()


def test_a_study_goes_on_with_its_own_constraints_alone(tmp_path: Path) -> None:
    command = ["--", *program(tmp_path, PRODUCT), "{a}", "{b}"]
    stoic(tmp_path, "tune", *RANGES, "--valid", "a * b <= 16", "--budget", 1, *command)
    said = stoic(tmp_path, "tune", *RANGES, "--budget", 2, *command, code=2)
    assert "expected valid ('a * b <= 16',)" in " ".join(said.split())
