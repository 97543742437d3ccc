"""Workers killed with SIGKILL at random moments, and how soon the next one asks."""

from __future__ import annotations

import csv
import json
import math
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from stoic.study.definition import StudyArguments
from stoic.study.exchange.transfer import import_file
from study.bars import Figure, Watch, at_most, percentile
from study.client import SPACE

HERE = Path(__file__).parent
_KILLS_PER_STUDY = 25  # kills for each study, which stays small


def storms(stores: list[str], kills: int, watch: Watch, what: str, seed: int) -> list[Figure]:
    """Kill ``kills`` workers in all, in turn on studies of these stores."""
    command = [sys.executable, str(HERE / "storms.py"), "kills", str(kills), str(seed), *stores]
    found: Counter[str] = Counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in watch.steps(f"{what}: killed {kills} at a time", len(stores)):
            found.update(json.loads(process.stdout.readline() or '{"errors": 1}'))
    done = len(stores) * kills
    return [
        Figure(f"{what}: workers killed", f"{done}"),
        Figure(f"{what}: children forked from an open study", f"{found['children']}"),
        at_most(f"{what}: of these hung or locked out", found["hung"], 0),
        Figure(f"{what}: tells acknowledged", f"{found['acknowledged']}"),
        at_most(f"{what}: acknowledged tells lost", found["lost"], 0),
        at_most(f"{what}: wrong outcomes", found["wrong"], 0),
        Figure(f"{what}: trials left open by the killed", f"{found['came']}"),
        at_most(f"{what}: of these stuck after the lease", found["stuck"], 0),
        at_most(f"{what}: errors of workers", found["errors"], 0),
    ]


def rounds(kills: int) -> tuple[int, int]:
    """How many studies, and kills for each."""
    each = min(_KILLS_PER_STUDY, kills)
    return math.ceil(kills / each), each


def large(store: str, folder: Path, trials: int) -> None:
    """A study of so many measurements, with failures and absurd values."""
    chance = random.Random(0)
    path = folder / "large.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*SPACE, "value", "reason"])
        for _ in range(trials):
            x, rate = chance.random(), 10.0 ** (-4.0 * chance.random())
            value = (x - 0.3) ** 2 + 0.01 * math.log10(rate) ** 2 + chance.gauss(0.0, 0.1)
            value += 1e6 if chance.random() < 0.01 else 0.0
            crashed = chance.random() < 0.03
            outcome = ("", "crash") if crashed else (value, "")
            writer.writerow([x, rate, chance.choice(["g1", "zgc", "none"]), *outcome])
    import_file(store, "study", path, arguments=StudyArguments(SPACE, None, "minimize"))


def restarts(store: str, count: int, watch: Watch, what: str, trials: int) -> list[Figure]:
    """Seconds from the start of a process to its first trial; each is killed afterwards."""
    seconds, processor = [], []
    for _ in watch.steps(f"{what}: restarts", count):
        start = time.monotonic()
        command = [sys.executable, str(HERE / "client.py"), "first", store]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            process.stdout.readline()  # after a tell, so the next worker has to compute again
            process.send_signal(signal.SIGKILL)
        if not words or words[0] != "asked":
            raise RuntimeError("a worker did not start")
        seconds.append(float(words[2]) - start)
        processor.append(float(words[3]))
    shown = f"{what}: process start to first ask, {trials} trials"
    return [
        Figure(f"{shown}, p50", f"{percentile(seconds, 0.5):.2f} s"),
        Figure(f"{shown}, of the processor, p50", f"{percentile(processor, 0.5):.2f} s"),
        at_most(f"{shown}, p99 of {count}", percentile(seconds, 0.99), 2.0, " s"),
    ]
