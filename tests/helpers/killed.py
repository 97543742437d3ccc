"""Processes that are killed at a chosen moment of a transaction."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from multiprocessing.context import ForkServerProcess
from typing import Any

import stoic
from stoic.study.store.connection import Connection

__all__ = [
    "ask_until_killed",
    "asked_by",
    "die_at_commit",
    "group_until_killed",
    "groups",
    "process",
]


def die_at_commit(after: bool, armed_by: str = "INSERT INTO stoic_trials") -> None:
    """Kill this process before or after the commit of the next transaction that writes trials."""
    execute, armed = Connection.execute, False

    def watched(self: Connection, sql: str, values: Sequence[Any] = ()) -> Any:
        nonlocal armed
        armed = armed or sql.startswith(armed_by)
        ends = armed and sql == "COMMIT"
        if ends and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = execute(self, sql, values)
        if ends:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    Connection.execute = watched  # type: ignore[method-assign]


def ask_until_killed(store: str, key: str, after: bool) -> None:
    """Ask with a key, and be killed before or after the commit; no reply is ever seen."""
    with stoic.Study(store) as study:
        die_at_commit(after)
        study.ask(key=key)
    raise AssertionError("expected to be killed")


def group_until_killed(store: str, after: bool) -> None:
    """Tell what is open and ask anew in one group, and be killed before or after its commit."""
    with stoic.Study(store) as study:
        open_ = [trial for trial in study.trials if trial.state == "open"]
        die_at_commit(after)
        with study.group():
            for trial in open_:
                study.tell(trial.number, trial.params["x"])
            for i in range(5):
                study.ask(key=f"group {i}")
    raise AssertionError("expected to be killed")


def groups(store: str, out: str) -> None:
    """Ask and tell in groups for ever; write what was acknowledged to ``out`` after each."""
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with stoic.Study(store) as study:
        while True:
            lines = []
            with study.group():
                for _ in range(8):
                    trial = study.ask()
                    study.tell(trial, trial.params["x"])
                    lines.append(f"{trial.number} {trial.params['x']!r}\n")
            os.write(file, "".join(lines).encode())


def asked_by(store: str, keys: list[str], times: int, answers: Any) -> None:
    """Ask with each key so many times; put the numbers into the queue ``answers``."""
    with stoic.Study(store) as study:
        answers.put([[study.ask(key=key).number for key in keys] for _ in range(times)])


def process(target: Callable[..., None], *arguments: Any) -> ForkServerProcess:
    """Start a process that has all imports behind it."""
    context = multiprocessing.get_context("forkserver")
    lazily = ["numpy.random", "numpy.ma"]  # which the first ask would import
    context.set_forkserver_preload(["stoic.study", "psycopg", *lazily, "helpers.killed"])
    made = context.Process(target=target, args=arguments)
    made.start()
    return made
