"""How many runs it takes to see a difference, by resampling the values.

Two systems are compared by N runs of each in random order. The second has the same noise, and
values higher by a given share. The test is the two-sided rank-sum test of Mann & Whitney (1947),
which no outlier decides, with the normal approximation, the correction for ties and the
continuity correction. N is the smallest number with which it sees the difference nine times in ten.

For large N it follows from p = P(A < B) + P(A = B)/2 of the resampled values: Noether (1987),
"Sample size determination for some common nonparametric tests", N = (z_α/2 + z_β)² V / (p − 1/2)²
with V = (1 − Σ(t³ − t)/n³)/6 for ties of t values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stoic.checks import Array
from stoic.randomness import generator

__all__ = ["Needed", "needed", "needed_lines"]

_MIN_VALUES = 10  # fewer say too little about the noise
_SHARES = (0.01, 0.02, 0.05, 0.10)  # of the values
_SCALES = (0.1, 0.2, 0.5, 1.0)  # robust standard deviations, where values have both signs
_POWER = 0.9
_Z_ERROR, _Z_POWER = 1.959963984540054, 1.2815515655446004  # of 5 % error, both sides; 90 % power
_MAX_RUNS = 1_000_000
_MAX_RESAMPLED_RUNS = 64  # of each: up to here, tests are simulated
_MIN_RUNS = 4  # of each: the test can't reject with fewer
_TESTS = 400  # simulated
_GRID_SHARE = 0.5  # of values that are different: with fewer, they are rounded to a grid
_MAX_PAIRED = 400  # values of a sample that are compared with each other


@dataclass(frozen=True)
class Needed:
    """The runs of each of two systems that show a difference with 90 % power and 5 % error."""

    difference: float  # a share of the values, or in robust standard deviations
    relative: bool
    runs: int | None  # None: more than a million

    @property
    def name(self) -> str:
        """The difference in words."""
        if self.relative:
            return f"{100 * self.difference:g} %"
        return f"{self.difference:g} robust scale{'s' * (self.difference != 1.0)}"

    @property
    def about(self) -> str:
        """The runs with two digits: they are an estimate."""
        if self.runs is None:
            return "over 1,000,000"
        return f"{int(float(f'{self.runs:.2g}')) if self.runs >= 100 else self.runs:,}"


def needed(sample: Array, scale: float) -> tuple[Needed, ...]:
    """The runs for differences of 1, 2, 5 and 10 %; empty where the values tell too little.

    Where values have both signs a share of them means nothing, and differences are in robust
    standard deviations. ``sample`` is sorted.

    >>> sample = np.random.default_rng(0).normal(100.0, 5.0, 1000)
    >>> [each.runs for each in needed(np.sort(sample), 5.0)][1:3]
    [136, 22]
    """
    if len(sample) < _MIN_VALUES or sample[0] == sample[-1]:
        return ()
    relative = bool(sample[0] >= 0.0 or sample[-1] <= 0.0)
    step = _resolution(sample)
    if step:
        sample = np.rint(sample / step) * step  # as changed values are, or equal ones would differ
    changes = (
        [(d, _Change(1.0 + d, 0.0, step)) for d in _SHARES]
        if relative
        else [(d, _Change(1.0, d * scale, step)) for d in _SCALES]
    )
    return tuple(Needed(d, relative, _runs(sample, change)) for d, change in changes)


def needed_lines(found: tuple[Needed, ...]) -> list[str]:
    """A sentence about the second difference, and a small table of all."""
    if not found:
        return []
    one = found[1]
    cells = [(each.name, each.about) for each in found]
    widths = [max(map(len, pair)) + 2 for pair in cells]
    return [
        f"runs: to see a difference of {one.name}, about {one.about} runs of each are needed",
        "  difference  " + "".join(f"{a:>{w}}" for (a, _), w in zip(cells, widths, strict=True)),
        "  runs of each" + "".join(f"{b:>{w}}" for (_, b), w in zip(cells, widths, strict=True)),
    ]


@dataclass(frozen=True)
class _Change:
    """The difference of the second system, and the resolution at which values are measured."""

    factor: float
    shift: float
    step: float

    def __call__(self, values: Array, rng: np.random.Generator) -> Array:
        """Values of the second system, from resampled ones."""
        if self.step == 0.0:
            return values * self.factor + self.shift
        exact = values + self.step * (rng.random(values.shape) - 0.5)
        changed = np.where(values == 0.0, self.shift, exact * self.factor + self.shift)
        rounded: Array = np.rint(changed / self.step) * self.step
        return rounded


def _resolution(sample: Array) -> float:
    """The grid to which values are rounded; 0 where hardly any two are equal."""
    values = np.unique(sample)
    if len(values) > _GRID_SHARE * len(sample):
        return 0.0
    return float(np.diff(values).min())


def _runs(sample: Array, change: _Change) -> int | None:
    estimate = _noether(sample, change)
    if estimate > _MAX_RUNS:
        return None
    if estimate > _MAX_RESAMPLED_RUNS:
        return math.ceil(estimate)
    low, high = _MIN_RUNS - 1, max(math.ceil(1.3 * estimate), _MIN_RUNS)
    while _power(sample, change, high) < _POWER:
        low, high = high, 2 * high
        if high > 4 * _MAX_RESAMPLED_RUNS:
            return low
    while high - low > max(1, low // 20):
        middle = (low + high) // 2
        if _power(sample, change, middle) >= _POWER:
            high = middle
        else:
            low = middle
    return high


def _noether(sample: Array, change: _Change) -> float:
    """N by Noether's formula, from all pairs of values."""
    rng = generator(0, 0)
    if len(sample) > _MAX_PAIRED:
        sample = np.quantile(sample, (np.arange(_MAX_PAIRED) + 0.5) / _MAX_PAIRED, method="nearest")
    second = change(np.tile(sample, 8), rng)
    below = np.searchsorted(sample, second, "left") + np.searchsorted(sample, second, "right")
    p = float(below.mean()) / (2.0 * len(sample))
    _, counts = np.unique(np.concatenate([sample, second]), return_counts=True)
    shares = counts / counts.sum()
    untied = 1.0 - float((shares**3).sum())
    gap = abs(p - 0.5)
    return math.inf if gap == 0.0 else (_Z_ERROR + _Z_POWER) ** 2 * untied / (6.0 * gap * gap)


