"""Values that are mostly zero, of few kinds, or in clumps: what a mean or a tail would hide."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from stoic.checks import Array

__all__ = ["Clump", "Shape", "shape_of"]

_MIN_VALUES = 20  # fewer are not described
_MIN_ZERO_SHARE = 0.5  # "mostly zero"
_MAX_DISTINCT = 10  # "few different values", where each occurs four times on average
_MIN_REPEATS = 4.0
_MIN_CLUMP_SHARE = 0.15  # of the values; smaller groups may be outliers
_MAX_CLUMPS = 5
_MAX_VALLEY = 0.5  # density between two clumps, of that of the lower one
_MIN_DEVIATIONS = 3.0  # standard deviations by which a valley is lower than chance makes it
_POINTS = 256  # at which the density is estimated
_MAX_SAMPLE = 1000  # values; the density of more is hardly another


@dataclass(frozen=True)
class Clump:
    """A group of values: its median, and its share of all values."""

    centre: float
    share: float


@dataclass(frozen=True)
class Shape:
    """How values are distributed, beyond location and tail.

    ``distinct`` is the number of different values, ``clumps`` what they are grouped in: the values
    themselves where they are few, else the modes of their density, or nothing where it has one.
    """

    zeros: float  # share of values that are exactly 0
    distinct: int
    clumps: tuple[Clump, ...]

    @property
    def mostly_zero(self) -> bool:
        """Whether at least half of the values are 0, but not all."""
        return self.zeros >= _MIN_ZERO_SHARE and self.distinct > 1

    @property
    def few(self) -> bool:
        """Whether the values are so few different ones that the clumps are these."""
        return len(self.clumps) == self.distinct > 1

    def lines(self) -> list[str]:
        """What is remarkable, in words."""
        found = []
        if self.mostly_zero:
            found.append(f"zeros: {_percent(self.zeros)} of the values are exactly 0")
        shown = self.clumps[:_MAX_CLUMPS]
        listed = ", ".join(f"{clump.centre:.6g} ({_percent(clump.share)})" for clump in shown)
        if self.few:
            more = ", …" if self.distinct > _MAX_CLUMPS else ""
            found.append(f"values: only {self.distinct} different ones: {listed}{more}")
        elif self.clumps:
            found.append(f"clumps: the values are in {len(self.clumps)} groups, about {listed}")
            found.append("  a number for all of them describes none: find out what differs")
        return found


def shape_of(ordered: Array, unit: float = 1.0) -> Shape:
    """The shape of sorted values that were divided by ``unit``.

    >>> rng = np.random.default_rng(0)
    >>> fast, slow = rng.normal(10.0, 0.5, 300), rng.normal(14.0, 0.5, 100)
    >>> [round(clump.centre) for clump in shape_of(np.sort(np.append(fast, slow))).clumps]
    [10, 14]
    """
    values, counts = np.unique(ordered, return_counts=True)
    n, zeros = len(ordered), float((ordered == 0.0).mean())
    if n < _MIN_VALUES or len(values) == 1:
        return Shape(zeros, len(values), ())
    if len(values) <= _MAX_DISTINCT and n >= _MIN_REPEATS * len(values):
        most = np.argsort(-counts, kind="stable")
        clumps = [Clump(float(values[i]) * unit, float(counts[i]) / n) for i in most]
        return Shape(zeros, len(values), tuple(clumps))
    rest = ordered[ordered != 0.0] if zeros >= _MIN_ZERO_SHARE else ordered
    modes = _modes(rest) if len(rest) >= _MIN_VALUES else ()
    clumps = [Clump(clump.centre * unit, clump.share) for clump in modes]
    return Shape(zeros, len(values), tuple(clumps))


def _modes(ordered: Array) -> tuple[Clump, ...]:
    """The modes of a density, each with its share; nothing where there is only one.

    A Gaussian kernel estimate of half of Silverman's bandwidth shows candidates. The valley between
    two of them counts if so few values are in it, compared with as wide a window at the lower one's
    top, that chance is no explanation. Every clump holds a seventh of the values.
    """
    sample = ordered
    if len(ordered) > _MAX_SAMPLE:
        at = (np.arange(_MAX_SAMPLE) + 0.5) / _MAX_SAMPLE * len(ordered)
        sample = ordered[at.astype(np.int64)]
    low, q25, q75, high = (float(q) for q in np.quantile(sample, [0.02, 0.25, 0.75, 0.98]))
    spread = min(q75 - q25, high - low) / 1.349
    if not (spread > 0.0 and math.isfinite(high - low)):
        return ()
    values = np.unique(sample)
    step = float(np.diff(values).min()) if len(values) < len(sample) / 2 else 0.0
    width = max(0.45 * spread * len(sample) ** -0.2, 2.0 * step)
    grid = np.linspace(low - width, high + width, _POINTS)
    inside = sample[(sample >= low - 4.0 * width) & (sample <= high + 4.0 * width)]
    density = np.exp(-0.5 * ((grid[:, None] - inside) / width) ** 2).sum(axis=1)
    tops = [
        i
        for i in range(_POINTS)
        if density[i] == density[max(i - 1, 0) : i + 2].max() and density[i] > 0.0
    ]
    cuts = _cuts(sample, grid, density, tops, width)
    edges = [-math.inf, *cuts, math.inf]
    if not cuts:
        return ()
    parts = [ordered[(ordered > a) & (ordered <= b)] for a, b in pairwise(edges)]
    return tuple(Clump(float(np.median(part)), len(part) / len(ordered)) for part in parts)


def _cuts(sample: Array, grid: Array, density: Array, tops: list[int], width: float) -> list[float]:
    """Where the values are divided, from left to right."""
    cuts: list[float] = []
    left, begin = tops[0] if tops else 0, -math.inf
    for top in tops[1:]:
        valley = left + int(np.argmin(density[left : top + 1]))
        at = float(grid[valley])
        sides = ((sample > begin) & (sample <= at)).sum(), (sample > at).sum()
        places, heights = (float(grid[left]), at, float(grid[top])), density[[left, valley, top]]
        if min(sides) >= _MIN_CLUMP_SHARE * len(sample) and _is_valley(
            sample, places, heights, width
        ):
            cuts.append(at)
            left, begin = top, at
        elif density[top] > density[left]:
            left = top
    return cuts


def _is_valley(
    sample: Array, places: tuple[float, float, float], heights: Array, width: float
) -> bool:
    """Whether a valley between two tops is deeper than chance would make it."""
    if heights[1] > _MAX_VALLEY * min(heights[0], heights[2]):
        return False
    window = max(width, 0.5 * min(places[1] - places[0], places[2] - places[1]))
    counts = [int((np.abs(sample - place) <= window).sum()) for place in places]
    least = min(counts[0], counts[2])
    return least - counts[1] > _MIN_DEVIATIONS * math.sqrt(least + counts[1])


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"
