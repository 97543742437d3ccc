"""Many processes on one file: throughput beside Optuna's, fresh files, retries."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import stoic
from study.bars import Figure, Watch, at_least, at_most
from study.client import fails, value_of

HERE = Path(__file__).parent


def crowd(store: str, processes: int, trials: int, watch: Watch) -> tuple[list[Figure], float]:
    """Figures, and trials a second of all processes together."""
    what = f"{processes} processes × {trials} trials"
    lines, seconds, errors = together(
        [sys.executable, str(HERE / "client.py"), "crowd", store, str(trials)],
        processes, watch, what,
    )  # fmt: skip
    told = [int(words[1]) for words in lines if words[0] == "told"]
    with stoic.Study(store) as study:
        known = {record.number: record.values for record in study.trials}
    lost = sum(known.get(number) != (value_of(number),) for number in told)
    rate = len(told) / seconds
    return [
        at_most(f"{what}: errors", errors, 0),
        at_most(f"{what}: lost", processes * trials - len(known) + lost, 0),
        at_most(f"{what}: numbers given twice", len(told) - len(set(told)), 0),
        Figure(f"{what}: trials/s", f"{rate:.0f}"),
    ], rate


def beside_optuna(
    folder: Path, python: Path, rate: float, processes: int, trials: int, watch: Watch
) -> list[Figure]:
    """Optuna on the same disk in the same run, with as many processes."""
    what = f"Optuna, {processes} × {trials}"
    path = str(folder / "optuna.db")
    script = str(HERE / "peer.py")
    version = subprocess.run(
        [str(python), script, "make", path], capture_output=True, text=True, check=True
    ).stdout.strip()
    lines, seconds, errors = together(
        [str(python), script, "crowd", path, str(trials)], processes, watch, what
    )
    theirs = sum(words[0] == "told" for words in lines) / seconds
    return [
        Figure(f"Optuna {version}: trials/s", f"{theirs:.0f}"),
        Figure(f"Optuna {version}: processes that failed", f"{errors}"),
        at_least("throughput beside Optuna's", rate / theirs, 10.0, " ×"),
    ]


def together(
    command: list[str], count: int, watch: Watch, what: str
) -> tuple[list[list[str]], float, int]:
    """Start so many processes, let them begin at one moment; their lines, seconds, failures."""
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    for process in started:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{command} did not start")
    begin = time.monotonic()
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    lines: list[list[str]] = []
    failed, last = 0, begin
    for i in watch.steps(what, count):
        out, _ = started[i].communicate()
        said = [line.split() for line in out.splitlines()]
        lines += said
        failed += started[i].returncode != 0
        last = max([last, *(float(words[1]) for words in said if words[0] == "done")])
    return lines, last - begin, failed


def herds(folder: Path, times: int, processes: int, watch: Watch) -> list[Figure]:
    """A fresh file that so many processes open at one moment, again and again."""
    stores = [str(folder / f"herd{i}.db") for i in range(times)]
    command = [sys.executable, str(HERE / "storms.py"), "herds", str(processes), *stores]
    found: Counter[str] = Counter()
    what = f"{processes} processes open a fresh file, {times} times"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in watch.steps(what, times):
            found.update(json.loads(process.stdout.readline() or '{"failed": 1}'))
    return [
        at_most(f"{what}: failures", found["failed"], 0),
        at_most(f"{what}: files not whole", times - found["whole"], 0),
    ]


def retries(store: str, clients: int, trials: int, watch: Watch) -> list[Figure]:
    """Every tell three times by every client."""
    what = f"{clients} clients × {trials} tells, each retried twice"
    command = [sys.executable, str(HERE / "client.py"), "retries", store, str(trials)]
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(clients)]
    errors = sum(started[i].wait() != 0 for i in watch.steps(what, clients))
    with stoic.Study(store) as study:
        records = study.trials
        double = sum(len(r.values) != (not fails(r.number)) for r in records)
        entries = len(study.result().trials)
    return [
        at_most(f"{what}: errors", errors, 0),
        at_most(f"{what}: counted twice", double + entries - clients * trials, 0),
    ]
