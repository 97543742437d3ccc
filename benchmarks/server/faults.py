"""Kill a server again and again under load, and check what it acknowledged against its store.

    python benchmarks/server/faults.py [--kills 200] [--every 5 20] [--clients 8]
                                       [--stores sqlite,postgresql] [--servers 1] [--minutes M]

Clients ask, tell, report failures, give trials back, abandon them, measure again, add and enqueue,
by `stoic.connect`, which repeats what gets no reply. Meanwhile ``stoic serve`` is killed with
SIGKILL at random moments and started again; with several servers of one store, one of them. At
the end the store must hold exactly what was acknowledged: nothing lost, duplicated, invented, or
leased to two clients at once; and no client may have seen an error. Prints one table; the exit
code is 0 if all bars are met.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

import stoic
from helpers.servers import BINARIES, server
from helpers.service import Service
from server.checking import faults
from server.working import SPACE, Clients, History, Retries
from stoic.study.repair.doctor import examine
from study.bars import Figure, Watch, at_most, folder, watching

__all__ = ["Plan", "figures"]

_ORPHAN_SECONDS = 20.0  # within which what a killed server had started must end
_MIN_REPLIES, _WORKING_SECONDS = 5, 60.0  # after each start, before the time to a kill counts
_MAX_SHOWN = 5  # faults of a kind that are printed


@dataclass(frozen=True)
class Plan:
    """How often to kill a server, at which intervals in seconds, with how many clients."""

    kills: int = 200
    every: tuple[float, float] = (5.0, 20.0)
    clients: int = 8
    servers: int = 1
    seed: int = 1
    minutes: float = math.inf  # after which no server is killed any more


@dataclass
class Storm:
    """What happened while servers were killed."""

    starts: list[float] = field(default_factory=list)  # seconds until a server served again
    orphans: int = 0  # processes that outlived their server
    repeated: int = 0  # requests
    seconds: float = 0.0
    history: History = field(default_factory=History)


def figures(store: str, plan: Plan, watch: Watch) -> list[Figure]:
    """Kill servers of a new store, and check what they acknowledged."""
    what = "PostgreSQL" if "://" in store else "SQLite"
    what += f", {plan.servers} servers" if plan.servers > 1 else ""
    stoic.Study(
        store, "faults", space=SPACE, direction="minimize", method="random", max_lost_leases=None
    ).close()
    storm = _storm(store, plan, watch, what)
    with stoic.Study(store, "faults") as study:
        trials = study.trials
    found = faults(storm.history, trials)
    for kind, each in (*found.items(), ("error", storm.history.errors)):
        for words in each[:_MAX_SHOWN]:
            print(f"{what}: {kind}: {words}", flush=True)
    rows = [
        ("server killed", f"{len(storm.starts)} times in {storm.seconds:.0f} s"),
        ("until it served again, median", f"{median(storm.starts or [0.0]):.1f} s"),
        ("clients", f"{plan.clients}"),
        ("acknowledged", f"{storm.history.acknowledged}"),
        ("requests that were repeated", f"{storm.repeated}"),
        ("trials in the store", f"{len(trials)}"),
    ]
    return [
        *(Figure(f"{what}: {name}", figure) for name, figure in rows),
        *(at_most(f"{what}: {kind}", len(each), 0) for kind, each in found.items()),
        at_most(f"{what}: errors that clients saw", len(storm.history.errors), 0),
        at_most(f"{what}: processes that outlived their server", storm.orphans, 0),
        at_most(f"{what}: damage that the doctor finds", not examine(store).healthy, 0),
    ]


def _storm(store: str, plan: Plan, watch: Watch, what: str) -> Storm:
    """Let clients work, and kill a server now and then."""
    services, draws = [Service(store) for _ in range(plan.servers)], random.Random(plan.seed)
    for service in services:
        service.start()
    storm, began = Storm(), time.monotonic()
    urls = [service.url for service in services]
    try:
        with _retries() as retries, Clients(urls, plan.clients, plan.seed) as working:
            storm.history = working.history
            for _ in watch.steps(f"{what}: kills", plan.kills):
                if time.monotonic() - began < 60.0 * plan.minutes:
                    _await_replies(storm.history)
                    time.sleep(draws.uniform(*plan.every))
                    _kill(draws.choice(services), storm)
            _await_replies(storm.history)
    finally:
        for service in services:
            service.stop()
    storm.repeated, storm.seconds = retries.count, time.monotonic() - began
    return storm


def _kill(service: Service, storm: Storm) -> None:
    """Kill a server, and start it again."""
    children = _children(service)
    service.kill()
    killed = time.monotonic()
    service.start()
    storm.starts.append(time.monotonic() - killed)
    storm.orphans += _left(children)


def _await_replies(history: History) -> None:
    """Wait until clients work again."""
    before, deadline = history.acknowledged, time.monotonic() + _WORKING_SECONDS
    while history.acknowledged < before + _MIN_REPLIES and time.monotonic() < deadline:
        time.sleep(0.02)


@contextmanager
def _retries() -> Iterator[Retries]:
    counting, log = Retries(), logging.getLogger("stoic.remote")
    level, passed_on = log.level, log.propagate
    log.addHandler(counting)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    try:
        yield counting
    finally:
        log.removeHandler(counting)
        log.setLevel(level)
        log.propagate = passed_on


def _children(service: Service) -> list[int]:
    """The processes that a server started."""
    pid = service.pid
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for each in listed for word in each.read_text().split()]


def _left(children: list[int]) -> int:
    """How many of them do not end by themselves."""
    deadline = time.monotonic() + _ORPHAN_SECONDS
    while (alive := [pid for pid in children if _runs(pid)]) and time.monotonic() < deadline:
        time.sleep(0.1)
    return len(alive)


def _runs(pid: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] not in "ZX"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="of each kind of store")
    parser.add_argument("--every", type=float, nargs=2, default=(5.0, 20.0), help="seconds")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--stores", default="sqlite,postgresql")
    parser.add_argument("--servers", type=int, default=1, help="of one store")
    parser.add_argument("--minutes", type=float, default=math.inf, help="at most, for each store")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    given = options()
    every = (min(given.every), max(given.every))
    plan = Plan(given.kills, every, given.clients, given.servers, given.seed, given.minutes)
    found: list[Figure] = []
    with watching() as watch, folder() as where:
        if "sqlite" in given.stores:
            found += figures(str(where / "faults.db"), plan, watch)
        if "postgresql" in given.stores and not (BINARIES / "initdb").exists():
            found.append(Figure("PostgreSQL", "no server is installed"))
        elif "postgresql" in given.stores:
            with server(sync=True) as made:
                found += figures(made.fresh(), plan, watch)
    table = Table(box=None, pad_edge=False)
    for heading in ("what", "figure", "bar", "met"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    words = {True: "yes", False: "NO", None: ""}
    for each in found:
        table.add_row(each.what, each.figure, each.bar, words[each.met])
    Console(width=100).print(table)
    raise SystemExit(any(each.met is False for each in found))


if __name__ == "__main__":
    main()
