"""Text from outside on its way to a terminal: every command, every error, every page."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import stoic
from helpers.programs import STOIC, environment, program
from stoic.cli.app import app
from stoic.printable import visible
from stoic.study import Study
from stoic.study.repair.doctor import examine
from stoic.terminal import Console, Text

RUNNER = CliRunner()
EVIL = "\x1b]0;owned\x07\x1b[2J\r\x08\x7f\x9b31m\u202e\u2066\u200b\u2028\u2029\ufeff[red]hm"
SPELLED = r"\x1b]0;owned\x07\x1b[2J"
FORGED = "\nstoic: all is well"
SPACE: dict[str, Any] = {"threads": (1, 64), f"n{EVIL}": [f"c{EVIL}", f"d{FORGED}"]}


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study in which all that may be hostile is."""
    monkeypatch.chdir(tmp_path)
    objective = f"o{EVIL}{FORGED}"
    with Study(
        "stoic.db", "s", space=SPACE, direction="maximize", objective=objective, method="random"
    ) as study:
        for number in range(8):
            trial = study.ask()
            if number == 3:
                study.fail(trial, f"r{EVIL}{FORGED}")
            else:
                study.tell(trial, float(trial.params["threads"]))
    return tmp_path


def check(text: str, *, coloured: bool = False) -> None:
    """Nothing hostile: printable lines, among them none that is forged."""
    for evil in ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u200b", "\u2028", "\r\x08"):
        assert evil not in text
    lines = text.split("\n")
    assert not any(line.startswith("stoic: all is well") for line in lines)
    if not coloured:
        assert [line for line in lines if not line.isprintable()] == []


