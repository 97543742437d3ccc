"""Robust location and scale of a stream, in bounded memory."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from typing import Any

import numpy as np

__all__ = ["RunningSpread"]

# The median absolute deviation of a normal law, as a share of its standard deviation.
MAD_OF_NORMAL = 0.6744897501960817


class RunningSpread:
    """Median and median absolute deviation of all values so far.

    Kept is an evenly thinned sample: every value until the buffer is full, then every second,
    every fourth and so on, so the sample always covers the whole stream and needs no random
    numbers. Both figures are order statistics, hence equivariant: for a·y + b they become
    a·median + b and |a|·scale. They are recomputed when the stream has grown by a twentieth.
    Where more than half of the values are equal, the scale is that of the others.

    >>> spread = RunningSpread()
    >>> for value in [1.0, 2.0, 3.0, 4.0, 1e300]:
    ...     spread.add(value)
    >>> spread.location
    3.0
    """

    CAPACITY = 1024

    def __init__(self) -> None:
        self._sample: list[float] = []  # in order of arrival
        self._sorted: list[float] = []
        self._stride = 1
        self._next = 1
        self.count = 0
        self.location = 0.0
        self.scale = 0.0

    def add(self, value: float) -> None:
        """Take in one more value."""
        count = self.count
        if count % self._stride == 0 and len(self._sample) == self.CAPACITY:
            self._sample = self._sample[::2]
            self._sorted = sorted(self._sample)
            self._stride *= 2
        if count % self._stride == 0:
            self._sample.append(value)
            insort(self._sorted, value)
        self.count = count + 1
        if count + 1 >= self._next:
            self._summarise()

    def _summarise(self) -> None:
        values = self._sorted
        self.location = _middle(values)
        scale = _middle_distance(values, self.location)
        if scale == 0.0:  # more than half of the values are equal
            others = [value for value in values if value != self.location]
            scale = _middle_distance(others, self.location) if others else 0.0
        self.scale = scale / MAD_OF_NORMAL
        self._next = max(self.count + 1, int(1.05 * self.count))

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {
            "sample": np.array(self._sample),
            "stride": self._stride,
            "next": self._next,
            "count": self.count,
            "location": self.location,
            "scale": self.scale,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self._sample = np.array(state["sample"], dtype=float).tolist()
        self._sorted = sorted(self._sample)
        self._stride, self._next = int(state["stride"]), int(state["next"])
        self.count = int(state["count"])
        self.location, self.scale = float(state["location"]), float(state["scale"])


def _middle(ordered: list[float]) -> float:
    """The median of sorted values."""
    half, odd = divmod(len(ordered), 2)
    high = ordered[half]
    if odd:
        return high
    low = ordered[half - 1]
    return low + (high - low) / 2.0


def _middle_distance(values: list[float], centre: float) -> float:
    """The median of |v − centre| for sorted values.

    Those below the centre, read backwards, and those above it are two sorted rows of distances:
    how many of each are among the nearest half is found by halving.
    """
    n, below = len(values), bisect_left(values, centre)
    near = (n + 1) // 2  # values up to the middle
    low, high = max(0, near - (n - below)), min(near, below)
    while low < high:  # of them, how many lie below the centre
        half = (low + high) // 2
        if centre - values[below - 1 - half] < values[below + near - 1 - half] - centre:
            low = half + 1
        else:
            high = half
    left, right = below - low, below + near - low  # the nearest are values[left:right]
    inner = max(centre - values[left], values[right - 1] - centre)
    if n % 2:
        return inner
    outer = min(
        centre - values[left - 1] if left else math.inf,
        values[right] - centre if right < n else math.inf,
    )
    return inner + (outer - inner) / 2.0
