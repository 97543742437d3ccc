"""Robust location and scale of a stream, in bounded memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from stoic.checks import Array

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
        self._sample: Array = np.zeros(self.CAPACITY)
        self._kept = 0
        self._stride = 1
        self._next = 1
        self.count = 0
        self.location = 0.0
        self.scale = 0.0

    def add(self, value: float) -> None:
        """Take in one more value."""
        if self.count % self._stride == 0:
            if self._kept == self.CAPACITY:
                self._sample[: self.CAPACITY // 2] = self._sample[::2].copy()
                self._kept //= 2
                self._stride *= 2
            if self.count % self._stride == 0:
                self._sample[self._kept] = value
                self._kept += 1
        self.count += 1
        if self.count >= self._next:
            self._summarise()

    def _summarise(self) -> None:
        sample = self._sample[: self._kept]
        self.location = _middle(sample)
        deviations = np.abs(sample - self.location)
        scale = _middle(deviations)
        if scale == 0.0 and deviations.any():  # more than half of the values are equal
            scale = _middle(deviations[deviations > 0.0])
        self.scale = scale / MAD_OF_NORMAL
        self._next = max(self.count + 1, int(1.05 * self.count))

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        return {
            "sample": self._sample[: self._kept].copy(),
            "stride": self._stride,
            "next": self._next,
            "count": self.count,
            "location": self.location,
            "scale": self.scale,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        sample = np.array(state["sample"], dtype=float)
        self._kept = len(sample)
        self._sample = np.zeros(self.CAPACITY)
        self._sample[: self._kept] = sample
        self._stride, self._next = int(state["stride"]), int(state["next"])
        self.count = int(state["count"])
        self.location, self.scale = float(state["location"]), float(state["scale"])


def _middle(values: Array) -> float:
    """The median, several times faster than numpy.median on short arrays."""
    n = len(values)
    half = n // 2
    if n % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1]
    return float(low + (high - low) / 2.0)
