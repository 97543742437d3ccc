"""Many forked workers on one study, killed or begun all at once; a process of its own.

    python storms.py kills  KILLS SEED STORE …    workers killed, KILLS for each store in turn
    python storms.py herds  PROCESSES STORE …     processes that open a fresh store at once

Forked, since a process that imports everything first is hardly ever killed at work. Prints a
line of JSON for each store.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import stoic
import stoic.study
from study.client import SPACE, fails, value_of

LEASE = 0.4  # seconds
_AT_ONCE = 3


def work(store: str, out: int, worker: str | None) -> None:
    """Ask and tell as fast as can be; a line for whatever was acknowledged."""
    with stoic.Study(
        store, space=SPACE, direction="maximize", method="random", lease=LEASE, worker=worker
    ) as study:
        while True:
            trial = study.ask()
            if fails(trial.number):
                study.fail(trial, "crash")
            else:
                study.tell(trial, value_of(trial.number))
            os.write(out, b"%d\n" % trial.number)


def begun(store: str, worker: str | None) -> tuple[int, int]:
    """A worker: its process and the end of its pipe."""
    end, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(end)
        try:
            work(store, out, worker)
        finally:
            os.write(out, b"error\n")
            os._exit(1)
    os.close(out)
    return pid, end


def ended(pid: int, end: int) -> list[str]:
    """Kill a worker; all that it said."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with os.fdopen(end, "rb") as pipe:
        data = pipe.read()
    return data[: data.rfind(b"\n") + 1].decode().split()


def kills(store: str, count: int, chance: random.Random, named: bool) -> dict[str, Any]:
    """Kill so many workers at random moments, then look at what is there."""
    names = [f"elsewhere-{i}" if named else None for i in range(_AT_ONCE)]
    running = [begun(store, name) for name in names]
    if chance.random() < 0.8:  # else some are killed while they make the study
        select.select([end for _, end in running], [], [], 60.0)
    said: list[str] = []
    for _ in range(count):
        time.sleep(chance.uniform(0.0, 0.2))
        which = chance.randrange(_AT_ONCE)
        said += ended(*running[which])
        running[which] = begun(store, names[which])
    for pid, end in running:
        said += ended(pid, end)
    errors = said.count("error")
    told = [int(word) for word in said if word != "error"]
    time.sleep(LEASE + 0.05)
    return {"errors": errors, "acknowledged": len(told), **after(store, told)}


def after(store: str, told: list[int]) -> dict[str, int]:
    """What was lost, and what stays open though its worker is gone."""
    with stoic.Study(
        store, space=SPACE, direction="maximize", method="random", lease=60.0, worker="checker"
    ) as study:
        records = study.trials
        lost = sum(1 for number in set(told) if not right(records[number]))
        wrong = sum(1 for r in records if r.state != "open" and not right(r))
        left = {record.number for record in records if record.state == "open"}
        came = set()
        for _ in range(len(left)):
            trial = study.ask()
            came.add(trial.number)
            study.tell(trial, value_of(trial.number))
    twice = len(told) - len(set(told))  # acknowledged to two workers: fine, with the same value
    return {
        "lost": lost,
        "wrong": wrong,
        "stuck": len(left - came),
        "came": len(left),
        "twice": twice,
    }


def right(record: stoic.study.TrialRecord) -> bool:
    """Whether a trial's outcome is the one that was told."""
    if fails(record.number):
        return record.state == "failed" and record.reason == "crash"
    return record.values == (value_of(record.number),)


def herd(store: str, count: int) -> dict[str, int]:
    """So many processes open a fresh store at one moment and work on it."""
    gate_out, gate = os.pipe()
    processes = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            os.close(gate)
            os.read(gate_out, 1)  # until all are there
            try:
                with stoic.Study(
                    store, space=SPACE, direction="maximize", method="random"
                ) as study:
                    trial = study.ask()
                    study.tell(trial, value_of(trial.number))
                os._exit(0)
            except BaseException as error:
                print(repr(error), file=sys.stderr)
                os._exit(1)
        processes.append(pid)
    os.close(gate_out)
    os.close(gate)
    failed = sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0 for pid in processes)
    with stoic.Study(store) as study:
        whole = study.finished == count and len(study.trials) == count
    return {"failed": failed, "whole": int(whole)}


def warm() -> None:
    """Import all that a study needs, so that those who are forked need not."""
    folder = tempfile.mkdtemp()
    with stoic.Study(f"{folder}/s.db", space=SPACE, direction="maximize", method="random") as study:
        study.tell(study.ask(), 1.0)
    shutil.rmtree(folder)
    with contextlib.suppress(ImportError):
        importlib.import_module("sqlalchemy.dialects.postgresql.psycopg")
        importlib.import_module("psycopg")


def main() -> None:
    warm()
    if sys.argv[1] == "kills":
        count, chance = int(sys.argv[2]), random.Random(int(sys.argv[3]))
        for i, store in enumerate(sys.argv[4:]):
            print(json.dumps(kills(store, count, chance, named=i % 2 == 1)), flush=True)
    else:
        for store in sys.argv[3:]:
            print(json.dumps(herd(store, int(sys.argv[2]))), flush=True)


if __name__ == "__main__":
    main()
