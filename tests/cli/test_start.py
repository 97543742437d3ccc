"""The command from its first import to its last breath: its version, and Ctrl-C at any time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

import stoic
from helpers.programs import environment

SCRIPT = [sys.executable, "-c", "import sys; from stoic.cli import main; sys.exit(main())"]
MODULE = [sys.executable, "-m", "stoic"]

# Sends Ctrl-C to its own process when a module is about to be imported, or at the very end.
INTERRUPTER = """
import atexit, importlib.abc, os, signal, sys

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["AT"]:
            interrupt()
        return None

if os.environ.get("AT") == "exit":
    atexit.register(interrupt)
elif "AT" in os.environ:
    sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("command", [SCRIPT, MODULE])
def test_the_version(command: list[str]) -> None:
    done = subprocess.run(
        [*command, "--version"], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == f"stoic {stoic.__version__}\n"


def test_help_is_quick_for_it_needs_no_numpy() -> None:
    code = "import sys; from stoic.cli.app import app; print({'numpy', 'scipy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("at", "command"),
    [
        ("typer", SCRIPT),
        ("numpy", SCRIPT),
        ("numpy", MODULE),
        ("stoic.cli.app", MODULE),
        ("stoic.cli.study_views", SCRIPT),  # imported by the command itself
        ("sqlite3", SCRIPT),
        ("exit", SCRIPT),
    ],
)
def test_ctrl_c_ends_without_a_traceback(at: str, command: list[str], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTER, encoding="utf-8")
    done = subprocess.run(
        [*command, "study", "list"],
        cwd=tmp_path,
        env=environment(AT=at, PYTHONPATH=f"{tmp_path}:{Path(stoic.__file__).parents[1]}"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 130, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "KeyboardInterrupt" not in done.stderr
