"""The command line, as a user meets it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from stoic.cli.app import app
from stoic.lab.attacks import attacks
from stoic.lab.experiments.catalogue import CATALOGUE
from stoic.lab.noise import noises
from stoic.lab.problems import problems
from stoic.parallel import ENGINES

TOML = """
horizon = 200
trials = 3
[problem]
kind = "gp-sample"
[noise]
kind = "gaussian"
std = 0.1
[[policy]]
policy = "{policy}"
"""
RUNNER = CliRunner()


def call(*words: object, code: int = 0) -> str:
    result = RUNNER.invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output


def spec(folder: Path, policy: str) -> Path:
    path = folder / f"{policy}.toml"
    path.write_text(TOML.format(policy=policy), encoding="utf-8")
    return path


def test_reproduce_lists() -> None:
    listed = call("reproduce")
    for name in CATALOGUE:
        assert name in listed


def test_the_engines_are_listed() -> None:
    assert f"One of {', '.join(ENGINES)}." in " ".join(call("run", "--help").split())


def test_kinds_are_listed() -> None:
    listed = call("kinds")
    for registry in (problems, noises, attacks):
        for kind in registry.kinds():
            assert kind in listed
    assert "tgp-ucb" in listed


def test_reproduce_one(tmp_path: Path) -> None:
    said = call(
        "reproduce", "bogunovic2022/fig1", "--quick", "--trials", 1, "--out", tmp_path,
        "--workers", 0,
    )  # fmt: skip
    folder = tmp_path / "quick/bogunovic2022/fig1"
    assert "GP-UCB deteriorates" in said
    words = " ".join(said.split())
    assert words.index("This is a quick run: 2,000 rounds instead of 50,000, 1 trial") < (
        words.index("GP-UCB deteriorates")
    )
    assert "not tested" in said
    assert "verdict: not tested" in words
    assert "hold" not in said
    assert f"report: {folder / 'report.html'}" in said
    for name in ("report.html", "curves.parquet", "manifest.json", "summary.csv",
                 "cumulative-regret.svg", "cumulative-regret.png"):  # fmt: skip
        assert (folder / name).stat().st_size > 0


def test_run_and_compare(tmp_path: Path) -> None:
    for policy in ("gp-ucb", "uniform"):
        out = tmp_path / policy
        call("run", spec(tmp_path, policy), "--out", out, "--workers", 0)
        assert (out / policy / "report.html").exists()
    first, second = (tmp_path / p / p / "curves.parquet" for p in ("gp-ucb", "uniform"))
    said = call("compare", first, second)
    assert "gp-ucb − uniform" in said.replace("\n", " ")
    assert re.search(r"\[-[\d.e+]+, -[\d.e+]+\] \*", said)  # GP-UCB is below uniform play


def test_fewer_trials_and_another_schedule(tmp_path: Path) -> None:
    call("run", spec(tmp_path, "gp-ucb"), "--out", tmp_path, "--workers", 0, "--trials", 1)
    call(
        "run", spec(tmp_path, "gp-ucb"), "--out", tmp_path / "x", "--workers", 0,
        "--trials", 1, "--schedule", "theory",
    )  # fmt: skip
    assert "theory" in (tmp_path / "x/gp-ucb/summary.csv").read_text()


def test_one_that_fails_does_not_end_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STOIC_DATA", raising=False)
    said = call(
        "reproduce", "chowdhury2019/fig1e", "bogunovic2022/fig1", "--quick", "--trials", 1,
        "--out", tmp_path, "--workers", 0, code=2,
    )  # fmt: skip
    assert "STOIC_DATA" in said
    assert (tmp_path / "quick/bogunovic2022/fig1/report.html").exists()


def test_labels_are_no_markup(tmp_path: Path) -> None:
    path = spec(tmp_path, "uniform")
    path.write_text(path.read_text() + 'label = "[/red] <b>"\n', encoding="utf-8")
    call("run", path, "--out", tmp_path, "--workers", 0)
    curves = tmp_path / "uniform" / "curves.parquet"
    assert "[/red]" in call("compare", curves, curves)
    report = (tmp_path / "uniform" / "report.html").read_text(encoding="utf-8")
    assert "<b>" not in report
    assert f"stoic run {path}" in report


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reproduce", "chowdhury2019/fig9"], "stoic reproduce"),
        (["run", "nowhere.toml"], "No such file"),
        (["compare", "a.parquet", "b.parquet"], "expected a file to read at a.parquet"),
        (["reproduce", "chowdhury2019/fig1a", "--quick", "--engine", "ray"], "one of"),
        (["reproduce", "chowdhury2019/fig1a", "--quick", "--out", "file"], "room and permission"),
    ],
)
def test_what_is_refused_is_said_in_a_line(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    result = RUNNER.invoke(app, words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_the_command_is_installed() -> None:
    command = [sys.executable, "-c", "from stoic.cli import main; main()", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    for name in ("reproduce", "run", "compare"):
        assert name in done.stdout


def test_without_typer() -> None:
    code = "import sys; sys.modules['typer'] = None; from stoic.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'stoic[cli]'" in done.stderr
