"""``stoic tune`` goes on with a wider range, and says where the answer is at an edge."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from stoic.cli.app import app
from stoic.study import Study

RUNNER = CliRunner()


def tune(folder: Path, *words: str, code: int = 0) -> str:
    command = ["sh", "-c", "echo {n}"]
    given = ["tune", "--maximize", "--no-report", "--name", "edge", *words, "--", *command]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = RUNNER.invoke(app, given)
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def test_a_wider_range_goes_on(tmp_path: Path) -> None:
    said = tune(tmp_path, "-p", "n=2:16:step=2", "--budget", "9")
    assert "edge n is at the upper end of its range 2 to 16; consider a wider one" in said
    said = tune(tmp_path, "-p", "n=2:64:step=2", "--budget", "14")
    assert "9 trials are done, 5 to go" in said
    assert "changed: n is now Int(2, 64, step=2), was Int(2, 16, step=2)" in said
    with Study(tmp_path / "stoic.db", "edge") as study:
        asked = [trial.params["n"] for trial in study.trials]
    assert len(asked) == 14
    assert max(asked[:9]) <= 16 < max(asked)
    said = tune(tmp_path, "-p", "n=2:16:step=2", "--budget", "15", code=2)
    assert "or a wider one" in said
    assert "narrower" in said


def test_a_note_from_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tune(tmp_path, "-p", "n=1:8", "--budget", "2")
    monkeypatch.chdir(tmp_path)
    done = RUNNER.invoke(app, ["study", "note", "1", "warm \x1b[2J cache"])
    assert done.exit_code == 0, done.output
    shown = RUNNER.invoke(app, ["study", "trials"]).output
    assert "\x1b" not in shown
    assert "warm" in shown
    assert RUNNER.invoke(app, ["study", "note", "7", "of none"]).exit_code == 2