def _power(sample: Array, change: _Change, runs: int) -> float:
    """The share of simulated tests that see the difference."""
    rng = generator(0, runs)
    first = sample[rng.integers(len(sample), size=(_TESTS, runs))]
    second = change(sample[rng.integers(len(sample), size=(_TESTS, runs))], rng)
    a, b = first[:, :, None], second[:, None, :]
    wins = np.count_nonzero(b > a, axis=(1, 2)) + np.count_nonzero(b == a, axis=(1, 2)) / 2.0
    n = 2 * runs
    tied = _ties(np.concatenate([first, second], axis=1)) / (n * (n - 1.0)) if change.step else 0.0
    variance = runs * runs / 12.0 * (n + 1.0 - tied)
    gap = np.abs(wins - runs * runs / 2.0) - 0.5
    return float(((variance > 0.0) & (gap > _Z_ERROR * np.sqrt(variance))).mean())


def _ties(values: Array) -> Array:
    """Σ(t³ − t) over the groups of t equal values, of each row."""
    rows, n = values.shape
    ordered = np.sort(values, axis=1)
    group = np.cumsum(np.diff(ordered, axis=1, prepend=ordered[:, :1]) != 0.0, axis=1)
    group += n * np.arange(rows)[:, None]
    counts = np.bincount(group.ravel(), minlength=n * rows).reshape(rows, n).astype(np.float64)
    found: Array = (counts**3 - counts).sum(axis=1)
    return found
