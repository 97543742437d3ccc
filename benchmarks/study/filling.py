"""Disks without room, folders without permission: a typed error, and nothing lost."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import stoic
from study.bars import Figure, Watch, at_most
from study.client import SPACE, value_of

HERE = Path(__file__).parent


def fill(folder: Path, times: int, watch: Watch, seed: int = 0) -> list[Figure]:
    """A file that may not grow."""
    chance = random.Random(seed)
    typed = lost = closed = 0
    for i in watch.steps("disk full", times):
        path = str(folder / f"full{i}.db")
        with stoic.Study(path, space=SPACE, direction="maximize", method="random") as study:
            for _ in range(chance.randrange(60)):
                trial = study.ask()
                study.tell(trial, value_of(trial.number))
        lines = run("fills", path, str(chance.randrange(200_000)))
        typed += ["refused", "StoreUnavailable"] in lines
        lost += missing(path, lines)
        closed += not goes_on(path)
    return [
        at_most(f"disk full {times} times: no typed error", times - typed, 0),
        at_most("disk full: acknowledged tells lost", lost, 0),
        at_most("disk full: does not go on afterwards", closed, 0),
    ]


def full_file_system(folder: Path) -> list[Figure]:
    """The same on a small file system of its own."""
    with mounted(folder / "small") as small:
        if small is None:
            return [Figure("small file system full", "can't be mounted here")]
        path = str(small / "study.db")
        filler = small / "filler"
        with stoic.Study(path, space=SPACE, direction="maximize", method="random") as study:
            for _ in range(20):
                trial = study.ask()
                study.tell(trial, value_of(trial.number))
        system = os.statvfs(small)
        filler.write_bytes(bytes(max(0, system.f_bavail * system.f_bsize - 300_000)))
        lines = run("fills", path, str(2**30))
        typed = ["refused", "StoreUnavailable"] in lines
        filler.unlink()
        lost = missing(path, lines)
        return [
            at_most("small file system full: no typed error", not typed, 0),
            at_most("small file system full: acknowledged tells lost", lost, 0),
            at_most("small file system full: does not go on", not goes_on(path), 0),
        ]


@contextmanager
def mounted(folder: Path) -> Iterator[Path | None]:
    """A file system of 2 MB; None where we may not."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        done = False
    try:
        yield folder if done else None
    finally:
        if done:
            subprocess.run(["umount", "-l", str(folder)], check=False)


def forbid() -> list[Figure]:
    """A folder that may be read and no more."""
    with tempfile.TemporaryDirectory(prefix="stoic-closed-", dir="/tmp") as closed:
        return _forbidden(Path(closed))


def _forbidden(closed: Path) -> list[Figure]:
    path = closed / "study.db"
    with stoic.Study(path, space=SPACE, direction="maximize", method="random") as study:
        for _ in range(20):
            trial = study.ask()
            study.tell(trial, value_of(trial.number))
    for each in closed.iterdir():
        each.chmod(0o444)
    closed.chmod(0o555)
    lines = run("refused", str(closed))
    closed.chmod(0o755)
    for each in closed.iterdir():
        each.chmod(0o644)
    expected = [["refused", "new.db"], ["refused", "study.db"]]
    told = [["told", str(number)] for number in range(20)]
    return [
        at_most("read-only folder: no typed error", sum(e not in lines for e in expected), 0),
        at_most("read-only folder: lost", missing(str(path), told), 0),
        at_most("read-only folder: does not go on", not goes_on(str(path)), 0),
    ]


def run(*words: str) -> list[list[str]]:
    """The lines of a client."""
    command = [sys.executable, str(HERE / "client.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    if done.returncode:
        sys.stderr.write(done.stderr)
    return [line.split() for line in done.stdout.splitlines()]


def missing(path: str, lines: list[list[str]]) -> int:
    """How many of the acknowledged tells are not there."""
    with stoic.Study(path) as study:
        known = {record.number: record.values for record in study.trials}
    numbers = [int(words[1]) for words in lines if words[0] == "told"]
    return sum(known.get(number) != (value_of(number),) for number in numbers)


def goes_on(path: str) -> bool:
    """Whether a study can still be worked on."""
    with stoic.Study(path) as study:
        before = study.finished
        study.tell(study.ask(), 1.0)
        return study.finished == before + 1
