"""Robust location and scale of a stream, in bounded memory."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidState
from stoic.loops import take_in
from stoic.loops.streams import COUNT, FRESH, KEPT, LOCATION, NEXT, SCALE, STRIDE
from stoic.schema import Schema, Sums, Wholes

__all__ = ["RunningSpread", "room"]

_CAPACITY = 1024


def room(streams: int) -> tuple[Array, Array]:
    """Values and counters of some streams that have not begun."""
    return np.zeros((streams, 2, _CAPACITY)), np.tile(FRESH, (streams, 1))


class RunningSpread:
    """Median and median absolute deviation of all values so far.

    Kept is an evenly thinned sample: every value until the buffer is full, then every second,
    every fourth and so on, so the sample always covers the whole stream and needs no random
    numbers. Both figures are order statistics, hence equivariant: for a·y + b they become
    a·median + b and |a|·scale. They are recomputed when the stream has grown by a twentieth.
    Where more than half of the values are equal, the scale is that of the others.

    Parameters
    ----------
    values, counters
        Where to keep it, for compiled loops that take several streams at once.

    >>> spread = RunningSpread()
    >>> for value in [1.0, 2.0, 3.0, 4.0, 1e300]:
    ...     spread.add(value)
    >>> spread.location
    3.0
    """

    schema: ClassVar[Schema] = {
        "sample": Sums(None),
        "stride": Wholes(low=1),
        "next": Wholes(low=1),
        "count": Wholes(),
        "location": Sums(),
        "scale": Sums(low=0.0),
    }

    def __init__(self, values: Array | None = None, counters: Array | None = None) -> None:
        if values is None or counters is None:
            values, counters = (part[0] for part in room(1))
        self._values, self._counters = values, counters

    @property
    def count(self) -> int:
        """The number of values so far."""
        return int(self._counters[COUNT])

    @property
    def location(self) -> float:
        """Their median."""
        return float(self._counters[LOCATION])

    @property
    def scale(self) -> float:
        """Their median absolute deviation, in standard deviations of a normal law."""
        return float(self._counters[SCALE])

    @scale.setter
    def scale(self, scale: float) -> None:
        self._counters[SCALE] = scale

    def clear(self) -> None:
        """Begin anew."""
        self._counters[:] = FRESH

    def add(self, value: float) -> None:
        """Take in one more value."""
        take_in(self._values, self._counters, value)

    def state(self) -> dict[str, Any]:
        """Everything that :meth:`restore` needs to go on bit by bit."""
        kept, stride, following, count = (int(each) for each in self._counters[: COUNT + 1])
        return {
            "sample": self._values[0, :kept].copy(),
            "stride": stride,
            "next": following,
            "count": count,
            "location": self.location,
            "scale": self.scale,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state that fits :attr:`schema`."""
        sample, stride, count = state["sample"], state["stride"], state["count"]
        if len(sample) > _CAPACITY or len(sample) != -(-count // stride):
            raise InvalidState(
                f"expected each {stride}-th of {count} values, {_CAPACITY} at most, in a state, "
                f"got {len(sample)}"
            )
        if not count < state["next"] <= max(count + 1, int(1.05 * count)):
            raise InvalidState(f"expected the next look soon after value {count} in a state")
        self._counters[KEPT] = len(sample)
        self._values[0, : len(sample)] = sample
        self._values[1, : len(sample)] = np.sort(sample)
        for counter, name in ((STRIDE, "stride"), (NEXT, "next"), (COUNT, "count")):
            self._counters[counter] = state[name]
        self._counters[LOCATION], self._counters[SCALE] = state["location"], state["scale"]
