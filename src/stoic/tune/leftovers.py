"""Programs that still run after their tuner was killed: noted in files, ended by the next run.

A killed tuner can't end what it started, and a benchmark that still runs spoils the next
measurement. So there is a small file for each program that runs. When a run begins, it reads the
files whose tuner is gone, and ends those programs, if they are surely the same: the same process
number, started at the same moment, leader of its group, with our variables in its environment.
Where there is no ``/proc``, nothing is noted and nothing ended.
"""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

from stoic.files import make_folder, write
from stoic.study.workers import gone, this_worker

__all__ = ["Leftovers"]


class Leftovers:
    """The notes of one study, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "running"

    def note(self, pid: int) -> None:
        """A program runs."""
        start = _start(pid)
        if start:
            with suppress(OSError):
                make_folder(self._folder, 0o700)
                text = json.dumps({"tuner": this_worker(), "pid": pid, "start": start})
                write(self._path(pid), text, mode=0o600, durable=False)  # it is measuring time

    def forget(self, pid: int) -> None:
        """It has ended."""
        with suppress(OSError):
            self._path(pid).unlink(missing_ok=True)

    def end(self) -> int:
        """End what dead tuners left running; how many there were."""
        ended = 0
        for path in self._folder.glob("*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                found = json.loads(path.read_text(encoding="utf-8"))
                if not gone(str(found["tuner"])):
                    continue
                pid = int(found["pid"])
                if found["start"] == _start(pid) and _ours(pid):
                    os.killpg(pid, signal.SIGKILL)
                    ended += 1
                path.unlink()
        return ended

    def _path(self, pid: int) -> Path:
        return self._folder / f"{pid}.json"


def _ours(pid: int) -> bool:
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    named = {variable.partition(b"=")[0] for variable in environment}
    return {b"STOIC_TRIAL", b"STOIC_SEED"} <= named and os.getpgid(pid) == pid


def _start(pid: int) -> str:
    """When a process began, in ticks since the machine did; empty for none, and for a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
