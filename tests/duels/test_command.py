"""``stoic duel`` as a user meets it: exit codes, hostile programs, Ctrl-C, and its page."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("typer")

from helpers.programs import STOIC, alive, environment, program, stoic

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable


def said(folder: Path, *words: object, code: int) -> str:
    done = stoic(folder, "duel", *words, code=code)
    return " ".join((done.stdout + " " + done.stderr).split())


def test_exit_codes(tmp_path: Path) -> None:
    basic = ("--minimize", "--plain")
    assert "is better than" in said(tmp_path, "echo 7", "echo 5", *basic, code=0)
    assert "equals echo 7 within 2 %" in said(tmp_path, "echo 7", "echo 7", *basic, code=0)
    assert "is worse than" in said(tmp_path, "echo 7", "echo 9", *basic, code=1)
    assert "is better than" in said(tmp_path, "echo 7", "echo 9", "--maximize", code=0)
    words = ("echo 7", "echo 9", *basic, "--budget", 3)
    text = said(tmp_path, *words, code=3)
    assert "is undecided" in text
    assert "raise --budget" in text


def test_results_in_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = ("echo 7", "echo 5", "--minimize", "--name", "old", "--name", "new")
    stoic(tmp_path, "duel", *words, "--json-out", "a.json", "--figure", "a.svg")
    found = json.loads((tmp_path / "a.json").read_text())
    assert (found["baseline"], found["best"], found["exit_code"]) == ("old", "new", 0)
    assert found["comparisons"]["new"]["change"] == pytest.approx(-2 / 7)
    assert "<svg" in (tmp_path / "a.svg").read_text()
    done = stoic(tmp_path, "duel", *words, "--json-out", "-")
    assert json.loads(done.stdout)["best"] == "new"
    assert "new is better than old" in done.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("echo 7", "--minimize"), "two or more commands"),
        (("echo 7", "/no/such/thing", "--minimize"), "which is not there"),
        (("echo 7", "echo 'a", "--minimize"), "No closing quotation"),
        (("echo 7", "", "--minimize"), "an empty one"),
        (("echo 7", "echo 7 > x", "--minimize"), "write \"sh -c 'echo 7 > x'\""),
        (("echo 7", "echo 5"), "--minimize, --maximize or --measure"),
        (("echo 7", "echo 5", "--measure", "energy"), "'wall', 'cpu', 'rss'"),
        (("echo 7", "echo 5", "--measure", "wall", "--json", "a"), "--json or --measure"),
        (("echo 7", "echo 5", "--minimize", "--margin", "lots"), "a margin such as 2%"),
        (("echo 7", "echo 5", "--minimize", "--name", "a"), "--name for each"),
        (("echo 7", "echo 5", "--minimize", "--figure", "a.gif"), ".png, .svg or .pdf"),
        (("echo 7", "echo 5", "--minimize", "--json-out", "no/a.json"), "may be written"),
        (("echo 7", "echo 5", "--minimize", "--confidence", "0.2"), "at least 0.5"),
        (("echo 7", "true", "--minimize"), "nothing was printed; print the value, or measure"),
        (("echo 7ms", "echo 5s", "--minimize"), "in s; print all values in one unit"),
    ],
)
def test_refusals(tmp_path: Path, words: tuple[str, ...], reason: str) -> None:
    assert reason in said(tmp_path, "--plain", *words, code=2)
    assert not list(tmp_path.iterdir())


def test_a_contender_that_always_fails_is_shown_with_its_errors(tmp_path: Path) -> None:
    bad = "import sys; print('one', file=sys.stderr); sys.exit('\\x1b[31mno \\x07room')"
    broken = " ".join(program(tmp_path, bad, "broken.py"))
    text = said(tmp_path, "echo 7", broken, "--minimize", "--name=a", "--name=b", code=2)
    assert "expected a value of b, got none in its first 3 runs: exit code 1" in text
    assert " one " in text
    assert "\x1b" not in text
    assert "\x07" not in text


HOSTILE = """
import sys
sys.stdout.write("\\x1b[2J\\x1b]0;title\\x07" + "x" * 30_000_000 + "\\n")
sys.stderr.write("\\x1b[31m" + "y" * 5_000_000)
print("7")
"""


def test_huge_output_and_escapes(tmp_path: Path) -> None:
    command = " ".join(program(tmp_path, HOSTILE))
    text = said(tmp_path, command, "echo 5", "--minimize", "--budget", 9, code=0)
    assert "is better than" in text
    assert "\x1b" not in text
    text = said(tmp_path, "echo \x1b[31m7", "echo \x1b[31m5", "--minimize", code=0)
    assert "\\x1b" in text
    assert "\x1b" not in text


def test_zero_negative_and_nan(tmp_path: Path) -> None:
    text = said(tmp_path, "echo -5", "echo -7", "--minimize", "--margin", "0.5", code=0)
    assert "value 2 lower" in text
    text = said(tmp_path, "echo 0", "echo 0", "--minimize", "--budget", 9, code=3)
    assert "no change" in text, "2 % of 0 is no margin"
    assert "equals" in said(tmp_path, "echo 0", "echo 0", "--minimize", "--margin=1", code=0)
    text = said(tmp_path, "echo 5", "echo nan", "--minimize", code=2)
    assert "the value is nan, not a finite number" in text
    crashes = "import os, sys\nsys.exit(1) if int(os.environ['STOIC_TRIAL']) > 2 else print(1)"
    text = said(tmp_path, "echo 5", " ".join(program(tmp_path, crashes)), "--minimize",
                "--budget", 40, code=1)  # fmt: skip
    assert re.search(r"\d+ × failed, counted as lost: exit code 1", text)


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    words = ("echo --password hush1234 7", "echo --token=hush1234 5")
    text = said(tmp_path, *words, "--minimize", "--json-out", "-", code=0)
    assert "hush1234" not in text
    assert "***" in text


SLEEPER = """
import os, sys, time
open(sys.argv[1], "w").write(str(os.getpid()))
time.sleep(60)
"""


@pytest.mark.parametrize("measure", ["wall", "rss"])
def test_ctrl_c_reports_and_leaves_nothing_running(tmp_path: Path, measure: str) -> None:
    note = tmp_path / "pid"
    command = " ".join([*program(tmp_path, SLEEPER), str(note)])
    process = subprocess.Popen(
        [*STOIC, "duel", command, command, "--measure", measure],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (note.exists() and note.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 130, text
    assert "stopped early" in text
    assert "no block was finished" in text
    assert "Traceback" not in text
    assert not alive(int(note.read_text()))


def test_ctrl_c_between_short_runs(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*STOIC, "duel", "echo 7", "echo 7", "--minimize", "--margin=0", "--budget=1000000"],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    assert process.stdout is not None
    for _ in range(12):
        assert "undecided" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 130, text
    assert "stopped early" in text
    assert "no change (95 % interval: no change)" in text


def test_the_live_view(tmp_path: Path) -> None:
    main, other = pty.openpty()
    words = ["echo 7", "sh -c 'sleep 0.05; echo 5'", "--minimize", "--name=old", "--name=new"]
    with subprocess.Popen(
        [*STOIC, "duel", *words], cwd=tmp_path, env=environment(TERM="xterm"),
        stdin=other, stdout=other, stderr=other,
    ) as process:  # fmt: skip
        os.close(other)
        seen = b""
        while True:
            try:
                chunk = os.read(main, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
    os.close(main)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    assert "minimize value, margin 2 %" in text
    assert "/100 blocks" in text
    assert "new is better than old: value 28.6 % lower" in text


# -- the page -------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "duel.md").read_text(encoding="utf-8")


@pytest.fixture
def builds(tmp_path: Path) -> Path:
    """A folder with ./old, which does more work than ./new, and the command stoic."""
    for name, times in (("old", 3_000_000), ("new", 100_000)):
        path = tmp_path / name
        path.write_text(f"#!{PYTHON} -S\nsum(range({times}))\n")
        path.chmod(0o755)
    path = tmp_path / "stoic"
    path.write_text(f'#!/bin/sh\nexec {PYTHON} -c "from stoic.cli import main; main()" "$@"\n')
    path.chmod(0o755)
    return tmp_path


def test_the_commands_of_the_page_run(builds: Path) -> None:
    pytest.importorskip("matplotlib")
    blocks = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.S)
    assert len(blocks) == 2
    path = f"{builds}{os.pathsep}{os.environ['PATH']}"
    for block in blocks:
        done = subprocess.run(
            ["sh", "-c", block], cwd=builds, env=environment(PATH=path), capture_output=True,
            text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert "./new input.txt is better than ./old input.txt" in done.stdout
    assert done.stdout.endswith("not slower\n")
    assert (builds / "duel.svg").is_file()
    assert json.loads((builds / "duel.json").read_text())["exit_code"] == 0


def test_the_python_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
    namespace: dict[str, object] = {}
    exec(compile(block, "duel.md", "exec"), namespace)
    assert getattr(namespace["result"], "decisions") == {"new": "better"}  # noqa: B009
    assert (tmp_path / "duel.png").is_file()
