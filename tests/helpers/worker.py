"""A worker in a process of its own, that may be killed."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import stoic

__all__ = ["acknowledged", "start", "work"]


def work(store: str, trials: int, lease: float, out: str) -> None:
    """Ask and tell so many times; every tell twice, as by a client that retries.

    Every tell that was acknowledged is written to ``out`` at once.
    """
    space = {"x": (0.0, 1.0), "n": (1, 64)}
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with stoic.Study(
        store, space=space, direction="maximize", method="random", lease=lease
    ) as study:
        os.write(file, b"ready\n")
        for _ in range(trials):
            trial = study.ask()
            study.tell(trial, trial.params["x"])
            os.write(file, f"{trial.number} {trial.params['x']!r}\n".encode())
            study.tell(trial, trial.params["x"])


def start(store: str, trials: int, lease: float, out: Path) -> ForkServerProcess:
    """Start a worker; it is a copy of a process that has all imports behind it."""
    context = multiprocessing.get_context("forkserver")
    lazily = ["numpy.random", "numpy.ma"]  # which the first ask would import
    context.set_forkserver_preload(["stoic.study", "psycopg", *lazily, "helpers.worker"])
    process = context.Process(target=work, args=(store, trials, lease, str(out)))
    process.start()
    return process


def acknowledged(out: Path) -> dict[int, float]:
    """What a worker reported, by its own output; its last line may be cut off."""
    lines = out.read_text().splitlines(keepends=True)
    words = [line.split() for line in lines if line.endswith("\n") and line != "ready\n"]
    return {int(number): float(value) for number, value in words}
