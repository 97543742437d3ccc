"""Timings of tunable GPU kernels, replayed from files of raw repeats.

A file ``<kernel>.csv`` or ``.csv.gz`` has one row for each configuration: the tuned parameters,
then the repeats ``t0``, ``t1``, … in milliseconds. Combinations that are not listed, and rows
without a time, are invalid. A score is the median time of the answer over that of the best
configuration.
"""

from __future__ import annotations

import csv
import functools
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

import stoic
from robust.world.base import Array, Case, Params, Problem, World

FIRST_TIME = "t0"
STREAM = 7  # of the random numbers that choose the repeats
Key = tuple[str | float, ...]


class Table:
    """The repeats of every configuration of a kernel that runs."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
        head, *rows = [row for row in csv.reader(text.splitlines()) if row]
        if FIRST_TIME not in head or head[0] == FIRST_TIME:
            raise SystemExit(
                f"expected {path} to have columns of parameters and then {FIRST_TIME}, got {head}"
            )
        width = head.index(FIRST_TIME)
        self.names = head[:width]
        keys = [tuple(_level(text) for text in row[:width]) for row in rows]
        self.levels = [sorted({key[i] for key in keys}, key=_order) for i in range(width)]
        self.times: dict[Key, Array] = {}
        for key, row in zip(keys, rows, strict=True):
            repeats = np.array([float(text) for text in row[width:] if text.strip()])
            if len(repeats):
                self.times[key] = repeats
        self.truth = {key: float(np.median(repeats)) for key, repeats in self.times.items()}
        self.best = min(self.truth.values())

    def space(self) -> stoic.Space:
        """Return the levels of each parameter: a grid of numbers, or categories."""
        chosen: dict[str, object] = {}
        for name, levels in zip(self.names, self.levels, strict=True):
            numbers = all(not isinstance(level, str) for level in levels)
            chosen[name] = stoic.Grid(levels) if numbers else stoic.Categorical(levels)
        return stoic.Space(chosen)


def _level(text: str) -> str | float:
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _order(level: str | float) -> tuple[bool, float, str]:
    word = isinstance(level, str)
    return word, 0.0 if isinstance(level, str) else level, str(level)


@functools.cache
def table(path: Path) -> Table:
    """Return the table of a file, read once."""
    return Table(path)


class Replay(Problem):
    """Measures a configuration by drawing one of its repeats."""

    def __init__(self, path: Path, seed: int) -> None:
        self._table = table(path)
        self.space = self._table.space()
        self._rng = np.random.default_rng([seed, STREAM])

    def measure(self, params: Params) -> float | None:
        repeats = self._table.times.get(self._key(params))
        return None if repeats is None else float(self._rng.choice(repeats))

    def scores(self, rows: Sequence[Params]) -> Array:
        times = [self._table.truth.get(self._key(row), np.inf) for row in rows]
        return np.array(times) / self._table.best

    def _key(self, params: Params) -> Key:
        return tuple(params[name] for name in self._table.names)


class Kernel(World):
    """Every kernel in a folder of files."""

    budgets: ClassVar[tuple[int, ...]] = (60, 200)

    def cases(self) -> list[Case]:
        found = sorted(self._files())
        if not found:
            raise SystemExit(
                f"expected files *.csv or *.csv.gz in {self.settings.data}, got none; "
                "give their folder by --data"
            )
        return [Case(name, name, "repeats") for name in found]

    def _files(self) -> dict[str, Path]:
        if self.settings.data is None or not self.settings.data.is_dir():
            return {}
        paths = [*self.settings.data.glob("*.csv"), *self.settings.data.glob("*.csv.gz")]
        return {path.name.partition(".")[0]: path for path in paths}

    def open(self, case: Case, seed: int) -> Problem:
        return Replay(self._files()[case.name], seed)
