"""A process that works on a study, for others to start, to kill and to starve.

    python client.py WORK STORE [WORDS …]

What is acknowledged is printed in a line, at once, into a pipe that outlives a kill.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable

import stoic

SPACE = {"x": (0.0, 1.0), "rate": (1e-4, 1.0, "log"), "gc": ["g1", "zgc", "none"]}


def value_of(number: int) -> float:
    """The value of a trial, a function of its number; every seventh fails (see `fails`)."""
    return math.sin(number) * 1e3


def fails(number: int) -> bool:
    """Whether a trial is to fail."""
    return number % 7 == 3


def report(*words: object) -> None:
    """Print a line, and flush it."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def first(store: str) -> None:
    """Ask once, with the study's own method."""
    with stoic.Study(store) as study:
        trial = study.ask()
        report("asked", trial.number, time.monotonic(), time.process_time())
        study.tell(trial, value_of(trial.number))
        report("told", trial.number)
        time.sleep(60)  # until killed


def crowd(store: str, trials: str) -> None:
    """Ask and tell ``trials`` times after a start signal."""
    with stoic.Study(store, space=SPACE, direction="maximize", method="random") as study:
        report("ready")
        sys.stdin.readline()
        for _ in range(int(trials)):
            trial = study.ask()
            study.tell(trial, value_of(trial.number))
            report("told", trial.number)
        report("done", time.monotonic())


def retries(store: str, trials: str) -> None:
    """Every tell three times, as a client that lost the answers."""
    with stoic.Study(store, space=SPACE, direction="maximize", method="random") as study:
        for _ in range(int(trials)):
            trial = study.ask()
            for _ in range(3):
                if fails(trial.number):
                    study.fail(trial, "crash")
                else:
                    study.tell(trial, value_of(trial.number))
            report("told", trial.number)


def fills(store: str, room: str) -> None:
    """Work until the disk is full: no file may grow beyond ``room`` bytes more."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with stoic.Study(store, space=SPACE, direction="maximize", method="random") as study:
        report("ready")
        most = max(os.path.getsize(store + end) for end in ("", "-wal")) + int(room)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        try:
            while True:
                trial = study.ask()
                study.tell(trial, value_of(trial.number))
                report("told", trial.number)
        except stoic.errors.StoreUnavailable as error:
            report("refused", type(error).__name__)


def refused(folder: str) -> None:
    """With permission to read only: make a store in a folder, and work on the one there."""
    import tempfile

    with stoic.Study(
        os.path.join(tempfile.mkdtemp(), "s.db"), space=SPACE, direction="maximize"
    ) as study:
        study.tell(study.ask(), 1.0)  # all is imported: somebody may not read it
    if os.geteuid() == 0:
        os.setuid(65534)
    for name in ("new.db", "study.db"):
        try:
            with stoic.Study(
                os.path.join(folder, name), space=SPACE, direction="maximize", method="random"
            ) as study:
                study.tell(study.ask(), 1.0)
            report("accepted", name)
        except stoic.errors.StoreUnavailable:
            report("refused", name)


WORK: dict[str, Callable[..., None]] = {
    work.__name__: work for work in (first, crowd, retries, fills, refused)
}

if __name__ == "__main__":
    WORK[sys.argv[1]](*sys.argv[2:])
