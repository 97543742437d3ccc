"""``stoic ask``, ``tell`` and ``best`` as processes, and the loop that docs/agents.md shows."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")

from typer.testing import CliRunner

import stoic as package
from helpers.programs import environment, stoic
from stoic.cli.app import app

DOCS = Path(__file__).parents[2] / "docs" / "agents.md"
RUNNER = CliRunner()
SPACE = ("-p", "x=0.0:1.0", "--minimize")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def answer(*words: object, code: int = 0) -> Any:
    """The one line of JSON that a command printed."""
    done = RUNNER.invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    return json.loads(line)


def refusal(*words: object) -> str:
    """The code of the error that a command printed as one line of JSON."""
    done = RUNNER.invoke(app, [str(word) for word in words])
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    found = json.loads(line)
    assert found.keys() == {"error", "message", "help"}
    assert found["help"].endswith(f"#{found['error']}")
    assert found["message"]
    assert line.isprintable()
    assert "hunter2" not in line
    return str(found["error"])


def test_the_loop_of_the_page_runs(tmp_path: Path) -> None:
    page = DOCS.read_text(encoding="utf-8")
    script = re.findall(r"```sh\n(.*?)```", page, flags=re.S)[0].replace("12", "5")
    commands = tmp_path / "bin"
    commands.mkdir()
    program = commands / "stoic"
    program.write_text(f"#!{sys.executable}\nfrom stoic.cli import main\nmain()\n")
    program.chmod(0o755)
    (commands / "python3").symlink_to(sys.executable)
    path = f"{commands}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=tmp_path, env=environment(PATH=path, PYTHONPATH=str(Path(package.__file__).parents[1])),
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 6
    assert all(line["state"] == "told" for line in lines[:-1])
    assert lines[-1]["finished"] == 5
    assert 1 <= lines[-1]["best"]["params"]["threads"] <= 64
    for block in re.findall(r"```json\n(.*?)```", page, flags=re.S):
        json.loads(block)
    shown = json.loads(re.findall(r"```json\n(.*?)```", page, flags=re.S)[1])
    assert shown.keys() == lines[-1].keys()


def test_a_trial_stays_leased_when_the_command_has_ended(tmp_path: Path) -> None:
    first = json.loads(stoic(tmp_path, "ask", *SPACE, "--lease", "1h").stdout)
    assert first.keys() == {"trial", "params", "attempt", "lease", "uid", "study", "finished"}
    assert first["lease"].keys() == {"token", "seconds", "until"}
    assert first["lease"]["seconds"] == 3600.0
    second = answer("ask")
    assert (first["trial"], second["trial"]) == (0, 1)
    assert first["params"] != second["params"]
    assert answer("tell", json.dumps(first), "--renew", "2h")["renewed"]
    assert answer("tell", json.dumps(first), "--release")["released"]
    again = answer("ask", "--budget", "2")
    assert (again["trial"], again["attempt"], again["params"]) == (0, 2, first["params"])
    assert not answer("tell", json.dumps(first), "--renew", "2h")["renewed"]
    spent = answer("ask", "--budget", "2", code=1)
    assert spent == {"trial": None, "study": "study", "finished": 0}


def test_outcomes_and_the_answer(tmp_path: Path) -> None:
    asked = answer("ask", *SPACE, "--name", "one", "--objective", "loss")
    empty = answer("best")
    assert (empty["best"], empty["objective"]) == (None, "loss")
    told = answer("tell", json.dumps(asked), "-1.5")
    assert told == {
        "study": "one", "trial": 0, "state": "told", "values": [-1.5], "finished": 1,
    }  # fmt: skip
    assert answer("tell", 0, "-1.5") == told  # the same again
    more = answer("tell", 0, "-1.25", "--measurement", 1)
    assert more["values"] == [-1.5, -1.25]
    answer("ask")
    failed = answer("tell", 1, "--fail", "exit code 3")
    assert (failed["state"], failed["values"], failed["finished"]) == ("failed", [], 2)
    best = answer("best", "--name", "one")
    assert best["best"]["params"] == asked["params"]
    assert best["failures"] == {"exit code 3": 1}
    with package.Study(tmp_path / "stoic.db", "one") as study:
        assert "stoic ask on" in study.trials[0].worker


def test_errors_are_one_line_of_json() -> None:
    assert refusal("ask") == "store-missing"
    assert refusal("best") == "store-missing"
    assert refusal("ask", "-p", "x=0.0:1.0") == "missing-direction"
    assert refusal("ask", "-p", "x=1:1", "--minimize") == "invalid-input"
    assert refusal("ask", "--minimize") == "invalid-input"
    assert refusal("ask", "--no-such-option") == "usage"
    assert refusal("ask", *SPACE, "--budget", "many") == "usage"
    asked = answer("ask", *SPACE)
    assert refusal("ask", "-p", "x=0.0:0.5", "--minimize") == "study-mismatch"
    assert refusal("tell") == "usage"
    assert refusal("tell", 0) == "invalid-input"
    assert refusal("tell", 0, "1.0", "--release") == "invalid-input"
    assert refusal("tell", 0, "fast\x1b[2J") == "invalid-input"
    assert refusal("tell", 0, "nan") == "invalid-payoff"
    assert refusal("tell", 7, "1.0") == "unknown-trial"
    assert refusal("tell", '{"trial": 0}', "1.0") == "invalid-input"
    assert refusal("tell", json.dumps(asked | {"trial": math.inf}), "1") == "invalid-input"
    assert refusal("tell", "[" * 50_000, "1") == "invalid-input"
    assert refusal("tell", json.dumps(asked | {"uid": "0" * 32}), "1") == "unknown-trial"
    answer("tell", 0, "1.0")
    assert refusal("tell", 0, "2.0") == "conflicting-value"
    assert refusal("best", "--name", "none") == "unknown-study"


def test_secrets_and_control_characters_are_not_shown(tmp_path: Path) -> None:
    url = "postgresql://ann:hunter2@127.0.0.1:1/x"
    assert refusal("best", "--store", url) in ("store-unavailable", "missing-extra")
    assert refusal("ask", "--\x1b[2J") == "usage"
    assert refusal("tell", "\x1b[2J", "1.0") == "invalid-input"
    done = stoic(tmp_path, "tell", code=2)
    assert json.loads(done.stderr)["error"] == "usage"
    assert done.stdout == ""


def test_a_space_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "space.toml").write_text('direction = "maximize"\n[params]\nx = "1:4"\ny = "1:4"\n')
    words = ("ask", "--space", "space.toml", "--valid", "x * y <= 3")
    asked = answer(*words)
    assert asked["params"]["x"] * asked["params"]["y"] <= 3
    assert answer(*words)["trial"] == 1
