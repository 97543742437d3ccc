"""Files cut short or with flipped bytes: refused, or provably whole; what the doctor saves."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

import stoic
from stoic.errors import StoicError
from stoic.study.repair.doctor import examine
from stoic.study.repair.recovery import recover
from study.bars import Figure, Watch, at_most

Files = dict[str, bytes]  # by the end of the name

_MAKE = """
import os, sys, stoic
space = {"x": (0.0, 1.0), "n": (1, 9), "gc": ["g1", "zgc"]}
study = stoic.Study(sys.argv[1], space=space, direction="maximize")
for number in range(int(sys.argv[2])):
    params = {"x": (number * 0.618) % 1.0, "n": number % 9 + 1, "gc": "g1" if number % 2 else "zgc"}
    study.enqueue(params)
    trial = study.ask()
    if number % 7 == 3:
        study.fail(trial, "crash")
    elif number % 11 != 5:
        study.tell(trial, number * 1.5)
    if number % 10 == 1 and number % 7 != 3:
        study.tell(trial, number * 1.5 + 1.0, measurement=1)
if sys.argv[3] == "killed":
    os.kill(os.getpid(), 9)
study.close()
"""


def made(folder: Path, trials: int, *, killed: bool) -> Files:
    """The files of a study whose process closed it, or was killed."""
    path = folder / f"made-{killed}.db"
    how = "killed" if killed else "closed"
    command = [sys.executable, "-c", _MAKE, str(path), str(trials), how]
    if subprocess.run(command, check=False).returncode != (-9 if killed else 0):
        raise RuntimeError("the study could not be made")
    ends = ["", "-wal", "-shm"] if killed else [""]
    return {end: Path(f"{path}{end}").read_bytes() for end in ends}


def spoiled(files: Files, chance: random.Random) -> tuple[Files, str]:
    """The files with one cut, or one to eight flipped bytes, and what was done."""
    end = chance.choice([name for name in files if name != "-shm"])
    data = bytearray(files[end])
    if chance.random() < 0.5:
        how = "cut"
        del data[chance.randrange(1, len(data)) :]
    else:
        how = "flips"
        for _ in range(chance.choice([1, 1, 1, 8])):
            data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    return {**files, end: bytes(data)}, f"{how}{end}"


def put(files: Files, path: Path) -> Path:
    """Write the files, and nothing else, beside ``path``."""
    for end in ("", "-wal", "-shm", "-lock"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    for end, data in files.items():
        Path(f"{path}{end}").write_bytes(data)
    return path


def content(path: Path) -> tuple[Any, ...]:
    """Everything that a study reports."""
    with stoic.Study(path) as study:
        about = (study.uid, study.name, repr(study.space), study.direction, study.seed)
        return (*about, study.method, study.objective, study.finished, study.trials)


class Outcomes:
    """What became of spoiled files."""

    def __init__(self, files: Files, folder: Path) -> None:
        self.files, self.folder = files, folder
        self.whole = content(put(files, folder / "whole.db"))
        self.counts: Counter[str] = Counter()
        self.shares: dict[str, list[float]] = {}

    def look(self, files: Files, how: str) -> None:
        """Open, examine, recover."""
        path = self.folder / "spoiled.db"
        try:
            same = content(put(files, path)) == self.whole
            result = "whole" if same else "TAKEN FOR WHOLE"
        except StoicError:
            result = "refused"
        except Exception as error:
            result = f"UNTYPED {type(error).__name__}"
        self.counts[result.split()[0]] += 1
        before = {name: os.path.getsize(f"{put(files, path)}{name}") for name in files}
        healthy = examine(path).healthy
        self.counts["missed"] += result == "refused" and healthy
        self.counts["false alarm"] += result == "whole" and not healthy
        self._recover(path, how, result == "whole")
        after = {name: os.path.getsize(f"{path}{name}") for name in files}
        self.counts["touched"] += before != after or any(
            Path(f"{path}{name}").read_bytes() != data for name, data in files.items()
        )

    def _recover(self, path: Path, how: str, whole: bool) -> None:
        new = put({}, self.folder / "new.db")
        kept = recover(path, new)
        share = kept[0].share if kept else 0.0
        self.counts["whole but not recovered"] += whole and share < 1.0
        if not whole:
            self.shares.setdefault(how.partition("-")[0], []).append(share)
        if kept and not kept[0].why:
            with stoic.Study(new) as study:
                known = {record.number: record for record in self.whole[-1]}
                for record in study.trials:
                    if record.state != "open":
                        true = known[record.number]
                        same = record.params == true.params
                        same = same and set(record.values) <= set(true.values)
                        self.counts["invented"] += not same


def spoil(folder: Path, times: int, trials: int, watch: Watch, seed: int = 0) -> list[Figure]:
    """Half of the files closed well, half with the log of a killed process."""
    chance = random.Random(seed)
    both = [Outcomes(made(folder, trials, killed=k), folder) for k in (False, True)]
    for i in watch.steps("spoiled files", times):
        outcomes = both[i % 2]
        outcomes.look(*spoiled(outcomes.files, chance))
    counts = both[0].counts + both[1].counts
    figures = [
        Figure(f"{times} spoiled files: refused with a typed error", f"{counts['refused']}"),
        Figure(f"{times} spoiled files: provably whole", f"{counts['whole']}"),
        at_most("spoiled files: damaged, taken for whole", counts["TAKEN"], 0),
        at_most("spoiled files: other errors", counts["UNTYPED"], 0),
        at_most("spoiled files: missed by the doctor", counts["missed"], 0),
        at_most("spoiled files: changed by the doctor", counts["touched"], 0),
        at_most("spoiled files: outcomes invented by recovery", counts["invented"], 0),
        at_most("whole files: not wholly recovered", counts["whole but not recovered"], 0),
    ]
    for how in ("flips", "cut"):
        shares = both[0].shares.get(how, []) + both[1].shares.get(how, [])
        if shares:
            words = f"{100 * mean(shares):.1f} %, least {100 * min(shares):.0f} %"
            figures.append(Figure(f"recovered of refused files, {how}: mean share", words))
    return figures