COMMANDS = [
    ("study", "list"),
    ("study", "list", "--json"),
    ("study", "show"),
    ("study", "show", "--json"),
    ("study", "best"),
    ("study", "trials"),
    ("study", "trials", "--json"),
    ("study", "export", f"e{EVIL}.csv"),
    ("study", "report"),
    ("study", "doctor"),
    ("study", "doctor", "--recover", f"n{EVIL}.db"),
]
ERRORS = [
    ("study", "show", f"x{EVIL}{FORGED}"),
    ("study", "list", f"x{EVIL}{FORGED}"),
    ("study", "list", "stoic.db", f"x{EVIL}{FORGED}"),
    ("study", "trials", "--state", f"x{EVIL}"),
    ("study", f"x{EVIL}{FORGED}"),
    (f"x{EVIL}{FORGED}",),
    ("study", "export", f"no{EVIL}/where.csv"),
    ("study", "import", f"no{EVIL}{FORGED}.csv"),
    ("study", "doctor", f"x{EVIL}{FORGED}.db"),
    ("tune", "--minimize", "--budget", "3", "-p", "x=0:1", "--", f"no{EVIL}{FORGED}", "{x}"),
    ("tune", "--space", f"x{EVIL}{FORGED}.toml"),
    ("diagnose", f"x{EVIL}{FORGED}"),
]


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
@pytest.mark.parametrize("coloured", [False, True])
def test_commands(words: tuple[str, ...], coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if coloured:
        monkeypatch.setenv("FORCE_COLOR", "1")
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0, done.output
    check(done.output, coloured=coloured)


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("words", ERRORS, ids=lambda words: words[0][:6])
def test_errors(words: tuple[str, ...]) -> None:
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 2, done.output
    check(done.output)
    assert "\\x1b" in re.sub(r"[\s│]", "", done.output)  # a frame breaks lines


@pytest.mark.usefixtures("hostile")
def test_texts_are_spelled_not_dropped() -> None:
    shown = RUNNER.invoke(app, ["study", "show"]).output
    assert f"maximize o{SPELLED}" in shown
    assert "[red]hm" in shown
    assert r"\nstoic: all is well" in shown
    assert str(examine("stoic.db")).count("\n") == len(examine("stoic.db").issues) - 1


@pytest.mark.usefixtures("hostile")
def test_a_page_shows_the_same() -> None:
    RUNNER.invoke(app, ["study", "report", "--out", "r.html"])
    page = Path("r.html").read_text(encoding="utf-8")
    check(page)
    assert SPELLED in page


def test_columns_of_a_file(tmp_path: Path) -> None:
    lines = "\n".join(f"{i}.5,{i}" for i in range(30))
    bare = EVIL.replace("\r", "").replace("\u2028", "").replace("\u2029", "")
    file = tmp_path / "d.csv"
    file.write_text(f"a{bare},b{bare}\n{lines}\n", encoding="utf-8")
    for extra in ((), ("--column", "1"), ("--json",), ("--column", f"zz{EVIL}")):
        done = RUNNER.invoke(app, ["diagnose", str(file), *extra])
        check(done.output)


def test_an_experiment_of_somebody_else(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    file = tmp_path / "e.toml"
    text = json.dumps(f"p{EVIL}{FORGED}").replace(r"\u007f", "")
    file.write_text(f"name = {text}\nhorizon = 5\nproblem = {{kind = {text}}}\n", encoding="utf-8")
    done = RUNNER.invoke(app, ["run", str(file), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2, done.output
    check(done.output)


LOUD = f"""
import sys
x = float(sys.argv[1])
print({EVIL!r}, {FORGED!r})
if x < 0.5: sys.exit({EVIL + "x"!r})
print(x)
"""


@pytest.mark.parametrize("terminal", [False, True])
def test_the_output_of_a_program(tmp_path: Path, terminal: bool) -> None:
    command = [*program(tmp_path, LOUD), "{x}"]
    words = ["tune", "--minimize", "-p", "x=0.0:1.0", "--budget", "6", "--objective", f"o{EVIL}"]
    whole = [*STOIC, *words, "--", *command]
    if not terminal:
        done = subprocess.run(
            whole, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
        )
        check(done.stdout + done.stderr)
        return
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        whole, cwd=tmp_path, env=environment(TERM="xterm"), stdin=theirs, stdout=theirs
    ) as process:
        os.close(theirs)
        said = b""
        while chunk := _read(ours):
            said += chunk
    os.close(ours)
    assert process.returncode == 0
    check(said.decode().replace("\r\n", "\n"), coloured=True)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


@given(st.text(st.characters()))
def test_what_is_visible_is_one_line_and_stays_so(text: str) -> None:
    shown = visible(text)
    assert all(c.isprintable() or c.isspace() for c in shown)
    assert len(shown.splitlines()) <= 1
    assert visible(shown) == shown
    if text.isprintable():
        assert shown == text


def test_the_console_filters_what_did_not_pass_by_text(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table
    from rich.text import Text as RichText

    table = Table(title=EVIL)
    table.add_column(EVIL)
    table.add_row(EVIL)
    for thing in (EVIL, RichText(EVIL), Text(EVIL), table, Text.assemble((EVIL, "red"), EVIL)):
        Console().print(thing)
    said = capsys.readouterr().out
    assert "[red]" in said
    check(said)


PRINTS = {"print", "echo", "secho", "confirm", "prompt"}


def prints(tree: ast.AST) -> set[str]:
    """The ways to a terminal that a file takes."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("rich.console", "rich.text"):
            found |= {alias.name for alias in node.names} & {"Console", "Text"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rich"):
            found |= {alias.name for alias in node.names} & {"print", "print_json", "get_console"}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found |= {node.func.id} & (PRINTS - {"confirm"})
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in ("typer", "click"):
                found |= {node.attr} & PRINTS
            elif node.value.id == "sys" and node.attr == "stderr":
                found.add("stderr")
    return found


def test_nothing_else_of_the_commands_prints() -> None:
    root = Path(stoic.__file__).parent
    paths = [*(root / "cli").rglob("*.py"), *(root / "tune").rglob("*.py")]
    assert len(paths) > 20
    for path in paths:
        if path != root / "cli" / "__init__.py":  # there: rich is missing
            assert prints(ast.parse(path.read_text(encoding="utf-8"))) == set(), path
    assert prints(ast.parse((root / "terminal.py").read_text(encoding="utf-8"))) >= {"Console"}
    assert prints(ast.parse("from rich.text import Text\nprint(1)")) == {"Text", "print"}
