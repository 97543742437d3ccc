"""Record what policies, the optimiser and studies do, and compare two records.

``python recorder.py OUT [policies|optimizer|studies …]`` writes a record to the folder ``OUT``;
``python recorder.py --compare OLD NEW [PART …]`` prints what differs and exits with 1 where a
number, an arm or a choice does. Words that differ are listed, and no failure.

It uses the public API alone, so that versions of the package can be compared: run it with the
Python of each.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from helpers import recorded_optimizer, recorded_policies, recorded_studies

PARTS = ("policies", "optimizer", "studies")


def record(out: Path, parts: list[str]) -> None:
    """Write the record of some parts to a folder."""
    out.mkdir(parents=True, exist_ok=True)
    for part in parts:
        began = time.process_time()
        globals()[f"_record_{part}"](out)
        print(f"{part}: {time.process_time() - began:.0f} s of a core", flush=True)


def _record_policies(out: Path) -> None:
    runs = {
        "/".join(label): recorded_policies.record(*label) for label in recorded_policies.labels()
    }
    flat = {f"{label}|{key}": value for label, run in runs.items() for key, value in run.items()}
    np.savez_compressed(out / "policies.npz", **flat)


def _record_optimizer(out: Path) -> None:
    found = {str(n): recorded_optimizer.record(n) for n in range(recorded_optimizer.COUNT)}
    runs = {f"run {n}": recorded_optimizer.run(n) for n in range(len(recorded_optimizer.SPACES))}
    _write(out / "optimizer.json.gz", {**found, **runs})


def _record_studies(out: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = {
            name: recorded_studies.record(name, Path(folder) / name)
            for name in recorded_studies.MAKERS
        }
    _write(out / "studies.json.gz", found)


def compare(old: Path, new: Path, parts: list[str]) -> bool:
    """Print what differs; whether nothing but words does."""
    good = True
    for part in parts:
        wrong, words = globals()[f"_compare_{part}"](old, new)
        for line in wrong:
            print(f"{part}: DIFFERS {line[:500]}")
        for line in words:
            print(f"{part}: words: {line[:500]}")
        print(f"{part}: {len(wrong)} differences, {len(words)} in words or at ties alone")
        good = good and not wrong
    return good


def _compare_policies(old: Path, new: Path) -> tuple[list[str], list[str]]:
    before, after = (_runs(folder / "policies.npz") for folder in (old, new))
    wrong = [f"{label}: not recorded" for label in before if label not in after]
    words = []
    for label in before.keys() & after.keys():
        differ, remark = recorded_policies.compare(before[label], after[label])
        wrong += [f"{label}: {line}" for line in differ]
        words += [f"{label}: {remark}"] if remark else []
    return sorted(wrong), sorted(words)


def _runs(path: Path) -> dict[str, dict[str, Any]]:
    runs: dict[str, dict[str, Any]] = {}
    with np.load(path) as held:
        for key in held.files:
            label, _, name = key.partition("|")
            runs.setdefault(label, {})[name] = held[key]
    return runs


def _compare_optimizer(old: Path, new: Path) -> tuple[list[str], list[str]]:
    return recorded_optimizer.compare(*(_load(f / "optimizer.json.gz") for f in (old, new)))


def _compare_studies(old: Path, new: Path) -> tuple[list[str], list[str]]:
    before, after = (_load(folder / "studies.json.gz") for folder in (old, new))
    wrong, words = [], []
    for name in before:
        differ, other = recorded_studies.compare(before[name], after.get(name, {}))
        wrong += [f"{name}: {line}" for line in differ]
        words += [f"{name}: {line}" for line in other]
    return wrong, words


def _write(path: Path, data: Any) -> None:
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps(data, ensure_ascii=False).encode())


def _load(path: Path) -> Any:
    with gzip.open(path, "rb") as file:
        return json.loads(file.read())


def main() -> int:
    """Record, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", metavar="OLD", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS])
    given = parser.parse_args()
    parts = given.parts or list(PARTS)
    if given.compare is None:
        record(given.folder, parts)
        return 0
    return 0 if compare(given.compare, given.folder, parts) else 1


if __name__ == "__main__":
    sys.exit(main())
