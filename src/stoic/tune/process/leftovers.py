"""End programs that a killed tuning run left running, before the next run measures anything.

A killed tuner can't end its programs, and a benchmark that still runs disturbs the next
measurement. So every running program has a small file. When a run begins, it reads the files of
tuners that are gone, and ends their programs. A program is ended only if it is certainly the same:
same process number, same start, in a group and session of its own, with our variables in its
environment.
Without ``/proc``, nothing is noted and nothing ended.
"""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

from stoic.files import make_folder, write
from stoic.study.workers import gone, process_start, this_worker

__all__ = ["Leftovers"]


class Leftovers:
    """The files of one study's running programs, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "running"

    def note(self, pid: int) -> None:
        """Note a program that runs."""
        start = process_start(pid)
        if start:
            with suppress(OSError):
                make_folder(self._folder, 0o700)
                text = json.dumps({"tuner": this_worker(), "pid": pid, "start": start})
                write(self._path(pid), text, mode=0o600, durable=False)  # fast, for timing

    def forget(self, pid: int) -> None:
        """Remove the file of a program that has ended."""
        with suppress(OSError):
            self._path(pid).unlink(missing_ok=True)

    def end(self) -> int:
        """End the programs of tuners that are gone; return how many."""
        ended = 0
        for path in self._folder.glob("*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                found = json.loads(path.read_text(encoding="utf-8"))
                if not gone(str(found["tuner"])):
                    continue
                pid = int(found["pid"])
                if found["start"] == process_start(pid) and _ours(pid):
                    os.killpg(os.getpgid(pid), signal.SIGKILL)
                    ended += 1
                path.unlink()
        return ended

    def _path(self, pid: int) -> Path:
        return self._folder / f"{pid}.json"


def _ours(pid: int) -> bool:
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    named = {variable.partition(b"=")[0] for variable in environment}
    own_session = os.getpgid(pid) == os.getsid(pid) != os.getsid(0)  # as `Child` starts them
    return {b"STOIC_TRIAL", b"STOIC_SEED"} <= named and own_session
