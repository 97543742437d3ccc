"""Keep estimates and ranges where values are possible: within bounds, and on one side of zero.

Where no value is negative, no estimate and no end of a range is. A range that is far from an end of
what is possible is left alone; of one whose half-width is over half of the distance to zero, the
rest shrinks like an exponential, so that its end is never zero itself. Bounds that were given, and
zero where it was measured, may be ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stoic.optimize.knowledge import Knowledge

__all__ = ["Possible"]

_LINEAR = 0.5  # of the distance to zero, within which an end is left alone


@dataclass(frozen=True)
class Possible:
    """The range of possible values.

    >>> times = Possible(0.0, math.inf, least=5.0)
    >>> [round(end, 3) for end in times.range(10.0, 6.0, 30.0)]
    [6.0, 30.0]
    >>> [round(end, 3) for end in times.range(10.0, -10.0, 30.0)]
    [0.249, 30.0]
    >>> losses = Possible(-math.inf, 0.0, most=-5.0)
    >>> round(times.value(4.0), 3), round(losses.value(-4.0), 3)
    (4.094, -4.094)
    """

    low: float = -math.inf
    high: float = math.inf
    least: float | None = None  # value measured, where ``low`` itself is impossible
    most: float | None = None

    @classmethod
    def of(cls, known: Knowledge) -> Possible:
        """What is possible by the bounds and by the sign of all values."""
        history = known.history
        low, high = history.aim.range
        values = history.sign * history.values()
        least, most = float(values.min()), float(values.max())
        lowest = least if low < 0.0 < least else None  # zero is no value of this sign
        highest = most if most < 0.0 < high else None
        low = max(low, 0.0) if least >= 0.0 and (least > 0.0 or most > 0.0) else low
        high = min(high, 0.0) if most <= 0.0 and (least < 0.0 or most < 0.0) else high
        return cls(low, high, lowest, highest)

    def value(self, value: float) -> float:
        """The nearest possible value; towards an impossible zero, at most e times less."""
        if self.least is not None and value < self.least:
            value = self.least * math.exp(max((value - self.least) / self.least, -1.0))
        if self.most is not None and value > self.most:
            value = self.most * math.exp(max((value - self.most) / self.most, -1.0))
        return min(max(value, self.low), self.high)

    def range(self, value: float, low: float, high: float) -> tuple[float, float]:
        """A possible range about a possible value."""
        below = _shortened(value - low, value - self.low, self.least is not None)
        above = _shortened(high - value, self.high - value, self.most is not None)
        # an end that is not moved stays exactly, since value + (high - value) may overflow
        low = low if below in (value - low, math.inf) else value - below
        high = high if above in (high - value, math.inf) else value + above
        return max(low, self.low), min(high, self.high)


def _shortened(width: float, distance: float, is_open: bool) -> float:
    """A half-width that stays within a distance."""
    if not is_open or not math.isfinite(width) or width <= _LINEAR * distance:
        return width
    rest = (1.0 - _LINEAR) * distance
    return distance - rest * math.exp((_LINEAR * distance - width) / rest) if rest > 0.0 else 0.0
