"""Many forked workers on one study, killed or begun all at once; a process of its own.

    python storms.py kills  KILLS SEED STORE …    workers killed, KILLS for each store in turn
    python storms.py herds  PROCESSES STORE …     processes that open a fresh store at once

Forked, since a process that imports everything first is hardly ever killed at work. A quarter of
the workers fork a child from their open study while a thread of theirs asks; when such a worker is
killed, its child must go on. Prints a line of JSON for each store.
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
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import stoic
import stoic.study
from study.client import SPACE, fails, value_of

LEASE = 0.4  # seconds
_AT_ONCE = 4
_HANG_SECONDS = 20.0  # without output, after which a child counts as hung


def work(store: str, out: int, worker: str | None) -> None:
    """Ask and tell without pause; print a line for each acknowledged value."""
    with stoic.Study(
        store, space=SPACE, direction="maximize", method="random", lease=LEASE, worker=worker
    ) as study:
        toil(study, out)


def toil(study: stoic.Study, out: int) -> None:
    """Work until killed; print errors."""
    try:
        while True:
            trial = study.ask()
            if fails(trial.number):
                study.fail(trial, "crash")
            else:
                study.tell(trial, value_of(trial.number))
            os.write(out, b"%d\n" % trial.number)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os.write(out, b"error\n")
        os._exit(1)


def work_with_child(store: str, out: int, worker: str | None) -> None:
    """As `work`, in two threads, and in a child that is forked meanwhile."""
    with stoic.Study(
        store, space=SPACE, direction="maximize", method="random", lease=LEASE, worker=worker
    ) as study:
        threading.Thread(target=toil, args=(study, out), daemon=True).start()
        time.sleep(0.02 * random.random())
        if os.fork() == 0:
            os.write(out, b"child %d\n" % os.getpid())
        toil(study, out)


@dataclass
class Worker:
    """A process, perhaps with a child, and the end of the pipe that they write to."""

    pid: int
    end: int
    forks: bool
    output: bytes = b""

    def await_work(self) -> None:
        """Wait for its first line, or for its child where it forks one."""
        while (self.child is None if self.forks else not self.output) and self.more(_HANG_SECONDS):
            pass

    def more(self, seconds: float) -> bool:
        """Whether output comes within so many seconds; False at the end of the pipe."""
        ready = select.select([self.end], [], [], seconds)[0]
        data = os.read(self.end, 1 << 20) if ready else b""
        self.output += data
        return bool(data)

    @property
    def child(self) -> int | None:
        """The child's process, once it is printed."""
        words = self.output[: self.output.rfind(b"\n") + 1].split()
        return int(words[words.index(b"child") + 1]) if b"child" in words else None


def begun(store: str, worker: str | None, forks: bool) -> Worker:
    """Start a worker."""
    end, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(end)
        try:
            (work_with_child if forks else work)(store, out, worker)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os.write(out, b"error\n")
        finally:
            os._exit(1)
    os.close(out)
    return Worker(pid, end, forks)


def ended(worker: Worker) -> list[str]:
    """Kill a worker, then its child, which must have continued alone; return all their output."""
    os.kill(worker.pid, signal.SIGKILL)
    os.waitpid(worker.pid, 0)
    hung = False
    while worker.child is None and worker.more(_HANG_SECONDS):
        pass  # until the child's first output, or the end where there is none
    if worker.child is not None:
        while worker.more(0.0):
            pass  # output from before the kill may have been in the pipe
        hung = not all(worker.more(_HANG_SECONDS) for _ in range(3))
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.child, signal.SIGKILL)
    with os.fdopen(worker.end, "rb") as pipe:
        worker.output += pipe.read()
    output = worker.output[: worker.output.rfind(b"\n") + 1].decode().split()
    return output + ["hung"] * hung


def kills(store: str, count: int, chance: random.Random, named: bool) -> dict[str, Any]:
    """Kill so many workers at random moments, then check the store."""
    names = [f"elsewhere-{i}" if named else None for i in range(_AT_ONCE)]
    running = [begun(store, name, forks=i == 0) for i, name in enumerate(names)]
    if chance.random() < 0.8:  # else some are killed while they make the study
        select.select([worker.end for worker in running], [], [], 60.0)
    output: list[str] = []
    for _ in range(count):
        which = chance.randrange(_AT_ONCE)
        if chance.random() < 0.8:  # else it may be killed before it asks
            running[which].await_work()
        time.sleep(chance.uniform(0.0, 0.2))
        output += ended(running[which])
        running[which] = begun(store, names[which], forks=which == 0)
    for worker in running:
        output += ended(worker)
    counts = {"errors": output.count("error"), "hung": output.count("hung")}
    told, children = outcomes(output)
    time.sleep(LEASE + 0.05)
    return {**counts, "children": children, "acknowledged": len(told), **after(store, told)}


def outcomes(output: list[str]) -> tuple[list[int], int]:
    """Numbers that were acknowledged, and how many children there were."""
    children = [i for i, word in enumerate(output) if word == "child"]
    numbers = set(range(len(output))) - {i + 1 for i in children}
    return [int(output[i]) for i in sorted(numbers) if output[i].isdecimal()], len(children)


def after(store: str, told: list[int]) -> dict[str, int]:
    """Counts of lost values, and of trials that stay open although their worker is gone."""
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
    """Whether a trial's outcome is the one that was reported."""
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
