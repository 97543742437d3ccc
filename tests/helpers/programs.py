"""Small programs to tune, and a way to run ``stoic`` as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

STOIC = [sys.executable, "-c", "from stoic.cli import main; main()"]
PARABOLA = """\
import sys
x = float(sys.argv[1])
print("warm-up took 3 s")
print(f"loss {(x - 0.3) ** 2:.6f}ms")
"""


def program(folder: Path, text: str, name: str = "bench.py") -> list[str]:
    """A Python program in a folder, and the command that runs it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return [sys.executable, str(path)]


def environment(**extra: str) -> dict[str, str]:
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "80", **extra}


def stoic(
    folder: Path, *words: object, code: int | None = 0, **extra: str
) -> subprocess.CompletedProcess[str]:
    """Run ``stoic`` in a folder, and look at its exit code."""
    done = subprocess.run(
        [*STOIC, *map(str, words)],
        cwd=folder,
        env=environment(**extra),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def tune(
    folder: Path, command: Sequence[str], *words: object, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run ``stoic tune`` on a command."""
    return stoic(folder, "tune", *words, "--", *command, code=code)


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
